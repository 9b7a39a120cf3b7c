// What a step is asked for, and what has come of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "llama_library.h"
#include "token_sampler.h"

namespace ggufd {

// Asked by llama.cpp while it computes on CPUs.
struct AbortFlags : std::enable_shared_from_this<AbortFlags> {
    // The batch that was asked for, and each further one, until this is false again.
    std::atomic<bool> asked{false};
    // What was begun without being asked for.
    std::atomic<bool> ahead{false};

    static bool isSet(void* data) {
        const auto* flags = static_cast<AbortFlags*>(data);
        return flags->asked.load(std::memory_order_relaxed) || flags->ahead.load(std::memory_order_relaxed);
    }
};

// Which log-probabilities of drawn tokens are wanted.
enum class Scoring : int32_t { none = 0, byModel = 1, afterSampling = 2 };

// How tokens are drawn from consecutive rows of logits.
struct DrawRequest {
    std::shared_ptr<TokenSampler> sampler;
    // Rows to draw from at most: one more for each proposed token that is drawn.
    uint32_t maxDraws = 0;
    // Tokens that belong to the text since the sampler was last asked.
    std::vector<llama_token> decided;
    // Tokens that take the place of the first drawn ones, in a text that is generated again.
    std::vector<llama_token> given;
    Scoring scoring = Scoring::none;
    uint32_t top = 0;
    // Of the first row, 32 tokens in a word; empty: any token may come.
    std::vector<uint32_t> mask;
    bool awaitsMask = false;
    // Whether the rows are going to be read, or drawn from, once more.
    bool keepsRows = false;
};

struct StepPart {
    int32_t sequence;
    llama_pos position;
    std::vector<llama_token> tokens;
    // Index of the first token whose logits are computed.
    uint32_t logitsFrom;
    DrawRequest draw;
    // Whether the token that is drawn here is followed by another one, as far as its length tells.
    bool mayFollow;

    bool hasSameTokens(const StepPart& other) const {
        return sequence == other.sequence && position == other.position && logitsFrom == other.logitsFrom &&
               tokens == other.tokens;
    }
};

struct Step {
    std::vector<StepPart> parts;
    int32_t threads = 0;
    // Whether the next step may be begun when this one is done: each part draws one token, nothing is left to decide
    // but by what is drawn, and no row of logits is going to be read again.
    bool mayGoOn = false;
};

struct PartOutcome {
    DrawStatus status = DrawStatus::drawn;
    std::vector<llama_token> drawn;
    // One for each drawn token, if they are wanted.
    std::vector<TokenScores> scores;
    // Whether the device has drawn it that has computed the logits.
    bool isOfDevice = false;
};

struct StepOutcome {
    // What llama_decode has answered.
    int32_t result = 0;
    std::string error;
    std::vector<PartOutcome> parts;
    // Whether it was begun before it was asked for.
    bool wasBegun = false;
};

// A context that its owner may close at any time: it takes the pointer away under the mutex before it frees it.
struct SharedContext {
    std::mutex& mutex;
    llama_context* const& context;
};

// The context for as long as this exists, or nullptr if it is closed.
class LockedContext {
public:
    explicit LockedContext(const SharedContext& shared) : lock(shared.mutex), context(shared.context) {}
    llama_context* get() const { return context; }

private:
    std::lock_guard<std::mutex> lock;
    llama_context* context;
};

}  // namespace ggufd
