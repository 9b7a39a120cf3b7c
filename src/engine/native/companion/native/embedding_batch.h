// A batch of embeddings: cells of an image or a piece of audio, which have no tokens.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "step.h"
#include "thread_pools.h"

namespace ggufd {

struct EmbeddingBatch {
    int32_t sequence;
    // One row of floats per cell.
    std::vector<float> rows;
    // Position of each cell; with M-RoPE, all of the first axis, then all of the second one, and so
    // on.
    std::vector<llama_pos> positions;
    int32_t cells;
    // Whether a cell attends only to the cells before it. If not, all of them are in one
    // micro-batch.
    bool isCausal;
    int32_t threads;
};

struct EmbeddingOutcome {
    // Result of llama_decode.
    int32_t result = 0;
    std::string error;
};

inline EmbeddingOutcome evaluateEmbeddings(const SharedContext& shared, EmbeddingBatch& embeddings, ThreadPools& pools) {
    EmbeddingOutcome outcome;
    const LockedContext locked(shared);
    auto* context = locked.get();
    if (context == nullptr) return {-1, "the context is closed or has not been opened"};
    // llama.cpp would end the process in this case.
    if (!embeddings.isCausal && static_cast<uint32_t>(embeddings.cells) > llama.llama_n_ubatch(context)) {
        return {-1, "more cells than a micro-batch has, which see each other"};
    }
    const auto cells = static_cast<size_t>(embeddings.cells);
    std::vector<int32_t> sequenceCounts(cells, 1);
    std::vector<llama_seq_id*> sequences(cells, &embeddings.sequence);
    std::vector<int8_t> wantsLogits(cells, 0);
    llama_batch batch = {};
    batch.n_tokens = embeddings.cells;
    batch.embd = embeddings.rows.data();
    batch.pos = embeddings.positions.data();
    batch.n_seq_id = sequenceCounts.data();
    batch.seq_id = sequences.data();
    batch.logits = wantsLogits.data();
    pools.use(context, embeddings.threads);
    if (!embeddings.isCausal) llama.llama_set_causal_attn(context, false);
    try {
        outcome.result = llama.llama_decode(context, batch);
        if (outcome.result == 0) llama.llama_synchronize(context);
    } catch (const std::exception& thrown) {
        outcome = {-1, thrown.what()};
    }
    if (!embeddings.isCausal) llama.llama_set_causal_attn(context, true);
    return outcome;
}

}  // namespace ggufd
