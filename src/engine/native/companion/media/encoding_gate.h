// Divides encoding into pieces, each of which must be permitted.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

#include "assertion_guard.h"
#include "ggml.h"

namespace ggufd {

// Controls an encoding that runs alongside a model's steps: it computes its graph in pieces of a
// few milliseconds, of at least one node, and continues when permitted, as long as the next piece
// is likely to end in time. llama.cpp asks for each node of a graph whether its value is needed;
// the answer yes ends the part of the graph that is computed at once.
class EncodingGate {
public:
    using Paused = std::function<void()>;

    // Permits encoding for a number of milliseconds. `paused` is called once, on any thread, when
    // the encoding has paused after that time, or has ended.
    void open(double milliseconds, Paused paused) {
        Paused former;
        {
            const std::lock_guard<std::mutex> lock(mutex);
            until = Clock::now() + std::chrono::microseconds(static_cast<int64_t>(milliseconds * 1000));
            pieceMs = std::clamp(pieceShare * milliseconds, minPieceMs, maxPieceMs);
            isJustOpened = true;
            former = std::exchange(onPaused, isEncoding ? std::move(paused) : nullptr);
            if (!isEncoding) former = std::move(paused);
        }
        changed.notify_all();
        if (former) former();
    }

    // Cancels the encoding.
    void giveUp() {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            if (isEncoding) isGivenUp = true;
        }
        changed.notify_all();
    }

    // Announces an encoding, which can be permitted and cancelled from now on.
    void expect() {
        const std::lock_guard<std::mutex> lock(mutex);
        isEncoding = true;
        isGivenUp = false;
    }

    // Called by the encoding thread when it begins. Waits for permission.
    // Returns whether the encoding is still wanted.
    bool begin() {
        cost = 0;
        const bool goesOn = pass();
        pieceBegan = Clock::now();
        return goesOn;
    }

    // Returns whether the encoding was computed completely.
    bool end() {
        Paused told;
        bool isWhole = false;
        {
            const std::lock_guard<std::mutex> lock(mutex);
            isEncoding = false;
            isWhole = !isGivenUp;
            told = std::exchange(onPaused, nullptr);
        }
        if (told) told();
        return isWhole;
    }

    // Callback of type ggml_backend_sched_eval_callback.
    static bool visit(ggml_tensor* node, bool isAsked, void* data) {
        AssertionGuard::end();
        auto& gate = *static_cast<EncodingGate*>(data);
        return isAsked ? gate.endsPieceAt(node) : gate.endPiece();
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr double forgetting = 0.95;
    static constexpr double pieceShare = 0.4;
    static constexpr double minPieceMs = 1;
    static constexpr double maxPieceMs = 8;

    std::mutex mutex;
    std::condition_variable changed;
    Clock::time_point until;
    std::atomic<double> pieceMs{maxPieceMs};
    // Whether nothing was computed since opening; one piece always is, however long it takes.
    bool isJustOpened = false;
    bool isEncoding = false;
    bool isGivenUp = false;
    Paused onPaused;

    // Cost of the current piece so far, in operations, and operations per millisecond; only used by
    // the encoding thread.
    double cost = 0;
    double costOfMs = 1e6;
    // Duration of the longest recent piece, in milliseconds.
    double longestPieceMs = 0;
    Clock::time_point pieceBegan;

    static double costOf(const ggml_tensor* node) {
        const auto values = static_cast<double>(ggml_nelements(node));
        const bool isProduct = node->op == GGML_OP_MUL_MAT || node->op == GGML_OP_MUL_MAT_ID;
        if (isProduct) return 2 * values * static_cast<double>(node->src[0]->ne[0]);
        // One row of keys and one of values for each row of the output.
        if (node->op == GGML_OP_FLASH_ATTN_EXT) return 4 * values * static_cast<double>(node->src[1]->ne[1]);
        return 4 * values;
    }

    bool endsPieceAt(const ggml_tensor* node) {
        cost += costOf(node);
        return cost >= pieceMs * costOfMs;
    }

    // Returns whether the rest is still wanted.
    bool endPiece() {
        const std::chrono::duration<double, std::milli> took = Clock::now() - pieceBegan;
        costOfMs = std::clamp(cost / std::max(took.count(), 0.1), 1e4, 1e10);
        longestPieceMs = std::max(took.count(), forgetting * longestPieceMs);
        cost = 0;
        const bool goesOn = pass();
        pieceBegan = Clock::now();
        return goesOn;
    }

    bool pass() {
        std::unique_lock<std::mutex> lock(mutex);
        const auto next = std::chrono::microseconds(static_cast<int64_t>(longestPieceMs * 1000));
        while (!isGivenUp && Clock::now() + (isJustOpened ? Clock::duration::zero() : next) >= until) {
            if (auto told = std::exchange(onPaused, nullptr)) {
                lock.unlock();
                told();
                lock.lock();
                continue;
            }
            changed.wait(lock);
        }
        isJustOpened = false;
        return !isGivenUp;
    }
};

}  // namespace ggufd
