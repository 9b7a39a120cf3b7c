// Converts failed assertions of llama.cpp into exceptions, for work on a single thread.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>

#include "ggml.h"

namespace ggufd {

// While a guard exists, a failed assertion on its thread throws std::runtime_error instead of
// ending the process. Only for work without other llama.cpp threads: dividing media, and building
// the graph of an encoding.
class AssertionGuard {
public:
    AssertionGuard() { isGuarded = true; }
    ~AssertionGuard() { isGuarded = false; }
    AssertionGuard(const AssertionGuard&) = delete;
    AssertionGuard& operator=(const AssertionGuard&) = delete;

    // Ends this thread's guard early, if there is one.
    static void end() { isGuarded = false; }

    // Must be called once, before the first guard is created.
    static void install() { former = ggml_set_abort_callback(onAbort); }

private:
    static inline thread_local bool isGuarded = false;
    static inline ggml_abort_callback_t former = nullptr;

    static void onAbort(const char* message) {
        if (isGuarded) {
            isGuarded = false;
            throw std::runtime_error("expected media that the model can be given, got a file that fails a check of llama.cpp" + placeOf(message));
        }
        if (former != nullptr) return former(message);
        std::fprintf(stderr, "%s\n", message);
    }

    // Returns the message without the folders of the machine on which llama.cpp was compiled.
    static std::string placeOf(const std::string& message) {
        const auto folder = message.rfind('/', message.find(':'));
        return " (" + (folder == std::string::npos ? message : message.substr(folder + 1)) + ")";
    }
};

}  // namespace ggufd
