// The known states of one sequence's text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "llama.h"

namespace ggufd {

// The hidden states of consecutive tokens of a text, as far as they are still needed. A *pair* is
// the state at a position and the token after it, from which a drafter predicts what follows that
// token.
class FollowedText {
public:
    explicit FollowedText(size_t width) : width(width) {}

    bool isEmpty() const { return tokens.empty(); }
    // Position of the first known state, and the position after the last one.
    llama_pos begin() const { return first; }
    llama_pos end() const { return first + static_cast<llama_pos>(tokens.size()); }
    // Pairs before this position are evaluated, or will never be.
    llama_pos evaluatedPairs() const { return evaluated; }
    // Number of pairs that can be evaluated.
    llama_pos pendingPairs() const { return std::max<llama_pos>(0, end() - 1 - evaluated); }

    const float* stateAt(llama_pos position) const {
        return states.data() + static_cast<size_t>(position - first) * width;
    }
    llama_token tokenAt(llama_pos position) const { return tokens[static_cast<size_t>(position - first)]; }

    // Forgets everything before a position.
    void restart(llama_pos position) {
        tokens.clear();
        states.clear();
        first = evaluated = position;
    }

    // Appends tokens from end() on with their states.
    void append(const llama_token* added, const float* rows, size_t count) {
        tokens.insert(tokens.end(), added, added + count);
        states.insert(states.end(), rows, rows + count * width);
    }

    // Forgets states that depend on tokens from `length` on. If the last remaining state is
    // unknown, zeros replace it, which only degrades one pair.
    void truncate(llama_pos length) {
        if (length >= end()) return;
        if (length == 0) return restart(0);
        if (length > first) {
            tokens.resize(static_cast<size_t>(length - first));
            states.resize(tokens.size() * width);
        } else {
            tokens.assign(1, unknownToken);
            states.assign(width, 0.0f);
            first = length - 1;
        }
        evaluated = std::min(evaluated, length - 1);
        evaluated = std::max(evaluated, first);
    }

    void noteEvaluated(llama_pos pairs) { evaluated = pairs; }

    // Drops states that only older texts would need.
    void keepLast(size_t count) {
        const auto surplus = static_cast<llama_pos>(tokens.size()) - static_cast<llama_pos>(count);
        const auto dropped = std::min(surplus, evaluated - first);
        if (dropped <= 0) return;
        tokens.erase(tokens.begin(), tokens.begin() + dropped);
        states.erase(states.begin(), states.begin() + static_cast<std::ptrdiff_t>(dropped) * static_cast<std::ptrdiff_t>(width));
        first += dropped;
    }

    // Returns the position of the first known token that differs from a text beginning at
    // `position`; end() if none does.
    llama_pos firstDifference(llama_pos position, const std::vector<llama_token>& text) const {
        for (llama_pos at = std::max(position, first); at < end(); at++) {
            const auto index = static_cast<size_t>(at - position);
            if (index >= text.size()) return at;
            const auto token = tokenAt(at);
            if (token != unknownToken && token != text[index]) return at;
        }
        return end();
    }

private:
    static constexpr llama_token unknownToken = -1;

    size_t width;
    llama_pos first = 0;
    llama_pos evaluated = 0;
    std::vector<llama_token> tokens;
    std::vector<float> states;
};

}  // namespace ggufd
