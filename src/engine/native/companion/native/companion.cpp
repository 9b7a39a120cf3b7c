// Functions of llama.cpp that node-llama-cpp does not pass on. The companion accesses the binding's
// own objects, which it unwraps with the class declarations in the package's headers, so it is
// compiled for one version of the package.
//
// Two rules prevent crashes. Objects are checked to be instances of the binding's classes before
// they are unwrapped. And any access to a `llama_context` holds the object's `disposeMutex`, under
// which the binding resets the pointer before freeing it.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "AddonContext.h"
#include "AddonModel.h"
#include "arguments.h"
#include "lazy_buffers.h"
#include "llama_library.h"
#include "napi.h"
#include "pooler.h"
#include "row_math.h"
#include "stepper.h"

namespace {

using ggufd::Fields;
using ggufd::integerOf;
using ggufd::integersOf;
using ggufd::llama;
using ggufd::typedArrayOf;

// ---- lifetimes ----------------------------------------------------------------------------------

// The context of an object, while this lock exists.
class LockedContext : public ggufd::LockedContext {
public:
    explicit LockedContext(AddonContext& owner) : ggufd::LockedContext({owner.disposeMutex, owner.ctx}) {}

    llama_context* orThrow(Napi::Env env) const {
        if (get() == nullptr) throw Napi::Error::New(env, "the context is closed or has not been opened");
        return get();
    }
};

// Parameters that llama.cpp reads by pointer; they live as long as the model's object.
struct ModelParts {
    std::vector<ggml_backend_dev_t> devices;
    std::vector<float> tensorSplit;
    std::vector<std::string> patterns;
    std::vector<llama_model_tensor_buft_override> overrides;
};

// Measures how many bytes a function of the loaded library returns by value: the bytes that it
// overwrites over two different patterns.
template <typename Struct>
size_t returnedBytes(Struct (*make)()) {
    constexpr size_t room = sizeof(Struct) + 1024;
    alignas(alignof(std::max_align_t)) unsigned char bytes[2][room];
    for (int pattern = 0; pattern < 2; pattern++) {
        std::memset(bytes[pattern], pattern == 0 ? 0x5a : 0xa5, room);
        new (bytes[pattern]) Struct(make());
    }
    size_t written = room;
    while (written > 0 && bytes[0][written - 1] == 0x5a && bytes[1][written - 1] == 0xa5) written--;
    return written;
}

// ---- log-probabilities --------------------------------------------------------------------------

// Reads rows of logits on a native thread.
class LogProbabilitiesWorker : public Napi::AsyncWorker {
public:
    LogProbabilitiesWorker(
        Napi::Object contextObject, AddonContext& context, std::vector<int32_t> rows, std::vector<int32_t> tokens,
        uint32_t top
    )
        : Napi::AsyncWorker(contextObject.Env(), "GgufdLogProbabilities"),
          promise(Napi::Promise::Deferred::New(contextObject.Env())),
          keepAlive(Napi::Persistent(contextObject)),
          context(context),
          rows(std::move(rows)),
          tokens(std::move(tokens)),
          top(top) {}

    Napi::Promise::Deferred promise;

protected:
    void Execute() override {
        const LockedContext locked(context);
        if (locked.get() == nullptr) return SetError("the context is closed or has not been opened");
        const auto* vocab = llama.llama_model_get_vocab(llama.llama_get_model(locked.get()));
        const int32_t vocabulary = llama.llama_vocab_n_tokens(vocab);
        top = std::min<uint32_t>(top, vocabulary);
        for (size_t index = 0; index < rows.size(); index++) {
            const float* logits = llama.llama_get_logits_ith(locked.get(), rows[index]);
            if (logits == nullptr) return SetError("row " + std::to_string(rows[index]) + ": there are no such logits");
            if (tokens[index] < 0 || tokens[index] >= vocabulary) {
                return SetError("token " + std::to_string(tokens[index]) + ": expected one of the vocabulary");
            }
            const double logSum = ggufd::logSumExp(logits, vocabulary);
            ofTokens.push_back(static_cast<float>(logits[tokens[index]] - logSum));
            for (const auto& [token, logit] : ggufd::largest(logits, vocabulary, top)) {
                topTokens.push_back(token);
                ofTop.push_back(static_cast<float>(logit - logSum));
            }
        }
    }

    void OnOK() override {
        const auto env = Env();
        auto result = Napi::Object::New(env);
        result.Set("ofTokens", toTypedArray<Napi::Float32Array>(env, ofTokens));
        result.Set("topTokens", toTypedArray<Napi::Int32Array>(env, topTokens));
        result.Set("ofTop", toTypedArray<Napi::Float32Array>(env, ofTop));
        promise.Resolve(result);
    }

    void OnError(const Napi::Error& error) override { promise.Reject(error.Value()); }

private:
    template <typename TypedArray, typename Element>
    static TypedArray toTypedArray(Napi::Env env, const std::vector<Element>& values) {
        auto array = TypedArray::New(env, values.size());
        std::copy(values.begin(), values.end(), array.Data());
        return array;
    }

    Napi::ObjectReference keepAlive;
    AddonContext& context;
    std::vector<int32_t> rows;
    std::vector<int32_t> tokens;
    uint32_t top;
    std::vector<float> ofTokens;
    std::vector<int32_t> topTokens;
    std::vector<float> ofTop;
};

// ---- the addon ----------------------------------------------------------------------------------

class Companion : public Napi::Addon<Companion> {
public:
    Companion(Napi::Env env, Napi::Object exports) {
        auto facts = Napi::Object::New(env);
        facts.Set("builtFor", GGUFD_BUILT_FOR);
        facts.Set("sources", GGUFD_SOURCES);
        facts.Set("contextParamsBytes", Napi::Number::New(env, sizeof(llama_context_params)));
        facts.Set("modelParamsBytes", Napi::Number::New(env, sizeof(llama_model_params)));
        exports.Set("facts", facts);
        exports.Set("Stepper", ggufd::Stepper::define(env, &steppedContextOf));
        exports.Set("Pooler", ggufd::Pooler::define(env, &steppedContextOf));
        DefineAddon(
            exports,
            {
                InstanceMethod("attach", &Companion::Attach),
                InstanceMethod("measureStructures", &Companion::MeasureStructures),
                InstanceMethod("missingForHiddenStates", &Companion::MissingForHiddenStates),
                InstanceMethod("devices", &Companion::Devices),
                InstanceMethod("readModel", &Companion::ReadModel),
                InstanceMethod("readContext", &Companion::ReadContext),
                InstanceMethod("configureModel", &Companion::ConfigureModel),
                InstanceMethod("configureContext", &Companion::ConfigureContext),
                InstanceMethod("shareLibraries", &Companion::ShareLibraries),
                InstanceMethod("modelHandle", &Companion::ModelHandle),
                InstanceMethod("setAborted", &Companion::SetAborted),
                InstanceMethod("clearCache", &Companion::ClearCache),
                InstanceMethod("logProbabilities", &Companion::LogProbabilities),
            }
        );
    }

private:
    // Each `getLlama` loads the binding's module again, with its own classes.
    using Classes = std::vector<Napi::FunctionReference>;
    Classes contextClasses;
    Classes modelClasses;
    const ggufd::ContextOf steppedContextOf = [this](const Napi::Value& value) -> AddonContext& {
        return unwrap<AddonContext>(value, contextClasses, "context");
    };

    template <typename Wrapped>
    Wrapped& unwrap(const Napi::Value& value, const Classes& wrappedBy, const char* name) {
        const bool isWrapped = value.IsObject() && std::any_of(wrappedBy.begin(), wrappedBy.end(), [&](const auto& one) {
            return value.As<Napi::Object>().InstanceOf(one.Value());
        });
        if (!isWrapped) {
            throw Napi::TypeError::New(value.Env(), std::string(name) + ": expected an object of an attached binding");
        }
        return *Napi::ObjectWrap<Wrapped>::Unwrap(value.As<Napi::Object>());
    }

    AddonContext& contextOf(const Napi::CallbackInfo& info) {
        return unwrap<AddonContext>(info[0], contextClasses, "context");
    }

    AddonModel& modelOf(const Napi::CallbackInfo& info) { return unwrap<AddonModel>(info[0], modelClasses, "model"); }

    // attach(bindings): adds classes whose objects the other functions accept, and looks up the
    // library.
    Napi::Value Attach(const Napi::CallbackInfo& info) {
        const auto bindings = info[0].ToObject();
        const auto classOf = [&](const char* name) {
            const auto value = bindings.Get(name);
            if (!value.IsFunction()) throw Napi::TypeError::New(info.Env(), std::string(name) + ": expected a class");
            return Napi::Persistent(value.As<Napi::Function>());
        };
        contextClasses.push_back(classOf("AddonContext"));
        modelClasses.push_back(classOf("AddonModel"));
        try {
            if (!llama.isOpen()) {
                const auto loaded = ggufd::findLoadedLibrary();
                ggufd::hiddenStates = ggufd::lookUpHiddenStates(loaded.handle);
                llama = ggufd::lookUpFunctions(loaded);
                ggufd::allocateBuffersLazily();
            }
        } catch (const std::runtime_error& error) {
            throw Napi::Error::New(info.Env(), error.what());
        }
        return info.Env().Undefined();
    }

    // measureStructures() → sizes that the loaded library really returns, to be compared with
    // `facts`.
    Napi::Value MeasureStructures(const Napi::CallbackInfo& info) {
        const auto env = info.Env();
        auto result = Napi::Object::New(env);
        result.Set("contextParamsBytes", Napi::Number::New(env, returnedBytes(llama.llama_context_default_params)));
        result.Set("modelParamsBytes", Napi::Number::New(env, returnedBytes(llama.llama_model_default_params)));
        return result;
    }

    // missingForHiddenStates() → a function that the loaded library lacks; undefined if all are
    // present.
    Napi::Value MissingForHiddenStates(const Napi::CallbackInfo& info) {
        const auto& missing = ggufd::hiddenStates.missing;
        if (missing.empty()) return info.Env().Undefined();
        return Napi::String::New(info.Env(), missing);
    }

    // devices() → [{ name, description, isGpu, bufferType, freeBytes, totalBytes }]
    Napi::Value Devices(const Napi::CallbackInfo& info) {
        const auto env = info.Env();
        auto devices = Napi::Array::New(env);
        for (size_t index = 0; index < llama.ggml_backend_dev_count(); index++) {
            const auto device = llama.ggml_backend_dev_get(index);
            size_t freeBytes = 0;
            size_t totalBytes = 0;
            llama.ggml_backend_dev_memory(device, &freeBytes, &totalBytes);
            auto entry = Napi::Object::New(env);
            entry.Set("name", llama.ggml_backend_dev_name(device));
            entry.Set("description", llama.ggml_backend_dev_description(device));
            entry.Set("isGpu", Napi::Boolean::New(env, isGpu(device)));
            entry.Set("bufferType", llama.ggml_backend_buft_name(llama.ggml_backend_dev_buffer_type(device)));
            entry.Set("freeBytes", Napi::Number::New(env, static_cast<double>(freeBytes)));
            entry.Set("totalBytes", Napi::Number::New(env, static_cast<double>(totalBytes)));
            devices.Set(static_cast<uint32_t>(index), entry);
        }
        return devices;
    }

    static bool isGpu(ggml_backend_dev_t device) {
        const auto type = llama.ggml_backend_dev_type(device);
        return type == GGML_BACKEND_DEVICE_TYPE_GPU || type == GGML_BACKEND_DEVICE_TYPE_IGPU;
    }

    // readModel(model) → the model's parameters.
    Napi::Value ReadModel(const Napi::CallbackInfo& info) {
        return describe(info.Env(), modelOf(info).model_params);
    }

    // readContext(context) → the context's parameters.
    Napi::Value ReadContext(const Napi::CallbackInfo& info) {
        return describe(info.Env(), contextOf(info).context_params);
    }

    // configureModel(model, { devices, mainGpu, splitMode, mtpLayers, tensorSplit, overrides }):
    // must be called before loading.
    Napi::Value ConfigureModel(const Napi::CallbackInfo& info) {
        const auto env = info.Env();
        auto& model = modelOf(info);
        if (model.modelLoaded || model.disposed) throw Napi::Error::New(env, "the model is loaded or closed already");
        auto parts = std::make_unique<ModelParts>();
        auto params = model.model_params;
        Fields fields(info[1], "parameters");
        fields.integer("mainGpu", params.main_gpu);
        fields.integer("splitMode", params.split_mode);
        fields.boolean("mtpLayers", params.load_mtp);
        fields.take("devices", [&](const Napi::Value& value) {
            const auto names = value.As<Napi::Array>();
            for (uint32_t index = 0; index < names.Length(); index++) {
                parts->devices.push_back(deviceNamed(env, names.Get(index).ToString()));
            }
            parts->devices.push_back(nullptr);
            params.devices = parts->devices.data();
        });
        fields.take("tensorSplit", [&](const Napi::Value& value) {
            const auto shares = typedArrayOf<Napi::Float32Array>(value, napi_float32_array, "parameters.tensorSplit");
            if (shares.ElementLength() > llama.llama_max_devices()) {
                throw Napi::RangeError::New(env, "parameters.tensorSplit: expected a share for each device at most");
            }
            // llama.cpp reads a share for every possible device.
            parts->tensorSplit.assign(llama.llama_max_devices(), 0.0f);
            std::copy(shares.Data(), shares.Data() + shares.ElementLength(), parts->tensorSplit.begin());
            params.tensor_split = parts->tensorSplit.data();
        });
        fields.take("overrides", [&](const Napi::Value& value) {
            const auto list = value.As<Napi::Array>();
            // Overrides point to the patterns' characters, so the list must not grow afterwards.
            parts->patterns.reserve(list.Length());
            for (uint32_t index = 0; index < list.Length(); index++) {
                const auto entry = list.Get(index).As<Napi::Object>();
                parts->patterns.push_back(entry.Get("pattern").ToString());
                parts->overrides.push_back({parts->patterns.back().c_str(), bufferTypeNamed(env, entry.Get("bufferType").ToString())});
            }
            parts->overrides.push_back({nullptr, nullptr});
            params.tensor_buft_overrides = parts->overrides.data();
        });
        fields.expectNoOthers();
        model.model_params = params;
        info[0].As<Napi::Object>().AddFinalizer([](Napi::Env, ModelParts* owned) { delete owned; }, parts.release());
        return env.Undefined();
    }

    static ggml_backend_dev_t deviceNamed(Napi::Env env, const std::string& name) {
        const auto device = llama.ggml_backend_dev_by_name(name.c_str());
        if (device == nullptr) throw Napi::RangeError::New(env, "device " + name + ": there is none of this name");
        return device;
    }

    static ggml_backend_buffer_type_t bufferTypeNamed(Napi::Env env, const std::string& name) {
        for (size_t index = 0; index < llama.ggml_backend_dev_count(); index++) {
            const auto type = llama.ggml_backend_dev_buffer_type(llama.ggml_backend_dev_get(index));
            if (name == llama.ggml_backend_buft_name(type)) return type;
        }
        throw Napi::RangeError::New(env, "buffer type " + name + ": no device has one of this name");
    }

    static Napi::Object describe(Napi::Env env, const llama_model_params& params) {
        auto result = Napi::Object::New(env);
        result.Set("gpuLayers", Napi::Number::New(env, params.n_gpu_layers));
        result.Set("mainGpu", Napi::Number::New(env, params.main_gpu));
        result.Set("splitMode", Napi::Number::New(env, params.split_mode));
        auto devices = Napi::Array::New(env);
        for (uint32_t index = 0; params.devices != nullptr && params.devices[index] != nullptr; index++) {
            devices.Set(index, llama.ggml_backend_dev_name(params.devices[index]));
        }
        result.Set("devices", devices);
        auto split = Napi::Array::New(env);
        for (uint32_t index = 0; params.tensor_split != nullptr && index < llama.llama_max_devices(); index++) {
            split.Set(index, Napi::Number::New(env, params.tensor_split[index]));
        }
        result.Set("tensorSplit", split);
        auto overrides = Napi::Array::New(env);
        const auto* override = params.tensor_buft_overrides;
        for (uint32_t index = 0; override != nullptr && override[index].pattern != nullptr; index++) {
            auto entry = Napi::Object::New(env);
            entry.Set("pattern", override[index].pattern);
            entry.Set("bufferType", llama.ggml_backend_buft_name(override[index].buft));
            overrides.Set(index, entry);
        }
        result.Set("overrides", overrides);
        return result;
    }

    // configureContext(context, { kvUnified, mtpLayers, target, microBatchTokens, maxOutputs,
    // maxSampledOutputs, prefillThreads, poolingType, ropeScaling, ropeFreqBase, ropeFreqScale,
    // yarnOriginalContext, yarnExtFactor, yarnAttnFactor, yarnBetaSlow, yarnBetaFast, offloadKv,
    // offloadOperations, abortable }): must be called between the constructor and init().
    Napi::Value ConfigureContext(const Napi::CallbackInfo& info) {
        const auto env = info.Env();
        auto& context = contextOf(info);
        if (context.contextLoaded || context.disposed) {
            throw Napi::Error::New(env, "the context is opened or closed already");
        }
        auto params = context.context_params;
        bool isAbortable = false;
        Fields fields(info[1], "parameters");
        fields.boolean("kvUnified", params.kv_unified);
        bool isOfMtpLayers = false;
        fields.boolean("mtpLayers", isOfMtpLayers);
        if (isOfMtpLayers) params.ctx_type = LLAMA_CONTEXT_TYPE_MTP;
        fields.take("target", [&](const Napi::Value& value) {
            auto& target = unwrap<AddonContext>(value, contextClasses, "target");
            params.ctx_other = LockedContext(target).orThrow(env);
        });
        fields.integer("microBatchTokens", params.n_ubatch, 1);
        fields.integer("maxOutputs", params.n_outputs_max, 1);
        fields.integer("maxSampledOutputs", params.n_outputs_max_per_seq, 1);
        fields.integer("prefillThreads", params.n_threads_batch, 1);
        fields.integer("poolingType", params.pooling_type);
        fields.integer("ropeScaling", params.rope_scaling_type);
        fields.number("ropeFreqBase", params.rope_freq_base);
        fields.number("ropeFreqScale", params.rope_freq_scale);
        fields.integer("yarnOriginalContext", params.yarn_orig_ctx);
        fields.number("yarnExtFactor", params.yarn_ext_factor);
        fields.number("yarnAttnFactor", params.yarn_attn_factor);
        fields.number("yarnBetaSlow", params.yarn_beta_slow);
        fields.number("yarnBetaFast", params.yarn_beta_fast);
        fields.boolean("offloadKv", params.offload_kqv);
        fields.boolean("offloadOperations", params.op_offload);
        fields.boolean("abortable", isAbortable);
        fields.expectNoOthers();
        if (isAbortable) {
            auto* flags = new std::shared_ptr<ggufd::AbortFlags>(std::make_shared<ggufd::AbortFlags>());
            params.abort_callback = ggufd::AbortFlags::isSet;
            params.abort_callback_data = flags->get();
            using Flags = std::shared_ptr<ggufd::AbortFlags>;
            info[0].As<Napi::Object>().AddFinalizer([](Napi::Env, Flags* owned) { delete owned; }, flags);
        }
        context.context_params = params;
        return env.Undefined();
    }

    static Napi::Object describe(Napi::Env env, const llama_context_params& params) {
        auto result = Napi::Object::New(env);
        result.Set("contextSize", Napi::Number::New(env, params.n_ctx));
        result.Set("batchSize", Napi::Number::New(env, params.n_batch));
        result.Set("microBatchTokens", Napi::Number::New(env, params.n_ubatch));
        result.Set("sequences", Napi::Number::New(env, params.n_seq_max));
        result.Set("maxOutputs", Napi::Number::New(env, params.n_outputs_max));
        result.Set("threads", Napi::Number::New(env, params.n_threads));
        result.Set("prefillThreads", Napi::Number::New(env, params.n_threads_batch));
        result.Set("poolingType", Napi::Number::New(env, params.pooling_type));
        result.Set("kvUnified", Napi::Boolean::New(env, params.kv_unified));
        result.Set("ropeScaling", Napi::Number::New(env, params.rope_scaling_type));
        result.Set("ropeFreqBase", Napi::Number::New(env, params.rope_freq_base));
        result.Set("ropeFreqScale", Napi::Number::New(env, params.rope_freq_scale));
        result.Set("yarnOriginalContext", Napi::Number::New(env, params.yarn_orig_ctx));
        result.Set("yarnExtFactor", Napi::Number::New(env, params.yarn_ext_factor));
        result.Set("yarnAttnFactor", Napi::Number::New(env, params.yarn_attn_factor));
        result.Set("yarnBetaSlow", Napi::Number::New(env, params.yarn_beta_slow));
        result.Set("yarnBetaFast", Napi::Number::New(env, params.yarn_beta_fast));
        return result;
    }

    // shareLibraries(): must be called before loading an addon that uses llama.cpp's functions.
    Napi::Value ShareLibraries(const Napi::CallbackInfo& info) {
        try {
            ggufd::shareLibraries();
        } catch (const std::runtime_error& error) {
            throw Napi::Error::New(info.Env(), error.what());
        }
        return info.Env().Undefined();
    }

    // modelHandle(model): for such an addon; valid as long as the model is.
    Napi::Value ModelHandle(const Napi::CallbackInfo& info) {
        auto& model = modelOf(info);
        if (model.model == nullptr) throw Napi::Error::New(info.Env(), "the model is closed or has not been loaded");
        return Napi::External<llama_model>::New(info.Env(), model.model);
    }

    // setAborted(context, isAborted): with true, aborts the batch in progress and each further one,
    // until false.
    Napi::Value SetAborted(const Napi::CallbackInfo& info) {
        const auto flags = ggufd::abortFlagsOf(contextOf(info));
        if (flags == nullptr) throw Napi::Error::New(info.Env(), "the context was not configured as abortable");
        flags->asked.store(info[1].ToBoolean(), std::memory_order_relaxed);
        return info.Env().Undefined();
    }

    // clearCache(context): empties all sequences, and overwrites their cells with zeros.
    Napi::Value ClearCache(const Napi::CallbackInfo& info) {
        auto& context = contextOf(info);
        const LockedContext locked(context);
        llama.llama_memory_clear(llama.llama_get_memory(locked.orThrow(info.Env())), true);
        return info.Env().Undefined();
    }

    // logProbabilities(context, rows, tokens, top) → Promise<{ ofTokens, topTokens, ofTop }>: for
    // one token of each row, and the `top` most probable ones.
    Napi::Value LogProbabilities(const Napi::CallbackInfo& info) {
        auto& context = contextOf(info);
        auto rows = integersOf(info[1], "rows");
        auto tokens = integersOf(info[2], "tokens");
        if (rows.size() != tokens.size()) {
            throw Napi::RangeError::New(info.Env(), "tokens: expected one for each row");
        }
        const auto top = integerOf(info[3], "top", 0, 1024);
        auto* worker =
            new LogProbabilitiesWorker(info[0].As<Napi::Object>(), context, std::move(rows), std::move(tokens), top);
        const auto promise = worker->promise.Promise();
        worker->Queue();
        return promise;
    }
};

}  // namespace

// libstdc++ reads this variable of glibc 2.32 and newer to detect multi-threading; 0 means that
// there are several threads.
extern "C" __attribute__((visibility("hidden"))) char __libc_single_threaded;
char __libc_single_threaded = 0;

// Replaces the runtime's handler, which prints the exception's name and so links a demangler.
namespace __gnu_cxx {
void __verbose_terminate_handler() { std::abort(); }
}  // namespace __gnu_cxx

NODE_API_ADDON(Companion)
