// Commits the memory of KV caches some pages ahead of its use.
//
// A page that is committed by the first write to it costs a fault: 14 µs on a virtual machine, where
// committing 16 pages with one call took 1 µs for each.
#pragma once

#include <cstddef>

#include "llama_library.h"

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>
#endif

namespace ggufd {

#ifdef __linux__

// Keys or values of a layer, in a lazy buffer. Cells of a stream are consecutive.
struct CacheTensor {
    const void* buffer;
    uintptr_t begin;
    size_t cellBytes;
    size_t cells;
    size_t streamBytes;
    // Bytes committed from the beginning of each stream.
    std::vector<size_t> committed;
    // Whether a context commits its pages.
    bool isTaken = false;
};

// The tensors of all caches in lazy buffers.
struct CacheTensors {
    std::mutex mutex;
    std::vector<std::shared_ptr<CacheTensor>> all;
};
inline CacheTensors cacheTensors;

// Notes a tensor that has been placed in a lazy buffer, if it belongs to a KV cache.
inline void noteCacheTensor(const void* buffer, const ggml_tensor& tensor) {
    const std::string name(tensor.name);
    const bool isOfCache = name.rfind("cache_k_l", 0) == 0 || name.rfind("cache_v_l", 0) == 0;
    if (!isOfCache || tensor.view_src != nullptr) return;
    CacheTensor noted{buffer, reinterpret_cast<uintptr_t>(tensor.data), tensor.nb[1], static_cast<size_t>(tensor.ne[1]),
                      tensor.nb[2], std::vector<size_t>(static_cast<size_t>(tensor.ne[2]), 0)};
    const std::lock_guard<std::mutex> lock(cacheTensors.mutex);
    cacheTensors.all.push_back(std::make_shared<CacheTensor>(std::move(noted)));
}

// Call it before a lazy buffer is unmapped.
inline void forgetCacheTensors(const void* buffer) {
    const std::lock_guard<std::mutex> lock(cacheTensors.mutex);
    auto& all = cacheTensors.all;
    const auto isInBuffer = [&](const auto& tensor) { return tensor->buffer == buffer; };
    all.erase(std::remove_if(all.begin(), all.end(), isInBuffer), all.end());
}

// Call it when the pages of a lazy buffer have been given back to the system.
inline void restartCacheTensors(const void* buffer) {
    const std::lock_guard<std::mutex> lock(cacheTensors.mutex);
    for (const auto& tensor : cacheTensors.all) {
        if (tensor->buffer == buffer) std::fill(tensor->committed.begin(), tensor->committed.end(), 0);
    }
}

// The pages of a context's KV cache, if each sequence has its own stream in it.
class CachePages {
public:
    // Takes the tensors with a stream for each sequence that no other context has taken.
    explicit CachePages(llama_context* context) {
        const std::lock_guard<std::mutex> lock(cacheTensors.mutex);
        for (const auto& tensor : cacheTensors.all) {
            if (tensor->isTaken || tensor->committed.size() != llama.llama_n_seq_max(context)) continue;
            tensor->isTaken = true;
            tensors.push_back(tensor);
        }
    }

    // Commits the memory of a sequence's first cells. Cells in other places are committed by the
    // first write to them.
    void commit(llama_seq_id sequence, size_t cells) {
        const std::lock_guard<std::mutex> lock(cacheTensors.mutex);
        for (size_t index = 0; index < tensors.size(); index++) {
            // The buffer is unmapped while this lock is not held.
            const auto tensor = tensors[index].lock();
            if (tensor == nullptr) continue;
            auto& committed = tensor->committed[static_cast<size_t>(sequence)];
            const size_t needed = std::min(cells, tensor->cells) * tensor->cellBytes;
            if (needed <= committed) continue;
            // Groups of different tensors end at different cells, so that each step commits some.
            const size_t shift = GROUP_BYTES * index / tensors.size();
            const size_t groups = (needed + shift + GROUP_BYTES - 1) / GROUP_BYTES;
            const size_t end = std::min(groups * GROUP_BYTES - shift, tensor->streamBytes);
            const uintptr_t stream = tensor->begin + static_cast<size_t>(sequence) * tensor->streamBytes;
            commitPages(stream + committed, stream + end);
            committed = end;
        }
    }

private:
    // Bytes of a tensor that are committed together.
    static constexpr size_t GROUP_BYTES = 64u << 10;

    std::vector<std::weak_ptr<CacheTensor>> tensors;

    // Systems before Linux 5.14 refuse this; there and without memory, pages are committed by writes.
    static void commitPages(uintptr_t begin, uintptr_t end) {
#ifdef MADV_POPULATE_WRITE
        constexpr int populate = MADV_POPULATE_WRITE;
#else
        constexpr int populate = 23;
#endif
        static const auto pageBytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
        const uintptr_t first = begin / pageBytes * pageBytes;
        madvise(reinterpret_cast<void*>(first), end - first, populate);
    }
};

#else

class CachePages {
public:
    explicit CachePages(llama_context*) {}
    void commit(llama_seq_id, size_t) {}
};

#endif

}  // namespace ggufd
