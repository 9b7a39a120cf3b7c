// The hidden states that a context outputs in addition to its logits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "hidden_states_library.h"
#include "llama_library.h"
#include "row_order.h"

namespace ggufd {

// Makes a context output its states. Changing the attention mask makes it reserve its buffers
// again.
inline void writeStates(llama_context* context, bool masked) {
    hiddenStates.setStates(context, true, masked);
    llama.llama_set_causal_attn(context, false);
    llama.llama_set_causal_attn(context, true);
}

// Reads the states of each token of a context: its last state, or the inputs of several layers,
// concatenated. `layers` selects the latter and is empty for the former; a layer after the last one
// stands for the last state.
class HiddenStates {
public:
    HiddenStates(llama_context* context, std::vector<int32_t> layers, bool isOneStream)
        : layers(std::move(layers)), isOneStream(isOneStream) {
        const auto* model = llama.llama_get_model(context);
        lastLayer = llama.llama_model_n_layer(model);
        // llama.cpp computes batches of several sequences in passes of this many tokens.
        subBatchTokens = llama.llama_n_ubatch(context);
        lastWidth = static_cast<size_t>(llama.llama_model_n_embd_out(model));
        inputWidth = static_cast<size_t>(llama.llama_model_n_embd(model));
        if (this->layers.empty()) writeStates(context, false);
        for (const auto layer : this->layers) {
            if (layer < lastLayer) hiddenStates.setLayerInput(context, static_cast<uint32_t>(layer), true);
            else writeStates(context, false);
        }
    }

    // Number of floats per token.
    size_t width() const {
        return layers.empty() ? lastWidth : layers.size() * inputWidth;
    }

    // Reads the states of the last batch in batch order. Returns false if the context has none.
    bool read(llama_context* context, const std::vector<BatchRows>& parts, std::vector<float>& rows) const {
        const auto order = rowOrder(parts, subBatchTokens, isOneStream);
        rows.resize(order.size() * width());
        if (layers.empty()) return take(hiddenStates.states(context), lastWidth, 0, order, rows);
        for (size_t index = 0; index < layers.size(); index++) {
            const bool isInput = layers[index] < lastLayer;
            const float* states = isInput ? hiddenStates.layerInput(context, static_cast<uint32_t>(layers[index]))
                                          : hiddenStates.states(context);
            if (!take(states, inputWidth, index * inputWidth, order, rows)) return false;
        }
        return true;
    }

private:
    std::vector<int32_t> layers;
    bool isOneStream;
    int32_t lastLayer = 0;
    uint32_t subBatchTokens = 0;
    size_t lastWidth = 0;
    size_t inputWidth = 0;

    bool take(
        const float* states, size_t length, size_t offset, const std::vector<uint32_t>& order, std::vector<float>& rows
    ) const {
        if (states == nullptr) return false;
        for (size_t row = 0; row < order.size(); row++) {
            std::copy_n(states + row * length, length, rows.data() + order[row] * width() + offset);
        }
        return true;
    }
};

}  // namespace ggufd
