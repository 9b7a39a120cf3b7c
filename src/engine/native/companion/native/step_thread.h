// Evaluates batches and draws their tokens on its own thread, and continues by itself while no
// decision is needed.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#ifdef __linux__
#include <pthread.h>
#endif

#include "cache_pages.h"
#include "device_samplers.h"
#include "drafter.h"
#include "drawing_threads.h"
#include "embedding_batch.h"
#include "llama_library.h"
#include "step.h"
#include "thread_pools.h"
#include "token_sampler.h"

namespace ggufd {

// The thread of one context. Jobs run in order; their callbacks are called on the thread.
class StepThread {
public:
    using StepDone = std::function<void(StepOutcome)>;
    using DrawDone = std::function<void(PartOutcome)>;
    using ProposeDone = std::function<void(Proposal)>;
    using EmbeddingsDone = std::function<void(EmbeddingOutcome)>;
    // flags: nullptr if a batch cannot be aborted.
    // canGoBack: whether the tokens of the last batch can be taken back.
    // drafter: follows the context; nullptr if there is none.
    StepThread(
        SharedContext shared, std::shared_ptr<ThreadPools> pools, std::shared_ptr<AbortFlags> flags, bool canGoBack,
        size_t drawingThreads, DeviceSamplers devices, std::shared_ptr<Drafter> drafter, CachePages pages
    )
        : shared(shared),
          pools(std::move(pools)),
          flags(std::move(flags)),
          canGoBack(canGoBack),
          drafter(std::move(drafter)),
          drawing(drawingThreads),
          devices(std::move(devices)),
          pages(std::move(pages)),
          thread([this] { run(); }) {}

    ~StepThread() {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            isClosing = true;
            if (flags != nullptr) flags->ahead = true;
        }
        changed.notify_all();
        thread.join();
    }

    // Evaluates a batch and draws from it. A step started early is continued if it matches this
    // one, and taken back otherwise.
    void step(Step step, StepDone done) {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            isHeld = false;
            masks.assign(step.parts.size(), {});
            if (ahead != nullptr && !isSame(ahead->step, step)) abandonAhead();
            jobs.push_back([this, step = std::move(step), done = std::move(done)]() mutable {
                carryOut(std::move(step), done);
            });
        }
        changed.notify_all();
    }

    // Sets the mask that a part of the current batch waits for; with an empty one, nothing is drawn
    // for the part.
    void mask(size_t part, std::vector<uint32_t> words) {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            if (part >= masks.size()) return;
            masks[part] = {true, std::move(words)};
        }
        changed.notify_all();
    }

    // Draws from rows of the last batch.
    void draw(int32_t row, DrawRequest request, DrawDone done) {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            jobs.push_back([this, row, request = std::move(request), done = std::move(done)]() mutable {
                PartOutcome outcome;
                const LockedContext locked(shared);
                if (locked.get() == nullptr) outcome.status = DrawStatus::noToken;
                else drawRows(locked.get(), row, {}, request, scratch, outcome);
                done(std::move(outcome));
            });
        }
        changed.notify_all();
    }

    // Proposes tokens; requires a drafter. Takes back a step started early.
    void propose(std::vector<TextEnd> texts, uint32_t length, int32_t threads, ProposeDone done) {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            isHeld = true;
            if (ahead != nullptr) abandonAhead();
            jobs.push_back([this, texts = std::move(texts), length, threads, done = std::move(done)] {
                done(drafter->propose(texts, length, *pools, threads));
            });
        }
        changed.notify_all();
    }

    // Evaluates cells without tokens. Takes back a step started early.
    void evaluateCells(EmbeddingBatch embeddings, EmbeddingsDone done) {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            isHeld = true;
            if (ahead != nullptr) abandonAhead();
            jobs.push_back([this, embeddings = std::move(embeddings), done = std::move(done)]() mutable {
                following = nullptr;
                done(evaluateEmbeddings(shared, embeddings, *pools));
            });
        }
        changed.notify_all();
    }

    // Makes compute threads stop spinning until the next step.
    void rest() {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            jobs.push_back([this] { pools->rest(); });
        }
        changed.notify_all();
    }

    // Prevents early starts until the next step.
    void hold() {
        const std::lock_guard<std::mutex> lock(mutex);
        isHeld = true;
    }

    // Takes back a step started early and waits until that is done, after which the context may be
    // changed.
    void retract() {
        std::unique_lock<std::mutex> lock(mutex);
        isHeld = true;
        if (ahead != nullptr) abandonAhead();
        changed.notify_all();
        settled.wait(lock, [&] { return ahead == nullptr && !isTakingBack; });
    }

    // Detaches this object from the context, so that the context can be used without it.
    void leave() {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            jobs.push_back([this] {
                const LockedContext locked(shared);
                if (locked.get() != nullptr) devices.detachAll(locked.get());
            });
        }
        changed.notify_all();
    }

private:
    struct Ahead {
        Step step;
        StepOutcome outcome;
        bool isAbandoned = false;
    };

    struct Mask {
        bool isKnown = false;
        std::vector<uint32_t> words;
    };

    const SharedContext shared;
    const std::shared_ptr<ThreadPools> pools;
    const std::shared_ptr<AbortFlags> flags;
    const bool canGoBack;
    const std::shared_ptr<Drafter> drafter;
    DrawingThreads drawing;
    // Only used by this thread.
    DeviceSamplers devices;
    CachePages pages;

    std::mutex mutex;
    std::condition_variable changed;
    std::condition_variable settled;
    std::deque<std::function<void()>> jobs;
    std::vector<Mask> masks;
    bool isHeld = true;
    bool isClosing = false;
    // The step that may be started next; only used by this thread.
    std::unique_ptr<Step> following;
    // The step that was started early.
    std::unique_ptr<Ahead> ahead;
    // Whether the thread is removing the tokens of an abandoned step from the context.
    bool isTakingBack = false;

    // For single draws; only used by this thread.
    TokenSampler::Scratch scratch;
    // For llama_decode; only used by this thread.
    std::vector<llama_token> tokens;
    std::vector<llama_pos> positions;
    std::vector<int32_t> sequenceCounts;
    std::vector<llama_seq_id> sequences;
    std::vector<llama_seq_id*> sequencePointers;
    std::vector<int8_t> wantsLogits;

    std::thread thread;

    void run() {
#ifdef __linux__
        // Compute threads started by this one inherit the name.
        pthread_setname_np(pthread_self(), "ggufd step");
#endif
        std::unique_lock<std::mutex> lock(mutex);
        while (true) {
            if (ahead != nullptr && ahead->isAbandoned) takeBack(lock);
            if (!jobs.empty()) {
                auto job = std::move(jobs.front());
                jobs.pop_front();
                lock.unlock();
                job();
                lock.lock();
            } else if (isClosing) {
                return;
            } else if (following != nullptr && ahead == nullptr && !isHeld) {
                goOn(lock);
            } else {
                changed.wait(lock);
            }
        }
    }

    static bool isSame(const Step& expected, const Step& asked) {
        if (expected.parts.size() != asked.parts.size() || expected.threads != asked.threads) return false;
        for (size_t index = 0; index < asked.parts.size(); index++) {
            const auto& one = expected.parts[index];
            const auto& other = asked.parts[index];
            const auto& draw = other.draw;
            const bool isSame = one.hasSameTokens(other) && one.draw.sampler == draw.sampler && draw.maxDraws == 1 &&
                                one.draw.scoring == draw.scoring && one.draw.top == draw.top && draw.given.empty() &&
                                draw.mask.empty() && !draw.awaitsMask && one.draw.keepsRows == draw.keepsRows &&
                                one.draw.decided == draw.decided;
            if (!isSame) return false;
        }
        return true;
    }

    void abandonAhead() {
        ahead->isAbandoned = true;
        if (flags != nullptr) flags->ahead = true;
    }

    // Starts the step that follows the last one.
    void goOn(std::unique_lock<std::mutex>& lock) {
        ahead = std::make_unique<Ahead>();
        ahead->step = std::move(*following);
        following = nullptr;
        // Only this thread changes the object; other threads can only mark it as abandoned.
        Ahead& begun = *ahead;
        lock.unlock();
        for (const auto& part : begun.step.parts) part.draw.sampler->mark();
        auto outcome = evaluate(begun.step);
        lock.lock();
        begun.outcome = std::move(outcome);
        // A late abort of the previous step may hit this one.
        if (begun.outcome.result != 0) abandonAhead();
    }

    void takeBack(std::unique_lock<std::mutex>& lock) {
        auto abandoned = std::move(ahead);
        isTakingBack = true;
        lock.unlock();
        {
            const LockedContext locked(shared);
            for (const auto& part : abandoned->step.parts) {
                part.draw.sampler->rewind();
                if (drafter != nullptr) drafter->truncate(part.sequence, part.position);
                if (locked.get() == nullptr) continue;
                llama.llama_memory_seq_rm(llama.llama_get_memory(locked.get()), part.sequence, part.position, -1);
            }
        }
        lock.lock();
        isTakingBack = false;
        if (flags != nullptr) flags->ahead = false;
        settled.notify_all();
    }

    void carryOut(Step step, const StepDone& done) {
        std::unique_ptr<Ahead> begun;
        {
            const std::lock_guard<std::mutex> lock(mutex);
            begun = std::move(ahead);
            settled.notify_all();
        }
        following = nullptr;
        auto outcome = begun != nullptr ? std::move(begun->outcome) : evaluate(step);
        outcome.wasBegun = begun != nullptr;
        if (canGoBack && step.mayGoOn && outcome.result == 0) following = stepBehind(step, outcome);
        done(std::move(outcome));
    }

    // Builds the step that continues the same generations with their drawn tokens; nullptr if one
    // of them has ended.
    std::unique_ptr<Step> stepBehind(const Step& step, const StepOutcome& outcome) const {
        auto next = std::make_unique<Step>();
        next->threads = step.threads;
        const LockedContext locked(shared);
        if (locked.get() == nullptr) return nullptr;
        const auto* vocab = llama.llama_model_get_vocab(llama.llama_get_model(locked.get()));
        for (size_t index = 0; index < step.parts.size(); index++) {
            const auto& part = step.parts[index];
            const auto& drawn = outcome.parts[index].drawn;
            const bool goesOn = part.mayFollow && outcome.parts[index].status == DrawStatus::drawn && drawn.size() == 1 &&
                                !llama.llama_vocab_is_eog(vocab, drawn.front());
            if (!goesOn) return nullptr;
            StepPart following{part.sequence, part.position + static_cast<llama_pos>(part.tokens.size()), drawn, 0, {}, true};
            following.draw.sampler = part.draw.sampler;
            following.draw.maxDraws = 1;
            following.draw.decided = drawn;
            following.draw.scoring = part.draw.scoring;
            following.draw.top = part.draw.top;
            next->parts.push_back(std::move(following));
        }
        return next;
    }

    StepOutcome evaluate(const Step& step) {
        StepOutcome outcome;
        outcome.parts.resize(step.parts.size());
        const LockedContext locked(shared);
        if (locked.get() == nullptr) {
            outcome.error = "the context is closed or has not been opened";
            outcome.result = -1;
            return outcome;
        }
        devices.begin(locked.get(), step);
        outcome.result = decode(locked.get(), step, outcome.error);
        // Exceptions are thrown before anything is evaluated, if the graph has no room for the
        // samplers.
        if (!outcome.error.empty() && devices.isChanged()) {
            devices.detachAll(locked.get());
            outcome.error.clear();
            outcome.result = decode(locked.get(), step, outcome.error);
        }
        if (outcome.result != 0) return outcome;
        drawAll(locked.get(), step, outcome);
        if (drafter != nullptr) drafter->follow(locked.get(), step, *pools);
        return outcome;
    }

    int32_t decode(llama_context* context, const Step& step, std::string& error) {
        tokens.clear();
        positions.clear();
        sequences.clear();
        wantsLogits.clear();
        for (const auto& part : step.parts) {
            for (size_t index = 0; index < part.tokens.size(); index++) {
                tokens.push_back(part.tokens[index]);
                positions.push_back(part.position + static_cast<llama_pos>(index));
                sequences.push_back(part.sequence);
                wantsLogits.push_back(index >= part.logitsFrom);
            }
            pages.commit(part.sequence, static_cast<size_t>(part.position) + part.tokens.size());
        }
        sequenceCounts.assign(tokens.size(), 1);
        sequencePointers.resize(tokens.size());
        for (size_t index = 0; index < tokens.size(); index++) sequencePointers[index] = &sequences[index];
        llama_batch batch = {};
        batch.n_tokens = static_cast<int32_t>(tokens.size());
        batch.token = tokens.data();
        batch.pos = positions.data();
        batch.n_seq_id = sequenceCounts.data();
        batch.seq_id = sequencePointers.data();
        batch.logits = wantsLogits.data();
        pools->use(context, step.threads);
        try {
            const int32_t result = llama.llama_decode(context, batch);
            if (result == 0) llama.llama_synchronize(context);
            return result;
        } catch (const std::exception& thrown) {
            error = thrown.what();
            return -1;
        }
    }

    // Logits drawn on one thread; for fewer, waking other threads would take as long.
    static constexpr size_t logitsOfOneThread = 1 << 18;

    void drawAll(llama_context* context, const Step& step, StepOutcome& outcome) {
        std::vector<int32_t> firstRows;
        int32_t batchIndex = 0;
        size_t rows = 0;
        for (const auto& part : step.parts) {
            firstRows.push_back(batchIndex + static_cast<int32_t>(part.logitsFrom));
            batchIndex += static_cast<int32_t>(part.tokens.size());
            rows += part.draw.maxDraws;
        }
        for (size_t index = 0; index < step.parts.size(); index++) {
            if (!devices.draws(index)) continue;
            outcome.parts[index] = devices.drawn(context, index, firstRows[index], step.parts[index].draw);
            rows--;
        }
        if (rows == 0) return;
        const int32_t vocabulary = vocabularyOf(context);
        // The first read sorts the rows, which must not happen on several threads at once.
        for (size_t index = 0; index < step.parts.size(); index++) {
            if (step.parts[index].draw.maxDraws == 0 || devices.draws(index)) continue;
            llama.llama_get_logits_ith(context, firstRows[index]);
            break;
        }
        const bool sideBySide = rows * static_cast<size_t>(vocabulary) > logitsOfOneThread;
        drawing.each(step.parts.size(), sideBySide, [&](size_t index, TokenSampler::Scratch& scratch) {
            const auto& part = step.parts[index];
            if (part.draw.maxDraws == 0 || devices.draws(index)) return;
            const auto proposed = part.tokens.data() + part.logitsFrom + 1;
            const std::vector<llama_token> proposal(proposed, part.tokens.data() + part.tokens.size());
            if (part.draw.awaitsMask) {
                DrawRequest masked = part.draw;
                if (!awaitMask(index, masked.mask)) return;
                drawRows(context, firstRows[index], proposal, masked, scratch, outcome.parts[index]);
            } else {
                drawRows(context, firstRows[index], proposal, part.draw, scratch, outcome.parts[index]);
            }
        });
    }

    bool awaitMask(size_t part, std::vector<uint32_t>& words) {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return isClosing || part >= masks.size() || masks[part].isKnown; });
        if (isClosing || part >= masks.size() || masks[part].words.empty()) return false;
        words = std::move(masks[part].words);
        return true;
    }

    static int32_t vocabularyOf(llama_context* context) {
        return llama.llama_vocab_n_tokens(llama.llama_model_get_vocab(llama.llama_get_model(context)));
    }

    // Draws from a row, and from the next ones while the drawn tokens match the proposed ones.
    static void drawRows(
        llama_context* context, int32_t firstRow, const std::vector<llama_token>& proposed, const DrawRequest& request,
        TokenSampler::Scratch& scratch, PartOutcome& outcome
    ) {
        auto& sampler = *request.sampler;
        const int32_t vocabulary = vocabularyOf(context);
        for (const auto token : request.decided) sampler.accept(token);
        for (uint32_t index = 0; index < request.maxDraws; index++) {
            const float* logits = llama.llama_get_logits_ith(context, firstRow + static_cast<int32_t>(index));
            if (logits == nullptr) {
                outcome.status = DrawStatus::noToken;
                return;
            }
            const uint32_t* mask = index == 0 && !request.mask.empty() ? request.mask.data() : nullptr;
            TokenScores scores;
            const bool isScoredAfter = request.scoring == Scoring::afterSampling;
            const auto draw =
                sampler.draw(logits, vocabulary, mask, scratch, isScoredAfter ? &scores : nullptr, request.top);
            outcome.status = draw.status;
            if (draw.status != DrawStatus::drawn) return;
            const llama_token token = index < request.given.size() ? request.given[index] : draw.token;
            if (request.scoring == Scoring::byModel) scores = modelScores(logits, vocabulary, token, request.top);
            outcome.drawn.push_back(token);
            if (request.scoring != Scoring::none) outcome.scores.push_back(std::move(scores));
            const bool isProposed = index < proposed.size() && proposed[index] == token;
            if (!isProposed || index + 1 == request.maxDraws) return;
            sampler.accept(token);
        }
    }
};

}  // namespace ggufd
