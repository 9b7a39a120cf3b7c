// Draws the tokens of one generation from rows of logits, with llama.cpp's samplers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "llama_library.h"
#include "row_math.h"

namespace ggufd {

struct FreeSampler {
    void operator()(llama_sampler* sampler) const { llama.llama_sampler_free(sampler); }
};
using OwnedSampler = std::unique_ptr<llama_sampler, FreeSampler>;

// Tokens that are forbidden until a number of tokens has been accepted.
struct ForbiddenTokens {
    std::vector<llama_token> tokens;
    size_t until;
};

enum class DrawStatus : int32_t {
    drawn = 0,
    // The row of logits contains NaN or +∞.
    notFinite = 1,
    // No candidates are left.
    noToken = 2,
};

// Log-probabilities of the drawn token and of the most probable ones, in descending order.
struct TokenScores {
    float drawn = 0;
    std::vector<TokenLogit> top;
};

struct Draw {
    DrawStatus status;
    llama_token token;
};

// How the last stage of a chain selects one of the remaining candidates.
enum class Choice {
    // At random.
    drawn,
    // The most probable one.
    mostProbable,
    // The token with the largest logit, as there are no other stages.
    largestLogit,
};

class TokenSampler {
public:
    // Buffers for sampling; one for each thread that draws.
    struct Scratch {
        std::vector<llama_token_data> candidates;
        std::vector<float> row;
    };

    // onDevice: the kind of device chain that draws the same tokens, given the same state; nullopt
    // if there is none.
    TokenSampler(
        OwnedSampler chain, std::vector<llama_logit_bias> biases, std::vector<ForbiddenTokens> forbidden, Choice choice,
        std::optional<std::string> onDevice
    )
        : chain(std::move(chain)),
          biases(std::move(biases)),
          forbidden(std::move(forbidden)),
          choice(choice),
          onDevice(std::move(onDevice)) {}

    llama_sampler* stages() const { return chain.get(); }

    const std::optional<std::string>& deviceKind() const { return onDevice; }

    // Draws only from rows of logits from now on.
    void stayOnRows() { onDevice = std::nullopt; }

    // Records tokens that `stages` have accepted.
    void noteAccepted(size_t tokens) { accepted += tokens; }

    // Returns what is added to the logits of the next token: one bias per token, in ascending
    // order.
    std::vector<llama_logit_bias> allBiases(int32_t vocabulary) const {
        std::map<llama_token, float> sums;
        eachBias([&](llama_token token, float bias) {
            if (token >= 0 && token < vocabulary) sums[token] += bias;
        });
        std::vector<llama_logit_bias> all;
        for (const auto& [token, bias] : sums) all.push_back({token, bias});
        return all;
    }

    // Passes the text's next token to the samplers that look back.
    void accept(llama_token token) {
        llama.llama_sampler_accept(chain.get(), token);
        accepted++;
    }

    // Saves the state for `rewind`.
    void mark() {
        if (marked == nullptr) marked = OwnedSampler(llama.llama_sampler_clone(chain.get()));
        else llama.llama_sampler_copy(chain.get(), marked.get());
        markedAccepted = accepted;
    }

    // Restores the state of the last mark.
    void rewind() {
        std::swap(chain, marked);
        accepted = markedAccepted;
    }

    // Draws a token.
    // mask: one bit per allowed token; nullptr if all are allowed.
    // scores: receives the probabilities of `top` tokens after the samplers, unless nullptr.
    Draw draw(
        const float* logits, int32_t vocabulary, const uint32_t* mask, Scratch& scratch, TokenScores* scores, uint32_t top
    ) {
        if (!isFinite(logits, vocabulary)) return {DrawStatus::notFinite, 0};
        if (choice == Choice::largestLogit) {
            const auto found = largestOf(logits, vocabulary, mask, scratch);
            if (found.status == DrawStatus::drawn) certain(found.token, scores, top);
            return found;
        }
        auto candidates = candidatesOf(logits, vocabulary, mask, scratch, Biased::yes);
        // The request's biases forbid all allowed tokens, so they are ignored.
        if (mask != nullptr && isNothingLeft(candidates)) {
            candidates = candidatesOf(logits, vocabulary, mask, scratch, Biased::no);
        }
        if (isNothingLeft(candidates)) return {DrawStatus::noToken, 0};
        llama.llama_sampler_apply(chain.get(), &candidates);
        if (candidates.selected < 0 || static_cast<size_t>(candidates.selected) >= candidates.size) {
            return {DrawStatus::noToken, 0};
        }
        const llama_token token = candidates.data[candidates.selected].id;
        if (choice == Choice::mostProbable) certain(token, scores, top);
        else if (scores != nullptr) *scores = scoresOf(candidates, top);
        return {DrawStatus::drawn, token};
    }

private:
    enum class Biased { yes, no };

    OwnedSampler chain;
    OwnedSampler marked;
    std::vector<llama_logit_bias> biases;
    std::vector<ForbiddenTokens> forbidden;
    Choice choice;
    std::optional<std::string> onDevice;
    size_t accepted = 0;
    size_t markedAccepted = 0;

    bool isAnyForbidden() const {
        return std::any_of(forbidden.begin(), forbidden.end(), [&](const auto& one) { return accepted < one.until; });
    }

    // Calls `add` with each bias of the next token's logits.
    template <typename Add>
    void eachBias(Add add) const {
        for (const auto& [token, bias] : biases) add(token, bias);
        for (const auto& one : forbidden) {
            if (accepted >= one.until) continue;
            for (const auto token : one.tokens) add(token, -std::numeric_limits<float>::infinity());
        }
    }

    // Sets the scores of a token that was the only candidate.
    static void certain(llama_token token, TokenScores* scores, uint32_t top) {
        if (scores == nullptr) return;
        scores->drawn = 0;
        scores->top.clear();
        if (top > 0) scores->top.emplace_back(token, 0.0f);
    }

    // Finds the result of a list of candidates directly in the row, or in a copy of it.
    Draw largestOf(const float* logits, int32_t vocabulary, const uint32_t* mask, Scratch& scratch) const {
        if (mask == nullptr && biases.empty() && !isAnyForbidden()) return largestIn(logits, vocabulary);
        auto& row = scratch.row;
        const auto copy = [&](Biased biased) {
            row.assign(logits, logits + vocabulary);
            if (biased == Biased::yes) {
                eachBias([&](llama_token token, float bias) {
                    if (token >= 0 && token < vocabulary) row[token] += bias;
                });
            }
            if (mask != nullptr) forbidUnmasked(row, mask);
        };
        copy(Biased::yes);
        const auto found = largestIn(row.data(), vocabulary);
        if (mask == nullptr || found.status == DrawStatus::drawn) return found;
        copy(Biased::no);
        return largestIn(row.data(), vocabulary);
    }

    static Draw largestIn(const float* logits, int32_t vocabulary) {
        const llama_token token = indexOfLargest(logits, vocabulary);
        const bool isLeft = logits[token] > -std::numeric_limits<float>::infinity();
        return {isLeft ? DrawStatus::drawn : DrawStatus::noToken, token};
    }

    static void forbidUnmasked(std::vector<float>& row, const uint32_t* mask) {
        constexpr size_t bits = 32;
        for (size_t begin = 0; begin < row.size(); begin += bits) {
            const uint32_t allowed = mask[begin / bits];
            if (allowed == ~uint32_t{0}) continue;
            const size_t end = std::min(row.size(), begin + bits);
            for (size_t token = begin; token < end; token++) {
                if (((allowed >> (token - begin)) & 1u) == 0) row[token] = -std::numeric_limits<float>::infinity();
            }
        }
    }

    static bool isNothingLeft(const llama_token_data_array& candidates) {
        return std::none_of(candidates.data, candidates.data + candidates.size, [](const auto& one) {
            return one.logit > -std::numeric_limits<float>::infinity();
        });
    }

    llama_token_data_array candidatesOf(
        const float* logits, int32_t vocabulary, const uint32_t* mask, Scratch& scratch, Biased biased
    ) const {
        auto& list = scratch.candidates;
        list.resize(vocabulary);
        for (llama_token token = 0; token < vocabulary; token++) list[token] = {token, logits[token], 0.0f};
        if (biased == Biased::yes) {
            eachBias([&](llama_token token, float bias) {
                if (token >= 0 && token < vocabulary) list[token].logit += bias;
            });
        }
        if (mask != nullptr) {
            const auto isForbidden = [&](const llama_token_data& one) {
                return ((mask[one.id / 32] >> (one.id % 32)) & 1u) == 0;
            };
            list.erase(std::remove_if(list.begin(), list.end(), isForbidden), list.end());
        }
        return {list.data(), list.size(), -1, false};
    }

    static TokenScores scoresOf(const llama_token_data_array& candidates, uint32_t top) {
        std::vector<float> logits(candidates.size);
        for (size_t index = 0; index < candidates.size; index++) logits[index] = candidates.data[index].logit;
        const auto count = static_cast<int32_t>(logits.size());
        const double logSum = logSumExp(logits.data(), count);
        TokenScores scores;
        scores.drawn = static_cast<float>(candidates.data[candidates.selected].logit - logSum);
        for (const auto& [index, logit] : largest(logits.data(), count, std::min<uint32_t>(top, count))) {
            if (logit == -std::numeric_limits<float>::infinity()) break;
            scores.top.emplace_back(candidates.data[index].id, static_cast<float>(logit - logSum));
        }
        return scores;
    }
};

// Computes the model's own log-probabilities, before any sampler.
inline TokenScores modelScores(const float* logits, int32_t vocabulary, llama_token token, uint32_t top) {
    const double logSum = logSumExp(logits, vocabulary);
    TokenScores scores;
    scores.drawn = static_cast<float>(logits[token] - logSum);
    for (const auto& [id, logit] : largest(logits, vocabulary, std::min<uint32_t>(top, vocabulary))) {
        scores.top.emplace_back(id, static_cast<float>(logit - logSum));
    }
    return scores;
}

}  // namespace ggufd
