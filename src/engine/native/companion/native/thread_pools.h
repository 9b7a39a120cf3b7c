// The threads of llama.cpp's CPU backend, kept between batches.
#pragma once

#include <cstdint>
#include <map>

#ifdef __linux__
#include <sched.h>
#include <unistd.h>
#endif

#include "llama_library.h"

namespace ggufd {

// Threads that compute, for each number of them that was asked for; contexts that compute in turns share them. They outlive
// the contexts: a backend pauses the pool that it has used last when it is given another one.
class ThreadPools {
public:
    ThreadPools() {
        auto* device = llama.ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
        if (device == nullptr) return;
        auto* registry = llama.ggml_backend_dev_backend_reg(device);
        create = reinterpret_cast<Create>(llama.ggml_backend_reg_get_proc_address(registry, "ggml_threadpool_new"));
        destroy = reinterpret_cast<Destroy>(llama.ggml_backend_reg_get_proc_address(registry, "ggml_threadpool_free"));
        pause = reinterpret_cast<Pause>(functionBeside(reinterpret_cast<void*>(create), "ggml_threadpool_pause"));
    }

    ~ThreadPools() {
        for (const auto& [threads, pool] : pools) destroy(pool);
    }

    ThreadPools(const ThreadPools&) = delete;
    ThreadPools& operator=(const ThreadPools&) = delete;

    // Has the next batches of a context computed by so many threads. Without a pool llama.cpp starts them for each batch.
    void use(llama_context* context, int32_t threads) {
        if (threads <= 0 || threads == used[context]) return;
        used[context] = threads;
        llama.llama_set_n_threads(context, threads, threads);
        if (create == nullptr || destroy == nullptr) return;
        auto& pool = pools[threads];
        if (pool == nullptr) {
            auto params = llama.ggml_threadpool_params_default(threads);
            placeOnCores(params);
            // Its first thread is the one that computes first, not the one that creates it.
            params.paused = true;
            pool = create(&params);
        }
        if (pool != nullptr) llama.llama_attach_threadpool(context, pool, pool);
    }

    // Nothing is computed for a while: the threads of all pools stop looking for work, which they do for a third of a second
    // behind each batch. The next batch wakes them.
    void rest() {
        if (pause == nullptr) return;
        for (const auto& [threads, pool] : pools) pause(pool);
    }

private:
    // Threads wait for each other many times in a step. Two of them on one core, where the scheduler puts them for another
    // program's sake, wait a time slice each time: a token takes 30 times as long. So each of as many threads as there are
    // cores has a core to itself; of fewer, the scheduler moves each to where a core is free.
    static void placeOnCores(ggml_threadpool_params& params) {
#ifdef __linux__
        // The affinity of the main thread is that of the process: threads that compute are bound themselves.
        cpu_set_t allowed;
        if (sched_getaffinity(getpid(), sizeof(allowed), &allowed) != 0) return;
        int32_t cores = 0;
        for (int core = 0; core < CPU_SETSIZE && core < GGML_MAX_N_THREADS; core++) {
            params.cpumask[core] = CPU_ISSET(core, &allowed);
            if (params.cpumask[core]) cores++;
        }
        params.strict_cpu = params.n_threads == cores;
#endif
    }

    using Create = ggml_threadpool_t (*)(ggml_threadpool_params*);
    using Destroy = void (*)(ggml_threadpool_t);
    using Pause = void (*)(ggml_threadpool_t);

    // What the registry does not tell of, from the library that it is in; nullptr: it is not there.
    static void* functionBeside(void* known, const char* name) {
        Dl_info library;
        if (known == nullptr || dladdr(known, &library) == 0) return nullptr;
        void* handle = dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        return handle == nullptr ? nullptr : dlsym(handle, name);
    }

    Create create = nullptr;
    Destroy destroy = nullptr;
    Pause pause = nullptr;
    std::map<llama_context*, int32_t> used;
    std::map<int32_t, ggml_threadpool_t> pools;
};

}  // namespace ggufd
