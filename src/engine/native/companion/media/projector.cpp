// libmtmd at the llama.cpp commit of node-llama-cpp: encodes images and audio with a model's
// projector.
//
// This is a separate addon, loaded only for models with a projector. It links against none of
// llama.cpp's libraries, whose names differ between builds: the companion's `shareLibraries` must
// be called before it is loaded. It does not use the binding's classes; models are passed as
// handles from the companion's `modelHandle`.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arguments.h"
#include "assertion_guard.h"
#include "background_work.h"
#include "encoding_gate.h"
#include "llama.h"
#include "mtmd-helper.h"
#include "mtmd.h"
#include "napi.h"

namespace {

using ggufd::AssertionGuard;
using ggufd::BackgroundWork;
using ggufd::EncodingGate;
using ggufd::integerOf;

using Context = std::unique_ptr<mtmd_context, decltype(&mtmd_free)>;
using Chunks = std::unique_ptr<mtmd_input_chunks, decltype(&mtmd_input_chunks_free)>;
using Chunk = std::unique_ptr<mtmd_input_chunk, decltype(&mtmd_input_chunk_free)>;

// The last error logged by libmtmd on this thread, as its functions return no reasons.
thread_local std::string lastError;

void noteError(ggml_log_level level, const char* text, void*) {
    if (level == GGML_LOG_LEVEL_ERROR && text != nullptr) lastError = text;
}

std::string reasonOr(const char* otherwise) {
    auto reason = lastError.empty() ? std::string(otherwise) : lastError;
    while (!reason.empty() && (reason.back() == '\n' || reason.back() == ' ')) reason.pop_back();
    // Removes the name of the function that failed.
    const std::string mark = ": error: ";
    const auto at = reason.find(mark);
    if (at != std::string::npos) reason.erase(0, at + mark.size());
    return reason;
}

// A projector shared by several threads: files are divided on any of them, but encoded on one at a
// time.
struct Opened {
    // Used by `context`'s callback, so it must outlive it.
    EncodingGate gate;
    std::mutex encoding;
    Context context{nullptr, mtmd_free};
    size_t embeddingWidth = 0;
};

Napi::Int32Array toInt32Array(Napi::Env env, const int32_t* values, size_t count) {
    auto array = Napi::Int32Array::New(env, count);
    std::copy_n(values, count, array.Data());
    return array;
}

// The cells of an image, a part of an image, or a piece of audio, with the data that their
// embeddings are computed from.
class Media : public Napi::ObjectWrap<Media> {
public:
    static Napi::FunctionReference constructor;

    static void define(Napi::Env env) {
        constructor = Napi::Persistent(DefineClass(env, "Media", {}));
        constructor.SuppressDestruct();
    }

    explicit Media(const Napi::CallbackInfo& info) : Napi::ObjectWrap<Media>(info) {}

    static Napi::Object make(Napi::Env env, std::shared_ptr<Opened> opened, Chunk chunk) {
        auto object = constructor.New({});
        auto* media = Unwrap(object);
        const bool isImage = mtmd_input_chunk_get_type(chunk.get()) == MTMD_INPUT_CHUNK_TYPE_IMAGE;
        const auto cells = mtmd_input_chunk_get_n_tokens(chunk.get());
        object.Set("kind", isImage ? "image" : "audio");
        object.Set("cells", Napi::Number::New(env, static_cast<double>(cells)));
        object.Set("positions", Napi::Number::New(env, mtmd_input_chunk_get_n_pos(chunk.get())));
        object.Set("isCausal", Napi::Boolean::New(env, !mtmd_decode_use_non_causal(opened->context.get(), chunk.get())));
        if (mtmd_decode_use_mrope(opened->context.get())) {
            object.Set("grid", isImage ? gridOf(env, chunk.get(), cells) : lineOf(env, cells));
        }
        media->opened = std::move(opened);
        media->chunk = std::shared_ptr<mtmd_input_chunk>(std::move(chunk));
        return object;
    }

    std::shared_ptr<Opened> opened;
    std::shared_ptr<mtmd_input_chunk> chunk;

private:
    // The first three axes of each cell's position (M-RoPE), relative to the first cell.
    static Napi::Int32Array gridOf(Napi::Env env, const mtmd_input_chunk* chunk, size_t cells) {
        const auto* image = mtmd_input_chunk_get_tokens_image(chunk);
        std::vector<int32_t> grid;
        grid.reserve(3 * cells);
        for (size_t cell = 0; cell < cells; cell++) {
            const auto position = mtmd_image_tokens_get_decoder_pos(image, 0, cell);
            for (const auto axis : {position.t, position.y, position.x}) grid.push_back(static_cast<int32_t>(axis));
        }
        return toInt32Array(env, grid.data(), grid.size());
    }

    static Napi::Int32Array lineOf(Napi::Env env, size_t cells) {
        std::vector<int32_t> grid;
        grid.reserve(3 * cells);
        for (size_t cell = 0; cell < cells; cell++) grid.insert(grid.end(), 3, static_cast<int32_t>(cell));
        return toInt32Array(env, grid.data(), grid.size());
    }
};

Napi::FunctionReference Media::constructor;

using Bitmap = std::unique_ptr<mtmd_bitmap, decltype(&mtmd_bitmap_free)>;

// Divides pixels or samples owned by JavaScript into cells. They are kept alive until the promise
// is settled.
class Division : public BackgroundWork {
public:
    Division(std::shared_ptr<Opened> opened, const Napi::Object& content, std::function<mtmd_bitmap*()> makeBitmap)
        : opened(std::move(opened)), kept(Napi::Persistent(content)), makeBitmap(std::move(makeBitmap)) {}

protected:
    void run() override {
        const AssertionGuard guard;
        const auto* context = opened->context.get();
        const Bitmap bitmap(makeBitmap(), mtmd_bitmap_free);
        const mtmd_input_part part{nullptr, bitmap.get()};
        const mtmd_input_part* parts[] = {&part};
        lastError.clear();
        if (mtmd_tokenize_from_parts(context, chunks.get(), parts, 1, false) != 0) {
            throw std::runtime_error(reasonOr("expected media that the model can be given, got a file that it cannot"));
        }
    }

    Napi::Value result(Napi::Env env) override {
        const auto count = mtmd_input_chunks_size(chunks.get());
        auto segments = Napi::Array::New(env, count);
        for (uint32_t index = 0; index < count; index++) {
            const auto* chunk = mtmd_input_chunks_get(chunks.get(), index);
            if (mtmd_input_chunk_get_type(chunk) == MTMD_INPUT_CHUNK_TYPE_TEXT) {
                size_t tokens = 0;
                const auto* first = mtmd_input_chunk_get_tokens_text(chunk, &tokens);
                segments.Set(index, toInt32Array(env, first, tokens));
            } else {
                segments.Set(index, Media::make(env, opened, {mtmd_input_chunk_copy(chunk), mtmd_input_chunk_free}));
            }
        }
        return segments;
    }

private:
    const std::shared_ptr<Opened> opened;
    const Napi::ObjectReference kept;
    const std::function<mtmd_bitmap*()> makeBitmap;
    Chunks chunks{mtmd_input_chunks_init(), mtmd_input_chunks_free};
};

// Computes the embeddings of media.
class Encoding : public BackgroundWork {
public:
    Encoding(std::shared_ptr<Opened> opened, std::shared_ptr<mtmd_input_chunk> chunk)
        : opened(std::move(opened)), chunk(std::move(chunk)) {}

protected:
    void run() override {
        const std::lock_guard<std::mutex> alone(opened->encoding);
        lastError.clear();
        int32_t status = 0;
        try {
            // Applies until the first node is computed, when other threads join.
            const AssertionGuard guard;
            if (opened->gate.begin()) status = mtmd_encode_chunk(opened->context.get(), chunk.get());
            const auto* first = mtmd_get_output_embd(opened->context.get());
            if (status == 0) embeddings.assign(first, first + cells() * opened->embeddingWidth);
        } catch (const std::exception&) {
            opened->gate.end();
            throw;
        }
        if (!opened->gate.end()) throw std::runtime_error("given up");
        if (status != 0) throw std::runtime_error(reasonOr("the media cannot be encoded"));
    }

    Napi::Value result(Napi::Env env) override {
        auto array = Napi::Float32Array::New(env, embeddings.size());
        std::copy(embeddings.begin(), embeddings.end(), array.Data());
        return array;
    }

private:
    const std::shared_ptr<Opened> opened;
    const std::shared_ptr<mtmd_input_chunk> chunk;
    std::vector<float> embeddings;

    size_t cells() const { return mtmd_input_chunk_get_n_tokens(chunk.get()); }
};

// A model's projector; the model must outlive it.
class Projector : public Napi::ObjectWrap<Projector> {
public:
    static Napi::FunctionReference constructor;

    static Napi::Function define(Napi::Env env) {
        const auto function = DefineClass(
            env,
            "Projector",
            {
                InstanceMethod<&Projector::DivideImage>("divideImage"),
                InstanceMethod<&Projector::DivideAudio>("divideAudio"),
                InstanceMethod<&Projector::Encode>("encode"),
                InstanceMethod<&Projector::Let>("let"),
                InstanceMethod<&Projector::GiveUp>("giveUp"),
                InstanceMethod<&Projector::Close>("close"),
            }
        );
        constructor = Napi::Persistent(function);
        constructor.SuppressDestruct();
        return function;
    }

    explicit Projector(const Napi::CallbackInfo& info) : Napi::ObjectWrap<Projector>(info) {}

    // openProjector(modelHandle, path, threads, usesGpu) → Promise<Projector>
    static Napi::Value Open(const Napi::CallbackInfo& info);

    static Napi::Object make(Napi::Env env, std::shared_ptr<Opened> opened) {
        auto object = constructor.New({});
        const auto* context = opened->context.get();
        object.Set("sees", Napi::Boolean::New(env, mtmd_support_vision(context)));
        if (mtmd_support_audio(context)) object.Set("sampleRate", mtmd_get_audio_sample_rate(context));
        object.Set("embeddingWidth", Napi::Number::New(env, static_cast<double>(opened->embeddingWidth)));
        Unwrap(object)->opened = std::move(opened);
        return object;
    }

private:
    // divideImage(pixels, width, height) → Promise<(Int32Array
    // Media)[]>: tokens and media, in order.
    Napi::Value DivideImage(const Napi::CallbackInfo& info) {
        const auto pixels = ggufd::typedArrayOf<Napi::Uint8Array>(info[0], napi_uint8_array, "pixels");
        const auto width = integerOf(info[1], "width", 1, std::numeric_limits<int32_t>::max());
        const auto height = integerOf(info[2], "height", 1, std::numeric_limits<int32_t>::max());
        constexpr size_t rgb = 3;
        if (pixels.ByteLength() != rgb * static_cast<size_t>(width) * static_cast<size_t>(height)) {
            throw Napi::RangeError::New(info.Env(), "pixels: expected three bytes a pixel");
        }
        const auto* data = pixels.Data();
        return divide(info.Env(), pixels, [=] {
            return mtmd_bitmap_init(static_cast<uint32_t>(width), static_cast<uint32_t>(height), data);
        });
    }

    // divideAudio(samples) → as divideImage. The samples must have the projector's sample rate.
    Napi::Value DivideAudio(const Napi::CallbackInfo& info) {
        const auto samples = ggufd::typedArrayOf<Napi::Float32Array>(info[0], napi_float32_array, "samples");
        const auto* data = samples.Data();
        const auto count = samples.ElementLength();
        return divide(info.Env(), samples, [=] { return mtmd_bitmap_init_from_audio(count, data); });
    }

    Napi::Value divide(Napi::Env env, const Napi::Object& content, std::function<mtmd_bitmap*()> makeBitmap) {
        auto* division = new Division(orThrow(env), content, std::move(makeBitmap));
        return division->begin(env, "ggufd media", BackgroundWork::Priority::behind);
    }

    // encode(media) → Promise<Float32Array>: a row of `embeddingWidth` for each cell. Proceeds only
    // while let() permits it.
    Napi::Value Encode(const Napi::CallbackInfo& info) {
        if (!info[0].IsObject() || !info[0].As<Napi::Object>().InstanceOf(Media::constructor.Value())) {
            throw Napi::TypeError::New(info.Env(), "media: expected what this projector has made");
        }
        const auto* media = Media::Unwrap(info[0].As<Napi::Object>());
        if (media->opened != orThrow(info.Env())) {
            throw Napi::TypeError::New(info.Env(), "media: expected what this projector has made, got another one's");
        }
        opened->gate.expect();
        auto* encoding = new Encoding(opened, media->chunk);
        return encoding->begin(info.Env(), "ggufd media", BackgroundWork::Priority::usual);
    }

    // let(milliseconds) → Promise: resolves when the encoding has paused after that time, or has
    // ended.
    Napi::Value Let(const Napi::CallbackInfo& info) {
        const auto env = info.Env();
        const auto milliseconds = info[0].ToNumber().DoubleValue();
        const auto deferred = std::make_shared<Napi::Promise::Deferred>(env);
        const auto noFunction = Napi::Function::New(env, [](const Napi::CallbackInfo&) {});
        auto paused = Napi::ThreadSafeFunction::New(env, noFunction, "ggufd media", 0, 1);
        orThrow(env)->gate.open(milliseconds, [deferred, paused]() mutable {
            using Kept = std::shared_ptr<Napi::Promise::Deferred>;
            paused.BlockingCall(new Kept(deferred), [](Napi::Env env, Napi::Function, Kept* kept) {
                const std::unique_ptr<Kept> owned(kept);
                (*owned)->Resolve(env.Undefined());
            });
            paused.Release();
        });
        return deferred->Promise();
    }

    // giveUp(): cancels the encoding in progress; its promise is rejected.
    Napi::Value GiveUp(const Napi::CallbackInfo& info) {
        orThrow(info.Env())->gate.giveUp();
        return info.Env().Undefined();
    }

    // close(): frees the projector when nothing uses it any more.
    Napi::Value Close(const Napi::CallbackInfo& info) {
        if (opened != nullptr) opened->gate.giveUp();
        opened.reset();
        return info.Env().Undefined();
    }

    std::shared_ptr<Opened> orThrow(Napi::Env env) const {
        if (opened == nullptr) throw Napi::Error::New(env, "the projector is closed");
        return opened;
    }

    std::shared_ptr<Opened> opened;
};

Napi::FunctionReference Projector::constructor;

class Opening : public BackgroundWork {
public:
    Opening(const llama_model* model, std::string path, mtmd_context_params params)
        : model(model), path(std::move(path)), params(params) {}

protected:
    void run() override {
        auto made = std::make_shared<Opened>();
        params.cb_eval = EncodingGate::visit;
        params.cb_eval_user_data = &made->gate;
        lastError.clear();
        made->context = {mtmd_init_from_file(path.c_str(), model, params), mtmd_free};
        if (made->context == nullptr) throw std::runtime_error(reasonOr("it is no projector of this model"));
        made->embeddingWidth = static_cast<size_t>(llama_model_n_embd_inp(model));
        opened = std::move(made);
    }

    Napi::Value result(Napi::Env env) override { return Projector::make(env, std::move(opened)); }

private:
    const llama_model* const model;
    const std::string path;
    mtmd_context_params params;
    std::shared_ptr<Opened> opened;
};

Napi::Value Projector::Open(const Napi::CallbackInfo& info) {
    if (!info[0].IsExternal()) throw Napi::TypeError::New(info.Env(), "model: expected a handle of the companion");
    const auto* model = info[0].As<Napi::External<llama_model>>().Data();
    auto params = mtmd_context_params_default();
    params.print_timings = false;
    params.warmup = false;
    params.n_threads = integerOf(info[2], "threads", 1, GGML_MAX_N_THREADS);
    params.use_gpu = info[3].ToBoolean();
    auto* opening = new Opening(model, info[1].ToString().Utf8Value(), params);
    return opening->begin(info.Env(), "ggufd media", BackgroundWork::Priority::usual);
}

Napi::Object Init(Napi::Env env, Napi::Object exports) {
    mtmd_helper_log_set(noteError, nullptr);
    AssertionGuard::install();
    Media::define(env);
    Projector::define(env);
    exports.Set("builtFor", GGUFD_BUILT_FOR);
    exports.Set("sources", GGUFD_SOURCES);
    exports.Set("openProjector", Napi::Function::New(env, Projector::Open));
    return exports;
}

}  // namespace

NODE_API_MODULE(ggufd_media, Init)
