// The input and outcome of a step.
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

// Abort flags, polled by llama.cpp while it computes on CPUs.
struct AbortFlags : std::enable_shared_from_this<AbortFlags> {
    // Aborts the requested batch, and each further one until reset.
    std::atomic<bool> asked{false};
    // Aborts a step that was started early.
    std::atomic<bool> ahead{false};

    static bool isSet(void* data) {
        const auto* flags = static_cast<AbortFlags*>(data);
        return flags->asked.load(std::memory_order_relaxed) || flags->ahead.load(std::memory_order_relaxed);
    }
};

// Kinds of log-probabilities of drawn tokens.
enum class Scoring : int32_t { none = 0, byModel = 1, afterSampling = 2 };

// How tokens are drawn from consecutive rows of logits.
struct DrawRequest {
    std::shared_ptr<TokenSampler> sampler;
    // Maximum number of rows to draw from; each drawn token that was proposed allows one more.
    uint32_t maxDraws = 0;
    // Tokens added to the text since the sampler's previous request.
    std::vector<llama_token> decided;
    // Tokens that replace the first drawn ones, in a text that is generated again.
    std::vector<llama_token> given;
    Scoring scoring = Scoring::none;
    uint32_t top = 0;
    // Allowed tokens of the first row, 32 per word; empty if all are allowed.
    std::vector<uint32_t> mask;
    bool awaitsMask = false;
    // Whether the rows will be read, or drawn from, again.
    bool keepsRows = false;
};

struct StepPart {
    int32_t sequence;
    llama_pos position;
    std::vector<llama_token> tokens;
    // Index of the first token whose logits are computed.
    uint32_t logitsFrom;
    DrawRequest draw;
    // Whether another token may follow the drawn one within the length limit.
    bool mayFollow;

    bool hasSameTokens(const StepPart& other) const {
        return sequence == other.sequence && position == other.position && logitsFrom == other.logitsFrom &&
               tokens == other.tokens;
    }
};

struct Step {
    std::vector<StepPart> parts;
    int32_t threads = 0;
    // Whether the next step may start when this one is done: each part draws one token, drawing
    // alone decides what follows, and no row of logits will be read again.
    bool mayGoOn = false;
};

struct PartOutcome {
    DrawStatus status = DrawStatus::drawn;
    std::vector<llama_token> drawn;
    // One per drawn token, if requested.
    std::vector<TokenScores> scores;
    // Whether the device that computed the logits drew the token.
    bool isOfDevice = false;
};

struct StepOutcome {
    // Result of llama_decode.
    int32_t result = 0;
    std::string error;
    std::vector<PartOutcome> parts;
    // Whether the step was started before it was requested.
    bool wasBegun = false;
};

// A context that its owner may close at any time, by resetting the pointer under the mutex before
// freeing it.
struct SharedContext {
    std::mutex& mutex;
    llama_context* const& context;
};

// The context while this lock exists, or nullptr if it is closed.
class LockedContext {
public:
    explicit LockedContext(const SharedContext& shared) : lock(shared.mutex), context(shared.context) {}
    llama_context* get() const { return context; }

private:
    std::lock_guard<std::mutex> lock;
    llama_context* context;
};

}  // namespace ggufd
