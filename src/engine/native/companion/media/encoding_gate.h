// Encoding in pieces, each of which is let through.
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

// What an encoding may do beside the steps of a model: it computes a few milliseconds of its graph at a time, at least one
// node, and goes on when it is let, as long as the next piece is likely to end in time. llama.cpp asks for each node of a graph whether its value is wanted: what is computed at once ends there.
class EncodingGate {
public:
    using Paused = std::function<void()>;

    // Lets the encoding through until so many milliseconds have passed. `paused` is called once, on any thread: when it has
    // stopped behind that, or has ended.
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

    // Nobody wants what is being encoded.
    void giveUp() {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            if (isEncoding) isGivenUp = true;
        }
        changed.notify_all();
    }

    // An encoding is going to begin: from now on it can be let, and given up.
    void expect() {
        const std::lock_guard<std::mutex> lock(mutex);
        isEncoding = true;
        isGivenUp = false;
    }

    // The thread that encodes begins. Waits until it is let.
    // Returns whether it is still wanted.
    bool begin() {
        cost = 0;
        const bool goesOn = pass();
        pieceBegan = Clock::now();
        return goesOn;
    }

    // Returns whether all of it was computed.
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

    // ggml_backend_sched_eval_callback
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
    // Whether nothing has been computed since: one piece is, however long it takes.
    bool isJustOpened = false;
    bool isEncoding = false;
    bool isGivenUp = false;
    Paused onPaused;

    // Only of the thread that encodes: what has been asked for of the piece, in operations, and how many take a millisecond.
    double cost = 0;
    double costOfMs = 1e6;
    // How long the longest of the last pieces has taken, in milliseconds.
    double longestPieceMs = 0;
    Clock::time_point pieceBegan;

    static double costOf(const ggml_tensor* node) {
        const auto values = static_cast<double>(ggml_nelements(node));
        const bool isProduct = node->op == GGML_OP_MUL_MAT || node->op == GGML_OP_MUL_MAT_ID;
        if (isProduct) return 2 * values * static_cast<double>(node->src[0]->ne[0]);
        // A row of keys and one of values for each of the output's.
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
