// Work on a separate thread, with a promise for its result.
#pragma once

#include <exception>
#include <string>
#include <thread>

#ifdef __linux__
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "napi.h"

namespace ggufd {

// Does not use Node's thread pool, because work may wait for long and would block other tasks of
// the pool. Must be allocated with `new`; deletes itself when the promise is settled.
class BackgroundWork {
public:
    // `behind`: yields to the steps of a model, which compute at the same time.
    enum class Priority { usual, behind };

    virtual ~BackgroundWork() = default;

    Napi::Promise begin(Napi::Env env, const char* name, Priority priority) {
        deferred = std::make_unique<Napi::Promise::Deferred>(env);
        const auto noFunction = Napi::Function::New(env, [](const Napi::CallbackInfo&) {});
        settled = Napi::ThreadSafeFunction::New(env, noFunction, name, 0, 1);
        const auto promise = deferred->Promise();
        std::thread([this, priority] { carryOut(priority); }).detach();
        return promise;
    }

protected:
    // Throws std::exception with the reason for failure.
    virtual void run() = 0;
    virtual Napi::Value result(Napi::Env env) = 0;

private:
    std::unique_ptr<Napi::Promise::Deferred> deferred;
    Napi::ThreadSafeFunction settled;
    std::string error;

    void carryOut(Priority priority) {
#ifdef __linux__
        pthread_setname_np(pthread_self(), "ggufd media");
        constexpr int niceness = 10;
        if (priority == Priority::behind) setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), niceness);
#endif
        try {
            run();
        } catch (const std::exception& thrown) {
            error = thrown.what();
            if (error.empty()) error = "it has failed";
        }
        auto function = settled;
        function.BlockingCall(this, [](Napi::Env env, Napi::Function, BackgroundWork* work) {
            const Napi::HandleScope scope(env);
            work->settle(env);
            delete work;
        });
        function.Release();
    }

    void settle(Napi::Env env) {
        if (!error.empty()) return deferred->Reject(Napi::Error::New(env, error).Value());
        try {
            deferred->Resolve(result(env));
        } catch (const Napi::Error& thrown) {
            deferred->Reject(thrown.Value());
        }
    }
};

}  // namespace ggufd
