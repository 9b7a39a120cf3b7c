// Proposes tokens with the model's own layers for multi-token prediction (MTP, "nextn").
#pragma once

#include <utility>
#include <vector>

#include "drafter.h"

namespace ggufd {

// A context of the same model that computes only these layers. They take the last state of a token
// and the token after it. With several layers, each has its own keys and values and proposes the
// token of one position.
class MtpDrafter : public Drafter {
public:
    MtpDrafter(SharedContext shared, HiddenStates states, size_t sequences, size_t outputRows, int32_t layerCount)
        : Drafter(shared, std::move(states), sequences, outputRows), layerCount(layerCount) {
        const LockedContext locked(shared);
        if (locked.get() == nullptr) return;
        width = static_cast<size_t>(llama.llama_model_n_embd_out(llama.llama_get_model(locked.get())));
        writeStates(locked.get(), true);
    }

protected:
    uint32_t maxLength() const override { return layerCount > 1 ? static_cast<uint32_t>(layerCount) : anyLength; }
    int32_t layers() const override { return layerCount; }

    void selectLayer(llama_context* context, int32_t layer) const override {
        if (layerCount > 1) hiddenStates.selectMtpLayer(context, layer);
    }

    // A pair has the position of its token.
    llama_pos placeOf(llama_pos pair) const override { return pair + 1; }
    size_t inputWidth() const override { return width; }

    int32_t prepare(llama_context*, const float* states, size_t count, std::vector<float>& inputs) override {
        inputs.assign(states, states + count * width);
        return 0;
    }

private:
    const int32_t layerCount;
    size_t width = 0;
};

}  // namespace ggufd
