// The order in which llama.cpp writes the rows of a batch that have no index: those of each token's
// hidden state.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ggufd {

// The tokens of one sequence in a batch; those from `outputsFrom` on have logits.
struct BatchRows {
    int32_t sequence;
    uint32_t tokens;
    uint32_t outputsFrom;
};

// Returns the tokens of a batch, by their index in it, in the order in which its sub-batches
// compute them. With one stream per sequence, a sub-batch takes equally many tokens of consecutive
// sequences (`split_equal` in llama-batch.cpp).
inline std::vector<uint32_t> computingOrder(const std::vector<BatchRows>& parts, uint32_t subBatchTokens, bool isOneStream) {
    std::vector<uint32_t> first;
    uint32_t tokens = 0;
    for (const auto& part : parts) {
        first.push_back(tokens);
        tokens += part.tokens;
    }
    std::vector<uint32_t> order;
    order.reserve(tokens);
    std::vector<uint32_t> taken(parts.size(), 0);
    while (order.size() < tokens) {
        std::vector<size_t> group;
        for (size_t index = 0; index < parts.size() && group.size() <= subBatchTokens; index++) {
            if (taken[index] == parts[index].tokens) continue;
            const bool isNext = group.empty() || (!isOneStream && parts[index].sequence == parts[group.back()].sequence + 1);
            if (isNext) group.push_back(index);
        }
        uint32_t ofEach = std::max<uint32_t>(1, subBatchTokens / static_cast<uint32_t>(group.size()));
        for (const auto index : group) ofEach = std::min(ofEach, parts[index].tokens - taken[index]);
        for (const auto index : group) {
            for (uint32_t count = 0; count < ofEach; count++) order.push_back(first[index] + taken[index]++);
        }
    }
    return order;
}

// Returns the order after llama.cpp has sorted the rows of logits: it swaps the other rows with
// them, by the rows' indices among the logits (`output_reorder` in llama-context.cpp).
inline std::vector<uint32_t> rowOrder(const std::vector<BatchRows>& parts, uint32_t subBatchTokens, bool isOneStream) {
    auto order = computingOrder(parts, subBatchTokens, isOneStream);
    std::vector<bool> isOutput;
    for (const auto& part : parts) {
        for (uint32_t index = 0; index < part.tokens; index++) isOutput.push_back(index >= part.outputsFrom);
    }
    std::vector<uint32_t> outputs;
    for (const auto token : order) {
        if (isOutput[token]) outputs.push_back(token);
    }
    for (size_t row = 0; row + 1 < outputs.size(); row++) {
        const auto smallest = std::min_element(outputs.begin() + static_cast<std::ptrdiff_t>(row), outputs.end());
        const auto other = static_cast<size_t>(smallest - outputs.begin());
        if (other == row) continue;
        std::swap(outputs[row], outputs[other]);
        std::swap(order[row], order[other]);
    }
    return order;
}

}  // namespace ggufd
