// Stages of a device's chain that llama.cpp lacks. They build nodes of a context's graph.
#pragma once

#include <cfloat>
#include <memory>
#include <utility>

#include "llama_library.h"

namespace ggufd {

// Data shared by the first and the last stage of a chain.
struct DeviceRow {
    // The device on which the graph computes the stages.
    ggml_backend_dev_t device = nullptr;
    // The sum of the row's probabilities: NaN if the row contains NaN or +∞, otherwise 1.
    ggml_tensor* sum = nullptr;
};

namespace device_stages {

using Shared = std::shared_ptr<DeviceRow>;

inline DeviceRow& rowOf(llama_sampler* sampler) { return **static_cast<Shared*>(sampler->ctx); }

inline bool isAlwaysSupported(llama_sampler*, ggml_backend_buffer_type_t, uint32_t) { return true; }

// The common part of these stages. None of them is copied or draws on the CPU.
inline llama_sampler_i interfaceOf(const char* (*name)(const llama_sampler*)) {
    llama_sampler_i made = {};
    made.name = name;
    made.backend_init = isAlwaysSupported;
    return made;
}

inline void freeShared(llama_sampler* sampler) { delete static_cast<Shared*>(sampler->ctx); }

}  // namespace device_stages

// Sums the row's probabilities, and replaces logits that are not numbers: other stages sort them,
// and llama.cpp's sort reads out of bounds if there are NaNs.
inline llama_sampler* makeRowCheck(std::shared_ptr<DeviceRow> row) {
    static llama_sampler_i interface = [] {
        auto made = device_stages::interfaceOf([](const llama_sampler*) { return "row-check"; });
        made.backend_init = [](llama_sampler* sampler, ggml_backend_buffer_type_t type, uint32_t) {
            auto* device = llama.ggml_backend_buft_get_device(type);
            // The CPU's buffer type does not name its device.
            if (device == nullptr) device = llama.ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
            device_stages::rowOf(sampler).device = device;
            return true;
        };
        made.backend_apply = [](llama_sampler* sampler, ggml_context* graph, ggml_cgraph*, llama_sampler_data* data) {
            device_stages::rowOf(sampler).sum = llama.ggml_sum(graph, llama.ggml_soft_max(graph, data->logits));
            // Clamps a copy, because clamping is in place.
            data->logits = llama.ggml_clamp(graph, llama.ggml_scale(graph, data->logits, 1.0f), -FLT_MAX, FLT_MAX);
        };
        made.free = device_stages::freeShared;
        return made;
    }();
    return llama.llama_sampler_init(&interface, new device_stages::Shared(std::move(row)));
}

// Sorts candidates in descending order, as on the CPU when the same random number is drawn.
inline llama_sampler* makeDescending() {
    static llama_sampler_i interface = [] {
        auto made = device_stages::interfaceOf([](const llama_sampler*) { return "descending"; });
        made.backend_apply = [](llama_sampler*, ggml_context* graph, ggml_cgraph*, llama_sampler_data* data) {
            const int64_t count = llama.ggml_nelements(data->logits);
            auto* logits = llama.ggml_reshape_2d(graph, data->logits, 1, count);
            auto* candidates = llama.ggml_reshape_2d(graph, data->candidates, 1, count);
            auto* order = llama.ggml_argsort(graph, llama.ggml_reshape_1d(graph, logits, count), GGML_SORT_ORDER_DESC);
            data->logits = llama.ggml_get_rows(graph, logits, order);
            data->candidates = llama.ggml_get_rows(graph, candidates, order);
        };
        return made;
    }();
    return llama.llama_sampler_init(&interface, nullptr);
}

// Leaves only the drawn token to be read, and the row's sum in place of its probabilities.
inline llama_sampler* makeTokenOnly(std::shared_ptr<DeviceRow> row) {
    static llama_sampler_i interface = [] {
        auto made = device_stages::interfaceOf([](const llama_sampler*) { return "token-only"; });
        made.backend_apply = [](llama_sampler* sampler, ggml_context*, ggml_cgraph*, llama_sampler_data* data) {
            data->logits = nullptr;
            data->candidates = nullptr;
            data->probs = device_stages::rowOf(sampler).sum;
        };
        made.free = device_stages::freeShared;
        return made;
    }();
    return llama.llama_sampler_init(&interface, new device_stages::Shared(std::move(row)));
}

}  // namespace ggufd
