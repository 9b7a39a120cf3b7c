// The threads of llama.cpp's CPU backend, kept between batches.
#pragma once

#include <cstdint>
#include <map>

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
            pool = create(&params);
        }
        if (pool != nullptr) llama.llama_attach_threadpool(context, pool, pool);
    }

private:
    using Create = ggml_threadpool_t (*)(ggml_threadpool_params*);
    using Destroy = void (*)(ggml_threadpool_t);
    Create create = nullptr;
    Destroy destroy = nullptr;
    std::map<llama_context*, int32_t> used;
    std::map<int32_t, ggml_threadpool_t> pools;
};

}  // namespace ggufd
