// Proposes tokens from the hidden states of another context: the common part of layers for
// multi-token prediction (MTP) and EAGLE-3 heads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "draft_batch.h"
#include "followed_text.h"
#include "hidden_states.h"
#include "llama_library.h"
#include "step.h"
#include "thread_pools.h"

namespace ggufd {

// The last tokens of a text, and the position of the first of them. The very last token is not
// evaluated yet.
struct TextEnd {
    int32_t sequence;
    llama_pos position;
    std::vector<llama_token> tokens;

    llama_pos lastPosition() const { return position + static_cast<llama_pos>(tokens.size()) - 1; }
};

struct Proposal {
    // The reason why drafting has failed permanently; empty if it has not.
    std::string error;
    // The draft of each text; empty if its last state is unknown.
    std::vector<std::vector<llama_token>> drafts;
};

// Follows the texts of a context on its step thread, with its own context that has the same
// sequences. It stores the states of the last tokens, and evaluates them when asked for proposals,
// or when many are pending. Missing states are tolerated; they only make proposals worse.
class Drafter {
public:
    // shared: the drafter's context; states: those of the followed context; outputRows: maximum
    // output rows of a batch.
    Drafter(SharedContext shared, HiddenStates states, size_t sequences, size_t outputRows)
        : outputRows(outputRows),
          shared(shared),
          states(std::move(states)),
          texts(sequences, FollowedText(this->states.width())) {}
    virtual ~Drafter() = default;
    Drafter(const Drafter&) = delete;
    Drafter& operator=(const Drafter&) = delete;

    // Takes the states of an evaluated batch of the followed context.
    void follow(llama_context* followed, const Step& step, ThreadPools& pools) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!failure.empty()) return;
        std::vector<BatchRows> parts;
        for (const auto& part : step.parts) {
            parts.push_back({part.sequence, static_cast<uint32_t>(part.tokens.size()), part.logitsFrom});
        }
        if (!states.read(followed, parts, rows)) return fail("llama.cpp has written no hidden states");
        const LockedContext locked(shared);
        if (locked.get() == nullptr) return;
        pools.use(locked.get(), step.threads);
        const float* row = rows.data();
        for (const auto& part : step.parts) {
            append(locked.get(), part, row);
            row += part.tokens.size() * states.width();
        }
        for (const auto& part : step.parts) {
            if (!isKnown(part.sequence)) continue;
            if (textOf(part.sequence).pendingPairs() > maxPendingPairs) evaluatePending(locked.get(), part.sequence);
        }
    }

    // Records that a sequence keeps only its first `length` tokens.
    void truncate(int32_t sequence, llama_pos length) {
        const std::lock_guard<std::mutex> lock(mutex);
        const LockedContext locked(shared);
        if (locked.get() != nullptr && isKnown(sequence)) cut(locked.get(), sequence, length);
    }

    void copy(int32_t from, int32_t to) {
        const std::lock_guard<std::mutex> lock(mutex);
        const LockedContext locked(shared);
        if (locked.get() == nullptr || from == to || !isKnown(from) || !isKnown(to)) return;
        auto* memory = llama.llama_get_memory(locked.get());
        llama.llama_memory_seq_rm(memory, to, -1, -1);
        llama.llama_memory_seq_cp(memory, from, to, -1, -1);
        textOf(to) = textOf(from);
    }

    // Forgets all texts, and overwrites their data.
    void clear() {
        const std::lock_guard<std::mutex> lock(mutex);
        const LockedContext locked(shared);
        if (locked.get() != nullptr) forgetAll(locked.get());
    }

    // Proposes up to `length` tokens for each text, all in lockstep. Sequences must be distinct.
    Proposal propose(const std::vector<TextEnd>& asked, uint32_t length, ThreadPools& pools, int32_t threads) {
        const std::lock_guard<std::mutex> lock(mutex);
        Proposal proposal;
        proposal.drafts.resize(asked.size());
        const LockedContext locked(shared);
        if (locked.get() == nullptr) fail("the context of drafts is closed");
        if (failure.empty()) {
            pools.use(locked.get(), threads);
            draft(locked.get(), asked, std::min<uint32_t>(length, maxLength()), proposal);
        }
        proposal.error = failure;
        return proposal;
    }

protected:
    static constexpr uint32_t anyLength = 64;

    const size_t outputRows;

    // Number of floats in a state.
    size_t stateWidth() const { return states.width(); }

    // Maximum number of tokens in a proposal.
    virtual uint32_t maxLength() const { return anyLength; }
    // Number of layers. With several, each proposes the token of one position; a single one
    // proposes all.
    virtual int32_t layers() const { return 1; }
    virtual void selectLayer(llama_context*, int32_t) const {}
    // The position of a pair in the context's memory.
    virtual llama_pos placeOf(llama_pos pair) const = 0;
    // Number of input floats that the context takes with each token.
    virtual size_t inputWidth() const = 0;
    // Converts states to the context's input. Returns llama.cpp's result; 0 on success.
    virtual int32_t prepare(llama_context* context, const float* states, size_t count, std::vector<float>& inputs) = 0;

private:
    // Limits the memory of pending pairs; evaluating them one by one would take a pass for each
    // step.
    static constexpr llama_pos maxPendingPairs = 64;
    // Maximum number of earlier pairs evaluated in the pass that proposes the first token; each has
    // logits.
    static constexpr llama_pos maxJoinedPairs = 4;
    // Number of states kept for truncation: longer than any draft.
    static constexpr size_t keptStates = 40;
    static constexpr int32_t noPlaceInCache = 1;

    // Consecutive pairs to evaluate for one text.
    struct Chain {
        size_t asked;
        int32_t sequence;
        llama_pos first;
        std::vector<llama_token> tokens;
        std::vector<float> inputs;
    };

    const SharedContext shared;
    const HiddenStates states;
    std::mutex mutex;
    std::vector<FollowedText> texts;
    std::string failure;

    std::vector<float> rows;
    DraftBatch batch;

    bool isKnown(int32_t sequence) const { return sequence >= 0 && static_cast<size_t>(sequence) < texts.size(); }
    FollowedText& textOf(int32_t sequence) { return texts[static_cast<size_t>(sequence)]; }

    void fail(const std::string& reason) {
        if (failure.empty()) failure = reason;
    }

    void forgetAll(llama_context* context) {
        llama.llama_memory_clear(llama.llama_get_memory(context), true);
        for (auto& text : texts) text.restart(0);
    }

    // If the cache has no free cells, frees all of them. Any other error would recur, so drafting
    // ends.
    void noteFailed(llama_context* context, int32_t result) {
        forgetAll(context);
        if (result != noPlaceInCache) fail("llama.cpp has answered " + std::to_string(result) + " to a batch of drafts");
    }

    void removePairs(llama_context* context, int32_t sequence, llama_pos from) {
        llama.llama_memory_seq_rm(llama.llama_get_memory(context), sequence, placeOf(from), -1);
    }

    void cut(llama_context* context, int32_t sequence, llama_pos length) {
        auto& text = textOf(sequence);
        const auto evaluated = text.evaluatedPairs();
        text.truncate(length);
        if (length == 0) llama.llama_memory_seq_rm(llama.llama_get_memory(context), sequence, -1, -1);
        else if (text.evaluatedPairs() < evaluated) removePairs(context, sequence, text.evaluatedPairs());
    }

    void append(llama_context* context, const StepPart& part, const float* added) {
        if (!isKnown(part.sequence)) return;
        auto& text = textOf(part.sequence);
        const bool isGap = text.isEmpty() || part.position > text.end();
        if (isGap) {
            cut(context, part.sequence, 0);
            text.restart(part.position);
        } else {
            cut(context, part.sequence, part.position);
        }
        text.append(part.tokens.data(), added, part.tokens.size());
    }

    // Evaluates all pending pairs of a text.
    bool evaluatePending(llama_context* context, int32_t sequence) {
        auto& text = textOf(sequence);
        const auto first = text.evaluatedPairs();
        const auto end = text.end() - 1;
        if (first >= end) return true;
        Chain chain{0, sequence, first, {}, {}};
        for (auto pair = first; pair < end; pair++) chain.tokens.push_back(text.tokenAt(pair + 1));
        int32_t result = prepare(context, text.stateAt(first), chain.tokens.size(), chain.inputs);
        const size_t batchTokens = llama.llama_n_batch(context);
        for (size_t begin = 0; begin < chain.tokens.size() && result == 0; begin += batchTokens) {
            const auto count = std::min(batchTokens, chain.tokens.size() - begin);
            for (int32_t layer = 0; layer < layers() && result == 0; layer++) {
                if (layers() > 1) removePairs(context, sequence, first + static_cast<llama_pos>(begin));
                batch.clear();
                addToBatch(chain, begin, begin + count);
                selectLayer(context, layer);
                result = batch.decode(context, DraftBatch::Outputs::none);
            }
        }
        if (result != 0) {
            noteFailed(context, result);
            return false;
        }
        text.noteEvaluated(end);
        text.keepLast(keptStates);
        return true;
    }

    void draft(llama_context* context, const std::vector<TextEnd>& asked, uint32_t length, Proposal& proposal) {
        std::vector<Chain> chains;
        for (size_t index = 0; index < asked.size(); index++) {
            const auto& end = asked[index];
            if (end.tokens.empty() || !isKnown(end.sequence) || !agrees(context, end)) continue;
            // Several layers would evaluate joined pairs repeatedly, so all pending pairs are
            // evaluated beforehand.
            const auto joined = layers() > 1 ? 0 : maxJoinedPairs;
            if (textOf(end.sequence).pendingPairs() > joined && !evaluatePending(context, end.sequence)) return;
            chains.push_back({index, end.sequence, 0, {}, {}});
        }
        if (!beginChains(context, asked, chains)) return;
        int32_t result = 0;
        for (uint32_t step = 0; step < length && !chains.empty(); step++) {
            if (!hasRoom(context, chains, step)) break;
            result = evaluateStep(context, chains, step);
            if (result != 0) break;
            takeTokens(context, chains, step, proposal);
        }
        if (result != 0) return noteFailed(context, result);
        for (const auto& chain : chains) {
            auto& text = textOf(chain.sequence);
            removePairs(context, chain.sequence, text.end() - 1);
            text.noteEvaluated(text.end() - 1);
            text.keepLast(keptStates);
        }
    }

    // Forgets states that belong to a different text. Returns whether the state of the token before
    // the last one is known.
    bool agrees(llama_context* context, const TextEnd& end) {
        auto& text = textOf(end.sequence);
        const auto last = end.lastPosition();
        cut(context, end.sequence, std::min(last, text.firstDifference(end.position, end.tokens)));
        return !text.isEmpty() && text.end() == last && text.begin() < last;
    }

    // Takes equally many pairs of each text, where known, because llama.cpp evaluates equal numbers
    // in one pass.
    bool beginChains(llama_context* context, const std::vector<TextEnd>& asked, std::vector<Chain>& chains) {
        llama_pos pairs = 1;
        for (const auto& chain : chains) pairs = std::max(pairs, textOf(chain.sequence).pendingPairs() + 1);
        if (static_cast<size_t>(pairs) * chains.size() > roomOf(context)) {
            for (const auto& chain : chains) {
                if (!evaluatePending(context, chain.sequence)) return false;
            }
            pairs = 1;
        }
        for (auto& chain : chains) {
            auto& text = textOf(chain.sequence);
            chain.first = std::max(text.begin(), text.end() - pairs);
            for (auto at = chain.first + 1; at < text.end(); at++) chain.tokens.push_back(text.tokenAt(at));
            chain.tokens.push_back(asked[chain.asked].tokens.back());
            if (chain.first < text.evaluatedPairs()) {
                removePairs(context, chain.sequence, chain.first);
                text.noteEvaluated(chain.first);
            }
            const int32_t result = prepare(context, text.stateAt(chain.first), chain.tokens.size(), chain.inputs);
            if (result != 0) {
                noteFailed(context, result);
                return false;
            }
        }
        return true;
    }

    // Several layers evaluate the whole chain again in each step.
    size_t beginOfStep(const Chain& chain, uint32_t step) const {
        return step == 0 || layers() > 1 ? 0 : chain.tokens.size() - 1;
    }

    size_t roomOf(llama_context* context) const { return std::min<size_t>(outputRows, llama.llama_n_batch(context)); }

    bool hasRoom(llama_context* context, const std::vector<Chain>& chains, uint32_t step) const {
        size_t count = 0;
        for (const auto& chain : chains) count += chain.tokens.size() - beginOfStep(chain, step);
        return count <= roomOf(context);
    }

    int32_t evaluateStep(llama_context* context, const std::vector<Chain>& chains, uint32_t step) {
        batch.clear();
        for (const auto& chain : chains) {
            if (layers() > 1) removePairs(context, chain.sequence, chain.first);
            addToBatch(chain, beginOfStep(chain, step), chain.tokens.size());
        }
        selectLayer(context, layers() > 1 ? static_cast<int32_t>(step) : 0);
        return batch.decode(context, DraftBatch::Outputs::all);
    }

    // Adds the pairs of a chain from one index up to, but excluding, another.
    void addToBatch(const Chain& chain, size_t begin, size_t end) {
        for (size_t index = begin; index < end; index++) {
            const auto place = placeOf(chain.first + static_cast<llama_pos>(index));
            batch.add(chain.sequence, place, chain.tokens[index], chain.inputs.data() + index * inputWidth(), inputWidth());
        }
    }

    // Takes the most probable token of each chain, which forms the next pair with its state.
    void takeTokens(llama_context* context, std::vector<Chain>& chains, uint32_t step, Proposal& proposal) {
        const auto* vocab = llama.llama_model_get_vocab(llama.llama_get_model(context));
        const int32_t vocabulary = llama.llama_vocab_n_tokens(vocab);
        int32_t row = -1;
        for (auto& chain : chains) {
            row += static_cast<int32_t>(chain.tokens.size() - beginOfStep(chain, step));
            const float* logits = llama.llama_get_logits_ith(context, row);
            const float* state = hiddenStates.stateOfOutput(context, row);
            if (logits == nullptr || state == nullptr) {
                fail("llama.cpp has written no logits or states of drafts");
                continue;
            }
            const auto token = static_cast<llama_token>(std::max_element(logits, logits + vocabulary) - logits);
            proposal.drafts[chain.asked].push_back(token);
            chain.tokens.push_back(token);
            chain.inputs.insert(chain.inputs.end(), state, state + inputWidth());
        }
    }
};

}  // namespace ggufd
