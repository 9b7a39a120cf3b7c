// A batch whose tokens come with hidden states.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

#include "llama_library.h"

namespace ggufd {

class DraftBatch {
public:
    // The tokens that have logits. It is all or none: with some, several graphs write the first
    // rows, whichever were requested.
    enum class Outputs { none, all };

    void clear() {
        tokens.clear();
        inputs.clear();
        positions.clear();
        sequences.clear();
    }

    // input: `width` floats that accompany the token.
    void add(llama_seq_id sequence, llama_pos position, llama_token token, const float* input, size_t width) {
        tokens.push_back(token);
        positions.push_back(position);
        sequences.push_back(sequence);
        inputs.insert(inputs.end(), input, input + width);
    }

    // Returns the result of llama_decode; -1 if it throws.
    int32_t decode(llama_context* context, Outputs outputs) {
        std::vector<int32_t> sequenceCounts(tokens.size(), 1);
        std::vector<int8_t> wantsLogits(tokens.size(), outputs == Outputs::all);
        std::vector<llama_seq_id*> sequencePointers;
        for (auto& sequence : sequences) sequencePointers.push_back(&sequence);
        llama_batch batch = {};
        batch.n_tokens = static_cast<int32_t>(tokens.size());
        batch.token = tokens.data();
        batch.embd = inputs.data();
        batch.pos = positions.data();
        batch.n_seq_id = sequenceCounts.data();
        batch.seq_id = sequencePointers.data();
        batch.logits = wantsLogits.data();
        try {
            return llama.llama_decode(context, batch);
        } catch (const std::exception&) {
            return -1;
        }
    }

private:
    std::vector<llama_token> tokens;
    std::vector<float> inputs;
    std::vector<llama_pos> positions;
    std::vector<llama_seq_id> sequences;
};

}  // namespace ggufd
