// Large buffers of the CPU whose memory is committed on first use.
//
// llama.cpp clears the KV cache of all slots when it creates a context. Writing zeros to memory that
// the system has just mapped, which is zero already, commits all of it: 3 GB and two seconds for 16
// slots of 8,192 tokens of a model of 135 M parameters. The buffers here are private anonymous
// mappings, and are cleared by giving their pages back.
#pragma once

#include <cstddef>

#ifdef __linux__
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#endif

#include "cache_pages.h"
#include "ggml-backend-impl.h"
#include "llama_library.h"

namespace ggufd {

#ifdef __linux__

// Smaller buffers are allocated by ggml.
constexpr size_t MIN_LAZY_BYTES = 32u << 20;

// ggml's own functions, for CPU buffers.
inline decltype(ggml_backend_buffer_type_i::alloc_buffer) allocateEagerly = nullptr;
inline ggml_backend_buffer_i lazyBuffer = {};

inline void freeLazyBuffer(ggml_backend_buffer_t buffer) {
    forgetCacheTensors(buffer);
    munmap(buffer->context, buffer->size);
}

inline ggml_status placeInLazyBuffer(ggml_backend_buffer_t buffer, ggml_tensor* tensor) {
    noteCacheTensor(buffer, *tensor);
    return GGML_STATUS_SUCCESS;
}

inline void clearLazyBuffer(ggml_backend_buffer_t buffer, uint8_t value) {
    // The pages of a private anonymous mapping are zero again when they are next used.
    const bool isGivenBack = value == 0 && madvise(buffer->context, buffer->size, MADV_DONTNEED) == 0;
    if (isGivenBack) restartCacheTensors(buffer);
    else memset(buffer->context, value, buffer->size);
}

inline ggml_backend_buffer_t allocateLazily(ggml_backend_buffer_type_t type, size_t size) {
    if (size < MIN_LAZY_BYTES) return allocateEagerly(type, size);
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return allocateEagerly(type, size);
    return llama.ggml_backend_buffer_init(type, lazyBuffer, memory, size);
}

// Makes the CPU's buffer type allocate large buffers lazily from now on. Call it once, when the
// library has been looked up.
inline void allocateBuffersLazily() {
    auto* type = llama.ggml_backend_cpu_buffer_type();
    if (allocateEagerly != nullptr || type->iface.alloc_buffer == nullptr) return;
    allocateEagerly = type->iface.alloc_buffer;
    auto* example = allocateEagerly(type, 1);
    if (example == nullptr) return;
    lazyBuffer = example->iface;
    lazyBuffer.free_buffer = freeLazyBuffer;
    if (lazyBuffer.init_tensor == nullptr) lazyBuffer.init_tensor = placeInLazyBuffer;
    lazyBuffer.clear = clearLazyBuffer;
    llama.ggml_backend_buffer_free(example);
    type->iface.alloc_buffer = allocateLazily;
}

#else

inline void allocateBuffersLazily() {}

#endif

}  // namespace ggufd
