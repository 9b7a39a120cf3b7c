// Draws from several rows in parallel.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "token_sampler.h"

namespace ggufd {

// Draws from rows in parallel if there are enough of them to make waking threads worthwhile.
class DrawingThreads {
public:
    explicit DrawingThreads(size_t count) : scratches(std::max<size_t>(count, 1)) {
        for (size_t index = 1; index < scratches.size(); index++) {
            threads.emplace_back([this, index] { work(index); });
        }
    }

    ~DrawingThreads() {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            isClosing = true;
        }
        changed.notify_all();
        for (auto& thread : threads) thread.join();
    }

    // Calls `draw(index, scratch)` for each index below `count`.
    void each(size_t count, bool sideBySide, const std::function<void(size_t, TokenSampler::Scratch&)>& draw) {
        if (!sideBySide || threads.empty() || count < 2) {
            for (size_t index = 0; index < count; index++) draw(index, scratches[0]);
            return;
        }
        {
            const std::lock_guard<std::mutex> lock(mutex);
            task = &draw;
            taskCount = count;
            next = 0;
            busy = threads.size();
            round++;
        }
        changed.notify_all();
        take(scratches[0], draw);
        std::unique_lock<std::mutex> lock(mutex);
        done.wait(lock, [&] { return busy == 0; });
        task = nullptr;
    }

private:
    using Task = std::function<void(size_t, TokenSampler::Scratch&)>;
    std::vector<TokenSampler::Scratch> scratches;
    std::vector<std::thread> threads;
    std::mutex mutex;
    std::condition_variable changed;
    std::condition_variable done;
    const Task* task = nullptr;
    size_t taskCount = 0;
    std::atomic<size_t> next{0};
    size_t busy = 0;
    uint64_t round = 0;
    bool isClosing = false;

    void take(TokenSampler::Scratch& scratch, const Task& draw) {
        for (size_t index = next++; index < taskCount; index = next++) draw(index, scratch);
    }

    void work(size_t self) {
        uint64_t seen = 0;
        std::unique_lock<std::mutex> lock(mutex);
        while (true) {
            changed.wait(lock, [&] { return isClosing || round != seen; });
            if (isClosing) return;
            seen = round;
            const auto& draw = *task;
            lock.unlock();
            take(scratches[self], draw);
            lock.lock();
            if (--busy == 0) done.notify_one();
        }
    }
};

}  // namespace ggufd
