// Work on a thread of its own, with a promise for what comes of it.
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

// Not a thread of Node's pool: work may wait for its turn for long, and others must not wait behind it. To be made with
// `new`; it deletes itself when the promise is settled.
class BackgroundWork {
public:
    // `behind`: the steps of a model, which compute at the same time, go first.
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
    // Throws std::exception with the reason why nothing comes of it.
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
