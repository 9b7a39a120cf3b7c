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

// Thread pools by number of threads; contexts that compute alternately share them. The pools
// outlive the contexts: a backend pauses its previous pool when it is given another one.
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

    // Sets the number of threads for the next batches of a context. Without a pool llama.cpp would
    // start threads for each batch.
    void use(llama_context* context, int32_t threads) {
        if (threads <= 0 || threads == used[context]) return;
        used[context] = threads;
        llama.llama_set_n_threads(context, threads, threads);
        if (create == nullptr || destroy == nullptr) return;
        auto& pool = pools[threads];
        if (pool == nullptr) {
            auto params = llama.ggml_threadpool_params_default(threads);
            placeOnCores(params);
            // The pool's first thread is the one that computes first, not the one that creates it.
            params.paused = true;
            pool = create(&params);
        }
        if (pool != nullptr) llama.llama_attach_threadpool(context, pool, pool);
    }

    // Makes the threads of all pools stop spinning, which they do for a third of a second after
    // each batch. The next batch wakes them.
    void rest() {
        if (pause == nullptr) return;
        for (const auto& [threads, pool] : pools) pause(pool);
    }

private:
    // Threads wait for each other many times in a step. If the scheduler puts two of them on one
    // core because of another program, each wait takes a time slice: a token takes 30 times as
    // long. With as many threads as cores, each is therefore bound to its own core; with fewer, the
    // scheduler moves each to a free core.
    static void placeOnCores(ggml_threadpool_params& params) {
#ifdef __linux__
        // The main thread's affinity is that of the process; compute threads are bound themselves.
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

    // Looks up a function that the registry does not expose in the library of a known one; nullptr
    // if it is missing.
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
