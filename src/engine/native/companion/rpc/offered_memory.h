// The memory that a worker offers to a client on each device.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "ggml-backend.h"

namespace ggufd {

// Limits the buffers of one client, and reports to it what is left of the limit. llama.cpp's server
// allocates whatever a client requests, and reports a CPU's whole memory as free.
class OfferedMemory {
public:
    static constexpr uint64_t UNLIMITED = std::numeric_limits<uint64_t>::max();

    void offer(ggml_backend_dev_t device, uint64_t bytes) { offers.push_back(std::make_unique<Offer>(device, bytes)); }

    // Returns the allocated bytes of each device, in the order of the offers.
    std::vector<uint64_t> used() const {
        std::vector<uint64_t> bytes;
        for (const auto& one : offers) bytes.push_back(one->used);
        return bytes;
    }

    void memory(ggml_backend_dev_t device, size_t* free, size_t* total) const {
        ggml_backend_dev_memory(device, free, total);
        for (const auto& one : offers) {
            if (one->device != device) continue;
            *free = std::min<uint64_t>(*free, one->left());
            *total = std::min<uint64_t>(*total, one->bytes);
        }
    }

    // Returns nullptr if the buffer would exceed the offer, as ggml does without memory.
    ggml_backend_buffer_t allocate(ggml_backend_buffer_type_t type, size_t size) {
        auto* const offer = find(type);
        if (offer != nullptr && size > offer->left()) return nullptr;
        auto* const buffer = ggml_backend_buft_alloc_buffer(type, size);
        if (buffer != nullptr && offer != nullptr) offer->used += ggml_backend_buffer_get_size(buffer);
        return buffer;
    }

    void free(ggml_backend_buffer_t buffer) {
        if (auto* const offer = find(ggml_backend_buffer_get_type(buffer))) {
            offer->used -= ggml_backend_buffer_get_size(buffer);
        }
        ggml_backend_buffer_free(buffer);
    }

private:
    struct Offer {
        Offer(ggml_backend_dev_t device, uint64_t bytes) : device(device), bytes(bytes) {}
        uint64_t left() const { return bytes - std::min<uint64_t>(bytes, used); }

        const ggml_backend_dev_t device;
        const uint64_t bytes;
        std::atomic<uint64_t> used = 0;
    };

    std::vector<std::unique_ptr<Offer>> offers;

    // The CPU's buffer type names no device.
    Offer* find(ggml_backend_buffer_type_t type) const {
        auto* const device = ggml_backend_buft_get_device(type);
        for (const auto& one : offers) {
            const bool isCpu = ggml_backend_dev_type(one->device) == GGML_BACKEND_DEVICE_TYPE_CPU;
            if (device == nullptr ? isCpu : one->device == device) return one.get();
        }
        return nullptr;
    }
};

inline OfferedMemory& offeredMemory() {
    static OfferedMemory memory;
    return memory;
}

}  // namespace ggufd
