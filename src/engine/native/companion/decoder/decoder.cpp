// Decodes clients' files, in a process that may be killed; the two decoders are its only part of
// llama.cpp.
#include <sys/resource.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "arguments.h"
#include "background_work.h"
#include "decoded_file.h"
#include "napi.h"

namespace {

using ggufd::BackgroundWork;
using ggufd::integerOf;

constexpr int32_t maxInteger = std::numeric_limits<int32_t>::max();

// Decodes a file owned by JavaScript, which is kept alive until the promise is settled.
class Decoding : public BackgroundWork {
protected:
    explicit Decoding(const Napi::Value& value) {
        const auto array = ggufd::typedArrayOf<Napi::Uint8Array>(value, napi_uint8_array, "file");
        bytes = array.Data();
        length = array.ByteLength();
        kept = Napi::Persistent<Napi::Object>(array);
    }

    const uint8_t* bytes;
    size_t length;

    virtual void decode() = 0;

    void run() override {
        try {
            decode();
        } catch (const std::bad_alloc&) {
            throw std::runtime_error("expected a file that decodes within the memory limit, got one that needs more");
        }
    }

private:
    Napi::ObjectReference kept;
};

class ImageDecoding : public Decoding {
public:
    ImageDecoding(const Napi::Value& file, int64_t maxPixels) : Decoding(file), maxPixels(maxPixels) {}

protected:
    void decode() override { image = ggufd::decodedImage(bytes, length, maxPixels); }

    Napi::Value result(Napi::Env env) override {
        const auto length = 3 * static_cast<size_t>(image.width) * static_cast<size_t>(image.height);
        auto object = Napi::Object::New(env);
        object.Set("width", image.width);
        object.Set("height", image.height);
        const auto free = image.pixels.get_deleter();
        const auto release = [free](Napi::Env, unsigned char* pixels) { free(pixels); };
        object.Set("pixels", Napi::Buffer<unsigned char>::New(env, image.pixels.release(), length, release));
        return object;
    }

private:
    const int64_t maxPixels;
    ggufd::DecodedImage image{0, 0, {nullptr, nullptr}};
};

class AudioDecoding : public Decoding {
public:
    AudioDecoding(const Napi::Value& file, uint32_t sampleRate, double maxSeconds)
        : Decoding(file), sampleRate(sampleRate), maxSeconds(maxSeconds) {}

protected:
    void decode() override { samples = ggufd::decodedAudio(bytes, length, sampleRate, maxSeconds); }

    Napi::Value result(Napi::Env env) override {
        auto array = Napi::Float32Array::New(env, samples.size());
        std::copy(samples.begin(), samples.end(), array.Data());
        return array;
    }

private:
    const uint32_t sampleRate;
    const double maxSeconds;
    std::vector<float> samples;
};

// decodeImage(file, maxPixels) → Promise<{ width, height, pixels }>
Napi::Value decodeImage(const Napi::CallbackInfo& info) {
    const auto maxPixels = integerOf(info[1], "maxPixels", 1, maxInteger);
    auto* decoding = new ImageDecoding(info[0], maxPixels);
    return decoding->begin(info.Env(), "ggufd decode", BackgroundWork::Priority::usual);
}

// decodeAudio(file, sampleRate, maxSeconds) → Promise<Float32Array>
Napi::Value decodeAudio(const Napi::CallbackInfo& info) {
    const auto sampleRate = integerOf(info[1], "sampleRate", 1, maxInteger);
    const auto maxSeconds = integerOf(info[2], "maxSeconds", 1, maxInteger);
    auto* decoding = new AudioDecoding(info[0], static_cast<uint32_t>(sampleRate), maxSeconds);
    return decoding->begin(info.Env(), "ggufd decode", BackgroundWork::Priority::usual);
}

void limit(Napi::Env env, decltype(RLIMIT_CPU) resource, rlim_t value) {
    rlimit limits{};
    if (getrlimit(resource, &limits) == 0) {
        limits.rlim_cur = limits.rlim_max == RLIM_INFINITY ? value : std::min<rlim_t>(value, limits.rlim_max);
        if (setrlimit(resource, &limits) == 0) return;
    }
    throw Napi::Error::New(env, std::string("a limit of this process cannot be set: ") + std::strerror(errno));
}

// limitCpu(seconds): the system ends this process after this many more seconds of CPU time, plus up
// to one.
void limitCpu(const Napi::CallbackInfo& info) {
    const auto seconds = integerOf(info[0], "seconds", 1, maxInteger);
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto spent = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1);
    limit(info.Env(), RLIMIT_CORE, 0);
    limit(info.Env(), RLIMIT_CPU, spent + static_cast<rlim_t>(seconds));
}

// limitMemory(mebibytes): limits the memory of this process; larger allocations fail. Linux counts
// all private memory.
void limitMemory(const Napi::CallbackInfo& info) {
    constexpr rlim_t mebibyte = 1 << 20;
    limit(info.Env(), RLIMIT_DATA, mebibyte * static_cast<rlim_t>(integerOf(info[0], "mebibytes", 1, maxInteger)));
}

// createSharedMemory(): returns a file descriptor of anonymous memory, or of a deleted file.
Napi::Value createSharedMemory(const Napi::CallbackInfo& info) {
    int descriptor = -1;
#ifdef SYS_memfd_create
    constexpr unsigned closeOnExec = 1;
    descriptor = static_cast<int>(syscall(SYS_memfd_create, "ggufd media", closeOnExec));
#endif
    if (descriptor < 0) {
        std::FILE* file = std::tmpfile();
        if (file != nullptr) {
            descriptor = dup(fileno(file));
            std::fclose(file);
        }
    }
    if (descriptor < 0) throw Napi::Error::New(info.Env(), std::string("no memory can be shared: ") + std::strerror(errno));
    return Napi::Number::New(info.Env(), descriptor);
}

Napi::Object Init(Napi::Env env, Napi::Object exports) {
    exports.Set("sources", GGUFD_SOURCES);
    exports.Set("decodeImage", Napi::Function::New(env, decodeImage));
    exports.Set("decodeAudio", Napi::Function::New(env, decodeAudio));
    exports.Set("limitCpu", Napi::Function::New<limitCpu>(env));
    exports.Set("createSharedMemory", Napi::Function::New(env, createSharedMemory));
    exports.Set("limitMemory", Napi::Function::New<limitMemory>(env));
    return exports;
}

}  // namespace

NODE_API_MODULE(ggufd_decoder, Init)
