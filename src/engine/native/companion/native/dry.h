// DRY ("don't repeat yourself") as a sampler of llama.cpp's chains. llama.cpp's own sampler finds
// the sequence breakers by detokenizing the vocabulary, which takes up to a second per request;
// this one receives the token sequences that complete a breaker.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "llama_library.h"

namespace ggufd {

struct DryParams {
    float multiplier;
    float base;
    int32_t allowedLength;
    // Number of last tokens that are searched for repetitions.
    size_t window;
    // For each token in which a breaker begins, the token sequences that complete it.
    std::unordered_multimap<llama_token, std::vector<llama_token>> breakers;
};

// Subtracts penalties from the logits of tokens that would continue a repetition. The rules are
// those of llama.cpp's sampler: a repetition begins after the last sequence breaker, and tokens
// that contain one are exempt.
class Dry {
public:
    explicit Dry(DryParams params) : shared(std::make_shared<const DryParams>(std::move(params))) {}

    void accept(llama_token token) {
        recent.push_back(token);
        if (recent.size() > shared->window) recent.pop_front();
    }

    void apply(llama_token_data_array& candidates) const {
        const auto penalties = penaltiesOfNext();
        if (penalties.empty()) return;
        for (size_t index = 0; index < candidates.size; index++) {
            const auto found = penalties.find(candidates.data[index].id);
            if (found == penalties.end()) continue;
            candidates.data[index].logit -= found->second;
            candidates.sorted = false;
        }
    }

    void reset() { recent.clear(); }

private:
    // Shared by copies: a sampler is copied for each step that is started early, and a vocabulary
    // has thousands of breakers.
    std::shared_ptr<const DryParams> shared;
    std::deque<llama_token> recent;

    std::unordered_map<llama_token, float> penaltiesOfNext() const {
        const DryParams& params = *shared;
        std::unordered_map<llama_token, float> penalties;
        const auto allowed = static_cast<size_t>(params.allowedLength);
        if (recent.size() <= allowed) return penalties;
        // The last token comes first.
        const std::vector<llama_token> reversed(recent.rbegin(), recent.rend());
        const size_t maxLength = tokensSinceBreaker(reversed);
        if (maxLength < allowed) return penalties;
        // With a larger exponent, the power overflows single precision.
        constexpr float logOfLargestFloat = 88.7228391f;
        const bool isBounded = params.base > 1.000001f;
        const auto maxExponent = static_cast<int32_t>(isBounded ? logOfLargestFloat / std::log(params.base) : 0);
        for (const auto& [token, length] : longestContinued(reversed, maxLength)) {
            if (length < allowed || containsBreaker(token)) continue;
            int32_t exponent = static_cast<int32_t>(length - allowed);
            if (isBounded && exponent > maxExponent) exponent = maxExponent;
            penalties[token] = params.multiplier * std::pow(params.base, static_cast<float>(exponent));
        }
        return penalties;
    }

    bool containsBreaker(llama_token token) const {
        const auto [begin, end] = shared->breakers.equal_range(token);
        return std::any_of(begin, end, [](const auto& entry) { return entry.second.empty(); });
    }

    size_t tokensSinceBreaker(const std::vector<llama_token>& reversed) const {
        for (size_t index = 0; index < reversed.size(); index++) {
            const auto [begin, end] = shared->breakers.equal_range(reversed[index]);
            int64_t longest = -1;
            for (auto entry = begin; entry != end; ++entry) {
                const auto& rest = entry->second;
                const bool follows = rest.size() <= index && [&] {
                    for (size_t at = 0; at < rest.size(); at++) {
                        if (reversed[index - at - 1] != rest[at]) return false;
                    }
                    return true;
                }();
                if (follows) longest = std::max(longest, static_cast<int64_t>(rest.size()));
            }
            if (longest >= 0) return index - static_cast<size_t>(longest);
        }
        return reversed.size();
    }

    // For each token that followed an earlier occurrence of the last tokens, returns the length of
    // the longest such occurrence.
    static std::unordered_map<llama_token, size_t> longestContinued(
        const std::vector<llama_token>& reversed, size_t maxLength
    ) {
        std::unordered_map<llama_token, size_t> longest;
        const auto lengths = commonPrefixLengths(reversed);
        for (size_t index = 1; index < reversed.size(); index++) {
            auto& known = longest[reversed[index - 1]];
            known = std::max(known, std::min(lengths[index], maxLength));
        }
        return longest;
    }

    // For each index, returns the length of the common prefix of the list and its suffix from there
    // (the Z-function).
    static std::vector<size_t> commonPrefixLengths(const std::vector<llama_token>& items) {
        std::vector<size_t> lengths(items.size(), 0);
        size_t start = 0;
        size_t end = 0;
        for (size_t index = 1; index < items.size(); index++) {
            size_t length = index < end ? std::min(lengths[index - start], end - index) : 0;
            while (index + length < items.size() && items[length] == items[index + length]) length++;
            lengths[index] = length;
            if (index + length > end) {
                start = index;
                end = index + length;
            }
        }
        return lengths;
    }
};

inline llama_sampler* makeDry(DryParams params) {
    static llama_sampler_i interface = [] {
        llama_sampler_i made = {};
        made.name = [](const llama_sampler*) { return "dry"; };
        made.accept = [](llama_sampler* sampler, llama_token token) { static_cast<Dry*>(sampler->ctx)->accept(token); };
        made.apply = [](llama_sampler* sampler, llama_token_data_array* candidates) {
            static_cast<Dry*>(sampler->ctx)->apply(*candidates);
        };
        made.reset = [](llama_sampler* sampler) { static_cast<Dry*>(sampler->ctx)->reset(); };
        made.clone = [](const llama_sampler* sampler) {
            return llama.llama_sampler_init(&interface, new Dry(*static_cast<const Dry*>(sampler->ctx)));
        };
        made.free = [](llama_sampler* sampler) { delete static_cast<Dry*>(sampler->ctx); };
        return made;
    }();
    return llama.llama_sampler_init(&interface, new Dry(std::move(params)));
}

}  // namespace ggufd
