// The devices of other machines, by llama.cpp's RPC: connects an engine to workers, and serves an
// engine's connection in a worker.

#include "llama_rpc.h"

#include <fcntl.h>
#include <pthread.h>

#include "../media/background_work.h"
#include "arguments.h"
#include "napi.h"

namespace ggufd {

// An idle connection is probed after this time, and closed after some unanswered probes.
constexpr int IDLE_SECONDS = 30;
constexpr int PROBE_SECONDS = 10;
constexpr int PROBES = 3;
// Longest time for sent data to be acknowledged.
constexpr int ACKNOWLEDGEMENT_SECONDS = 60;
// Longest time that an engine waits for one answer. A worker may hang while a model is being loaded,
// which no watchdog observes.
constexpr int ANSWER_SECONDS = 300;

template <typename Value>
void setOption(int socket, int level, int name, const Value& value) {
    if (setsockopt(socket, level, name, &value, sizeof(value)) != 0) {
        throw std::runtime_error(std::string("a socket option cannot be set: ") + std::strerror(errno));
    }
}

// Makes reads and writes fail some time after the other machine has disappeared.
void detectCuts(int socket) {
    setOption(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    setOption(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef __linux__
    setOption(socket, IPPROTO_TCP, TCP_KEEPIDLE, IDLE_SECONDS);
    setOption(socket, IPPROTO_TCP, TCP_KEEPINTVL, PROBE_SECONDS);
    setOption(socket, IPPROTO_TCP, TCP_KEEPCNT, PROBES);
    setOption(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, ACKNOWLEDGEMENT_SECONDS * 1000);
#endif
}

// connect(endpoint): connects to a worker, whose devices are devices of this process from then on.
// Ends the process if the worker cannot be reached or has another version. Returns the number of its
// devices.
Napi::Value connect(const Napi::CallbackInfo& info) {
    // Never freed: when the process exits, its destructor would wait for an answer.
    static auto& connections = *new std::vector<std::shared_ptr<rpc_dispatcher>>();
    const auto env = info.Env();
    const std::string endpoint = info[0].ToString();
    try {
        const auto dispatcher = get_dispatcher(endpoint);
        const int socket = dispatcher->sock->pimpl->fd;
        detectCuts(socket);
        setOption(socket, SOL_SOCKET, SO_RCVTIMEO, timeval{ANSWER_SECONDS, 0});
        connections.push_back(dispatcher);
    } catch (const std::runtime_error& error) {
        throw Napi::Error::New(env, error.what());
    }
    const auto registry = ggml_backend_rpc_add_server(endpoint.c_str());
    if (registry == nullptr) throw Napi::Error::New(env, "it offers no device");
    ggml_backend_register(registry);
    return Napi::Number::New(env, static_cast<double>(ggml_backend_reg_dev_count(registry)));
}

// Serves one client until it disconnects.
class Service : public BackgroundWork {
public:
    Service(int socket, size_t threads, std::string cacheFolder, std::vector<ggml_backend_dev_t> devices)
        : socket(std::make_unique<socket_t::impl>(socket)),
          threads(threads),
          cacheFolder(std::move(cacheFolder)),
          devices(std::move(devices)) {}

protected:
    void run() override {
#ifdef __linux__
        pthread_setname_np(pthread_self(), "ggufd worker");
#endif
        std::vector<ggml_backend_t> backends;
        for (const auto device : devices) backends.push_back(open(device));
        const char* const folder = cacheFolder.empty() ? nullptr : cacheFolder.c_str();
        rpc_serve_client(backends, folder, socket_ptr(new socket_t(std::move(socket))));
        for (const auto backend : backends) ggml_backend_free(backend);
    }

    Napi::Value result(Napi::Env env) override { return env.Undefined(); }

private:
    std::unique_ptr<socket_t::impl> socket;
    size_t threads;
    std::string cacheFolder;
    std::vector<ggml_backend_dev_t> devices;

    ggml_backend_t open(ggml_backend_dev_t device) const {
        const auto backend = ggml_backend_dev_init(device, nullptr);
        if (backend == nullptr) {
            throw std::runtime_error(std::string(ggml_backend_dev_name(device)) + " cannot be opened");
        }
        const auto registry = ggml_backend_dev_backend_reg(device);
        const auto setThreads = reinterpret_cast<ggml_backend_set_n_threads_t>(
            ggml_backend_reg_get_proc_address(registry, "ggml_backend_set_n_threads")
        );
        if (setThreads != nullptr) setThreads(backend, static_cast<int>(threads));
        return backend;
    }
};

std::vector<ggml_backend_dev_t> offerDevices(const Napi::Value& value) {
    std::vector<ggml_backend_dev_t> devices;
    const auto offers = value.As<Napi::Array>();
    for (uint32_t index = 0; index < offers.Length(); index++) {
        const auto offer = offers.Get(index).As<Napi::Object>();
        const std::string name = offer.Get("device").ToString();
        const auto device = ggml_backend_dev_by_name(name.c_str());
        if (device == nullptr) throw Napi::Error::New(value.Env(), "there is no device " + name);
        const auto bytes = offer.Get("bytes");
        offeredMemory().offer(
            device,
            bytes.IsNumber() ? static_cast<uint64_t>(bytes.As<Napi::Number>().DoubleValue()) : OfferedMemory::UNLIMITED
        );
        devices.push_back(device);
    }
    return devices;
}

// serve(descriptor, threads, cacheFolder, offers): serves the client of a connected socket, and
// resolves when the client has disconnected. To be called once per process.
Napi::Value serve(const Napi::CallbackInfo& info) {
    const auto env = info.Env();
    const int descriptor = integerOf(info[0], "descriptor", 0, std::numeric_limits<int32_t>::max());
    const int threads = integerOf(info[1], "threads", 1, GGML_MAX_N_THREADS);
    const std::string cacheFolder = info[2].IsString() ? std::string(info[2].ToString()) : "";
    auto devices = offerDevices(info[3]);
    const int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) < 0) {
        throw Napi::Error::New(env, "descriptor: expected an open socket");
    }
    try {
        detectCuts(descriptor);
    } catch (const std::runtime_error& error) {
        throw Napi::Error::New(env, error.what());
    }
    auto* const service = new Service(descriptor, threads, cacheFolder, std::move(devices));
    return service->begin(env, "ggufd worker", BackgroundWork::Priority::usual);
}

// usedBytes(): the memory of the client's buffers on each offered device.
Napi::Value usedBytes(const Napi::CallbackInfo& info) {
    const auto used = offeredMemory().used();
    const auto result = Napi::Array::New(info.Env(), used.size());
    for (uint32_t index = 0; index < used.size(); index++) {
        result.Set(index, Napi::Number::New(info.Env(), static_cast<double>(used[index])));
    }
    return result;
}

Napi::Object initialise(Napi::Env env, Napi::Object exports) {
    exports.Set("builtFor", GGUFD_BUILT_FOR);
    exports.Set("sources", GGUFD_SOURCES);
    exports.Set("protocolMajor", Napi::Number::New(env, RPC_PROTO_MAJOR_VERSION));
    exports.Set("protocolMinor", Napi::Number::New(env, RPC_PROTO_MINOR_VERSION));
    exports.Set("connect", Napi::Function::New(env, connect));
    exports.Set("serve", Napi::Function::New(env, serve));
    exports.Set("usedBytes", Napi::Function::New(env, usedBytes));
    return exports;
}

}  // namespace ggufd

static Napi::Object initialiseModule(Napi::Env env, Napi::Object exports) { return ggufd::initialise(env, exports); }

NODE_API_MODULE(ggufd_rpc, initialiseModule)
