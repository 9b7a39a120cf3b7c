// Proposes tokens with an EAGLE-3 head: a small model of one layer that was trained for another
// one.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "drafter.h"

namespace ggufd {

// A context of the head, whose encoder combines the inputs of three layers of the followed model
// into one state. For proposed tokens, the head's own states are used instead.
class Eagle3Drafter : public Drafter {
public:
    Eagle3Drafter(SharedContext shared, HiddenStates states, size_t sequences, size_t outputRows)
        : Drafter(shared, std::move(states), sequences, outputRows) {
        const LockedContext locked(shared);
        if (locked.get() == nullptr) return;
        width = static_cast<size_t>(llama.llama_model_n_embd_out(llama.llama_get_model(locked.get())));
        writeStates(locked.get(), true);
    }

protected:
    // A pair has the position of its state: the head has no position for the first token.
    llama_pos placeOf(llama_pos pair) const override { return pair; }
    size_t inputWidth() const override { return width; }

    int32_t prepare(llama_context* context, const float* states, size_t count, std::vector<float>& inputs) override {
        inputs.resize(count * width);
        const size_t rows = std::min<size_t>(outputRows, llama.llama_n_ubatch(context));
        for (size_t begin = 0; begin < count; begin += rows) {
            const auto taken = std::min(rows, count - begin);
            llama_batch batch = {};
            batch.n_tokens = static_cast<int32_t>(taken);
            batch.embd = const_cast<float*>(states + begin * stateWidth());
            const int32_t result = llama.llama_encode(context, batch);
            if (result != 0) return result;
            const float* encoded = hiddenStates.states(context);
            if (encoded == nullptr) return -1;
            std::copy_n(encoded, taken * width, inputs.data() + begin * width);
        }
        return 0;
    }

private:
    size_t width = 0;
};

}  // namespace ggufd
