// The JavaScript interface of a context's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "AddonContext.h"
#include "arguments.h"
#include "drafting_argument.h"
#include "llama_library.h"
#include "sampler_chain.h"
#include "step_thread.h"

namespace ggufd {

// Returns the flags of a context configured as abortable, or nullptr.
inline std::shared_ptr<AbortFlags> abortFlagsOf(const AddonContext& context) {
    const auto& params = context.context_params;
    if (params.abort_callback != AbortFlags::isSet) return nullptr;
    return static_cast<AbortFlags*>(params.abort_callback_data)->shared_from_this();
}

// new Stepper(context, canGoBack, drawingThreads, samplingDevices, drafting)
class Stepper : public Napi::ObjectWrap<Stepper> {
public:
    static Napi::Function define(Napi::Env env, const ContextOf* contextOf) {
        return DefineClass(
            env, "Stepper",
            {
                InstanceMethod("createSampler", &Stepper::CreateSampler),
                InstanceMethod("releaseSampler", &Stepper::ReleaseSampler),
                InstanceMethod("step", &Stepper::Step),
                InstanceMethod("mask", &Stepper::Mask),
                InstanceMethod("draw", &Stepper::Draw),
                InstanceMethod("propose", &Stepper::Propose),
                InstanceMethod("evaluateCells", &Stepper::EvaluateCells),
                InstanceMethod("truncateDrafts", &Stepper::TruncateDrafts),
                InstanceMethod("copyDrafts", &Stepper::CopyDrafts),
                InstanceMethod("clearDrafts", &Stepper::ClearDrafts),
                InstanceMethod("hold", &Stepper::Hold),
                InstanceMethod("rest", &Stepper::Rest),
                InstanceMethod("retract", &Stepper::Retract),
                InstanceMethod("close", &Stepper::Close),
                InstanceAccessor<&Stepper::SamplingDevice>("samplingDevice"),
                InstanceAccessor<&Stepper::Vocabulary>("vocabulary"),
            },
            const_cast<ContextOf*>(contextOf)
        );
    }

    explicit Stepper(const Napi::CallbackInfo& info) : Napi::ObjectWrap<Stepper>(info) {
        const auto& contextOf = *static_cast<const ContextOf*>(info.Data());
        auto& context = contextOf(info[0]);
        const bool canGoBack = info[1].ToBoolean();
        const auto drawingThreads = static_cast<size_t>(integerOf(info[2], "drawingThreads", 1, 64));
        const auto wanted = static_cast<SamplingDevices>(integerOf(info[3], "samplingDevices", 0, 2));
        DeviceSamplers devices;
        auto* opened = LockedContext({context.disposeMutex, context.ctx}).get();
        if (opened == nullptr) throw Napi::Error::New(info.Env(), "the context is closed or has not been opened");
        vocabulary = llama.llama_vocab_n_tokens(llama.llama_model_get_vocab(llama.llama_get_model(opened)));
        const auto* model = llama.llama_get_model(opened);
        embeddingWidth = static_cast<size_t>(llama.llama_model_n_embd_inp(model));
        const auto rope = llama.llama_model_rope_type(model);
        positionAxes = rope == LLAMA_ROPE_TYPE_MROPE || rope == LLAMA_ROPE_TYPE_IMROPE ? 4 : 1;
        devices.open(opened, wanted, context.context_params.n_outputs_max_per_seq);
        samplingDevice = devices.device();
        keepAlive = Napi::Persistent(info[0].As<Napi::Object>());
        const auto noFunction = Napi::Function::New(info.Env(), [](const Napi::CallbackInfo&) {});
        answers = Napi::ThreadSafeFunction::New(info.Env(), noFunction, "ggufd step", 0, 1);
        answers.Unref(info.Env());
        auto pools = std::make_shared<ThreadPools>();
        using Pools = std::shared_ptr<ThreadPools>;
        info[0].As<Napi::Object>().AddFinalizer([](Napi::Env, Pools* owned) { delete owned; }, new Pools(pools));
        if (!info[4].IsUndefined()) {
            auto made = drafterOf(info[4], opened, contextOf);
            drafter = std::move(made.drafter);
            keepDraftContext = std::move(made.keepAlive);
        }
        thread = std::make_unique<StepThread>(
            SharedContext{context.disposeMutex, context.ctx}, std::move(pools), abortFlagsOf(context), canGoBack,
            drawingThreads, std::move(devices), drafter, CachePages(opened)
        );
    }

    ~Stepper() { end(); }

private:
    // Numbers of a part in `step`, in this order.
    enum Field {
        sequence, position, tokenCount, logitsFrom, samplerId, maxDraws, decidedCount, givenCount, scoring, top,
        awaitsMask, mayFollow, keepsRows, fieldCount
    };
    static constexpr int32_t noSampler = -1;

    int32_t vocabulary = 0;
    // Number of input floats of a cell without a token, and numbers in its position.
    size_t embeddingWidth = 0;
    size_t positionAxes = 1;
    // The device other than the CPU that draws tokens when the thread starts; empty if there is
    // none.
    std::string samplingDevice;
    Napi::ObjectReference keepAlive;
    Napi::ObjectReference keepDraftContext;
    // nullptr if there is none.
    std::shared_ptr<Drafter> drafter;
    Napi::ThreadSafeFunction answers;
    std::unique_ptr<StepThread> thread;
    std::unordered_map<int32_t, std::shared_ptr<TokenSampler>> samplers;
    int32_t nextSampler = 0;
    // Number of pending answers; the process stays alive until there are none.
    size_t owed = 0;

    void end() {
        if (thread == nullptr) return;
        thread = nullptr;
        answers.Release();
    }

    Drafter& openDrafter(Napi::Env env) const {
        if (drafter == nullptr) throw Napi::Error::New(env, "there is nothing that proposes tokens");
        return *drafter;
    }

    StepThread& openThread(Napi::Env env) {
        if (thread == nullptr) throw Napi::Error::New(env, "the stepper is closed");
        return *thread;
    }

    // createSampler(description) → its id
    Napi::Value CreateSampler(const Napi::CallbackInfo& info) {
        samplers[nextSampler] = samplerOf(info[0], vocabulary);
        return Napi::Number::New(info.Env(), nextSampler++);
    }

    Napi::Value ReleaseSampler(const Napi::CallbackInfo& info) {
        samplers.erase(info[0].As<Napi::Number>().Int32Value());
        return info.Env().Undefined();
    }

    std::shared_ptr<TokenSampler> samplerNamed(Napi::Env env, int32_t id) const {
        const auto found = samplers.find(id);
        if (found == samplers.end()) throw Napi::RangeError::New(env, "there is no sampler " + std::to_string(id));
        return found->second;
    }

    // Takes consecutive lists of tokens.
    class Tokens {
    public:
        explicit Tokens(std::vector<int32_t> all) : all(std::move(all)) {}

        std::vector<llama_token> take(Napi::Env env, int32_t count) {
            if (count < 0 || at + static_cast<size_t>(count) > all.size()) {
                throw Napi::RangeError::New(env, "tokens: there are fewer than the parts have");
            }
            const auto begin = all.begin() + static_cast<std::ptrdiff_t>(at);
            at += static_cast<size_t>(count);
            return {begin, begin + count};
        }

    private:
        std::vector<int32_t> all;
        size_t at = 0;
    };

    DrawRequest drawOf(Napi::Env env, const int32_t* fields, Tokens& tokens) const {
        DrawRequest draw;
        draw.maxDraws = static_cast<uint32_t>(fields[maxDraws]);
        draw.decided = tokens.take(env, fields[decidedCount]);
        draw.given = tokens.take(env, fields[givenCount]);
        draw.scoring = static_cast<Scoring>(fields[scoring]);
        draw.top = static_cast<uint32_t>(fields[top]);
        draw.awaitsMask = fields[awaitsMask] != 0;
        draw.keepsRows = fields[keepsRows] != 0;
        if (fields[samplerId] != noSampler) draw.sampler = samplerNamed(env, fields[samplerId]);
        else if (draw.maxDraws > 0) throw Napi::RangeError::New(env, "sampler: there is none to draw with");
        return draw;
    }

    std::vector<uint32_t> maskOf(const Napi::Value& value) const {
        if (value.IsUndefined()) return {};
        const auto array = typedArrayOf<Napi::Uint32Array>(value, napi_uint32_array, "mask");
        const size_t words = (static_cast<size_t>(vocabulary) + 31) / 32;
        if (array.ElementLength() != words) {
            throw Napi::RangeError::New(
                value.Env(),
                "mask: expected " + std::to_string(words) + " words, got " + std::to_string(array.ElementLength())
            );
        }
        return {array.Data(), array.Data() + words};
    }

    // Returns a callback that calls `deliver` with an outcome on JavaScript's thread.
    template <typename Outcome, typename Deliver>
    std::function<void(Outcome)> answering(Napi::Env env, Deliver deliver) {
        if (owed++ == 0) answers.Ref(env);
        return [this, answers = answers, deliver](Outcome outcome) mutable {
            auto* kept = new Outcome(std::move(outcome));
            const auto status = answers.NonBlockingCall(kept, [this, answers, deliver](Napi::Env env, Napi::Function, Outcome* told) {
                const std::unique_ptr<Outcome> owned(told);
                const Napi::HandleScope scope(env);
                if (--owed == 0) answers.Unref(env);
                deliver(env, *owned);
                Unref();
            });
            if (status != napi_ok) delete kept;
        };
    }

    // step(parts, tokens, threads, mayGoOn) → Promise of the outcome: `parts` contains the numbers
    // of `Field` for each part, `tokens` its tokens, the decided ones and the given ones, all
    // concatenated.
    Napi::Value Step(const Napi::CallbackInfo& info) {
        const auto env = info.Env();
        auto& running = openThread(env);
        const auto parts = integersOf(info[0], "parts");
        Tokens tokens(integersOf(info[1], "tokens"));
        if (parts.empty() || parts.size() % fieldCount != 0) {
            throw Napi::RangeError::New(env, "parts: expected " + std::to_string(fieldCount) + " numbers for each");
        }
        ggufd::Step step;
        step.threads = integerOf(info[2], "threads", 0, GGML_MAX_N_THREADS);
        step.mayGoOn = info[3].ToBoolean();
        for (size_t at = 0; at < parts.size(); at += fieldCount) {
            const auto* fields = parts.data() + at;
            StepPart part;
            part.sequence = fields[sequence];
            part.position = fields[position];
            part.tokens = tokens.take(env, fields[tokenCount]);
            part.logitsFrom = static_cast<uint32_t>(fields[logitsFrom]);
            part.draw = drawOf(env, fields, tokens);
            part.mayFollow = fields[mayFollow] != 0;
            if (part.logitsFrom + part.draw.maxDraws > part.tokens.size()) {
                throw Napi::RangeError::New(env, "maxDraws: there are fewer rows of logits");
            }
            step.parts.push_back(std::move(part));
        }
        auto deferred = Napi::Promise::Deferred::New(env);
        // Keeps this object alive until it has answered.
        Ref();
        running.step(std::move(step), answering<StepOutcome>(env, [deferred](Napi::Env env, const StepOutcome& outcome) {
            auto result = describe(env, outcome.parts);
            result.Set("result", Napi::Number::New(env, outcome.result));
            result.Set("error", outcome.error);
            result.Set("wasBegun", Napi::Boolean::New(env, outcome.wasBegun));
            deferred.Resolve(result);
        }));
        return deferred.Promise();
    }

    // mask(part, mask): for a part of the current step that awaits it; with undefined, nothing is
    // drawn for it.
    Napi::Value Mask(const Napi::CallbackInfo& info) {
        const auto part = static_cast<size_t>(integerOf(info[0], "part", 0, std::numeric_limits<int32_t>::max()));
        openThread(info.Env()).mask(part, maskOf(info[1]));
        return info.Env().Undefined();
    }

    // draw(row, part, tokens, mask) → Promise of the outcome, for one row of the last step; the
    // numbers of `part` that describe the batch are ignored.
    Napi::Value Draw(const Napi::CallbackInfo& info) {
        const auto env = info.Env();
        auto& running = openThread(env);
        const auto row = integerOf(info[0], "row", 0, std::numeric_limits<int32_t>::max());
        const auto fields = integersOf(info[1], "part");
        if (fields.size() != fieldCount) throw Napi::RangeError::New(env, "part: expected other numbers");
        Tokens tokens(integersOf(info[2], "tokens"));
        auto request = drawOf(env, fields.data(), tokens);
        request.mask = maskOf(info[3]);
        auto deferred = Napi::Promise::Deferred::New(env);
        Ref();
        running.draw(row, std::move(request), answering<PartOutcome>(env, [deferred](Napi::Env env, const PartOutcome& outcome) {
            deferred.Resolve(describe(env, {outcome}));
        }));
        return deferred.Promise();
    }

    // propose(texts, tokens, length, threads) → Promise<{ error, counts, tokens }>: `texts`
    // contains the sequence, the first position and the number of the last tokens of each text,
    // `tokens` those tokens, concatenated.
    Napi::Value Propose(const Napi::CallbackInfo& info) {
        const auto env = info.Env();
        auto& running = openThread(env);
        openDrafter(env);
        const auto texts = integersOf(info[0], "texts");
        Tokens tokens(integersOf(info[1], "tokens"));
        if (texts.size() % 3 != 0) throw Napi::RangeError::New(env, "texts: expected 3 numbers for each");
        std::vector<TextEnd> ends;
        for (size_t at = 0; at < texts.size(); at += 3) {
            if (at > 0 && texts[at] <= texts[at - 3]) throw Napi::RangeError::New(env, "texts: expected ascending sequences");
            ends.push_back({texts[at], texts[at + 1], tokens.take(env, texts[at + 2])});
        }
        const auto length = static_cast<uint32_t>(integerOf(info[2], "length", 1, 64));
        const auto threads = integerOf(info[3], "threads", 0, GGML_MAX_N_THREADS);
        auto deferred = Napi::Promise::Deferred::New(env);
        Ref();
        running.propose(std::move(ends), length, threads, answering<Proposal>(env, [deferred](Napi::Env env, const Proposal& proposal) {
            auto counts = Napi::Int32Array::New(env, proposal.drafts.size());
            size_t count = 0;
            for (size_t index = 0; index < proposal.drafts.size(); index++) {
                counts[index] = static_cast<int32_t>(proposal.drafts[index].size());
                count += proposal.drafts[index].size();
            }
            auto drafted = Napi::Int32Array::New(env, count);
            size_t at = 0;
            for (const auto& draft : proposal.drafts) at = copyInto(drafted, at, draft);
            auto result = Napi::Object::New(env);
            result.Set("error", proposal.error);
            result.Set("counts", counts);
            result.Set("tokens", drafted);
            deferred.Resolve(result);
        }));
        return deferred.Promise();
    }

    // evaluateCells(sequence, positions, rows, isCausal, threads) → Promise<{ result, error }>:
    // `rows` contains the embeddings of the cells, concatenated; `positions` their positions, axis
    // by axis.
    Napi::Value EvaluateCells(const Napi::CallbackInfo& info) {
        const auto env = info.Env();
        auto& running = openThread(env);
        EmbeddingBatch batch;
        batch.sequence = integerOf(info[0], "sequence", 0, std::numeric_limits<int32_t>::max());
        batch.positions = integersOf(info[1], "positions");
        const auto rows = typedArrayOf<Napi::Float32Array>(info[2], napi_float32_array, "rows");
        batch.rows.assign(rows.Data(), rows.Data() + rows.ElementLength());
        batch.isCausal = info[3].ToBoolean();
        batch.threads = integerOf(info[4], "threads", 0, GGML_MAX_N_THREADS);
        const auto cells = embeddingWidth > 0 ? batch.rows.size() / embeddingWidth : 0;
        const bool isWhole = cells > 0 && cells * embeddingWidth == batch.rows.size();
        if (!isWhole || batch.positions.size() != cells * positionAxes) {
            throw Napi::RangeError::New(env, "rows: expected whole ones, and positions for each");
        }
        batch.cells = static_cast<int32_t>(cells);
        auto deferred = Napi::Promise::Deferred::New(env);
        Ref();
        running.evaluateCells(
            std::move(batch),
            answering<EmbeddingOutcome>(env, [deferred](Napi::Env env, const EmbeddingOutcome& outcome) {
                auto result = Napi::Object::New(env);
                result.Set("result", Napi::Number::New(env, outcome.result));
                result.Set("error", outcome.error);
                deferred.Resolve(result);
            })
        );
        return deferred.Promise();
    }

    // truncateDrafts(sequence, length), copyDrafts(from, to), clearDrafts(): report changes to the
    // sequences.
    Napi::Value TruncateDrafts(const Napi::CallbackInfo& info) {
        constexpr auto most = std::numeric_limits<int32_t>::max();
        openDrafter(info.Env()).truncate(integerOf(info[0], "sequence", 0, most), integerOf(info[1], "length", 0, most));
        return info.Env().Undefined();
    }

    Napi::Value CopyDrafts(const Napi::CallbackInfo& info) {
        constexpr auto most = std::numeric_limits<int32_t>::max();
        openDrafter(info.Env()).copy(integerOf(info[0], "from", 0, most), integerOf(info[1], "to", 0, most));
        return info.Env().Undefined();
    }

    Napi::Value ClearDrafts(const Napi::CallbackInfo& info) {
        openDrafter(info.Env()).clear();
        return info.Env().Undefined();
    }

    Napi::Value Hold(const Napi::CallbackInfo& info) {
        openThread(info.Env()).hold();
        return info.Env().Undefined();
    }

    Napi::Value Rest(const Napi::CallbackInfo& info) {
        openThread(info.Env()).rest();
        return info.Env().Undefined();
    }

    Napi::Value Retract(const Napi::CallbackInfo& info) {
        openThread(info.Env()).retract();
        return info.Env().Undefined();
    }

    Napi::Value SamplingDevice(const Napi::CallbackInfo& info) {
        return samplingDevice.empty() ? info.Env().Undefined() : Napi::String::New(info.Env(), samplingDevice);
    }

    Napi::Value Vocabulary(const Napi::CallbackInfo& info) { return Napi::Number::New(info.Env(), vocabulary); }

    Napi::Value Close(const Napi::CallbackInfo& info) {
        if (thread != nullptr) thread->leave();
        end();
        samplers.clear();
        drafter = nullptr;
        keepDraftContext.Reset();
        keepAlive.Reset();
        return info.Env().Undefined();
    }

    // Describes the status and number of drawn tokens of each part, all tokens, and their
    // log-probabilities.
    static Napi::Object describe(Napi::Env env, const std::vector<PartOutcome>& parts) {
        auto statuses = Napi::Int32Array::New(env, parts.size());
        auto counts = Napi::Int32Array::New(env, parts.size());
        size_t drawn = 0;
        size_t scored = 0;
        int32_t ofDevice = 0;
        for (size_t index = 0; index < parts.size(); index++) {
            statuses[index] = static_cast<int32_t>(parts[index].status);
            counts[index] = static_cast<int32_t>(parts[index].drawn.size());
            drawn += parts[index].drawn.size();
            scored += parts[index].scores.size();
            ofDevice += parts[index].isOfDevice ? 1 : 0;
        }
        auto tokens = Napi::Int32Array::New(env, drawn);
        size_t at = 0;
        for (const auto& part : parts) at = copyInto(tokens, at, part.drawn);
        auto result = Napi::Object::New(env);
        result.Set("statuses", statuses);
        result.Set("counts", counts);
        result.Set("tokens", tokens);
        result.Set("ofDevice", Napi::Number::New(env, ofDevice));
        if (scored > 0) result.Set("scores", describeScores(env, parts));
        return result;
    }

    template <typename Array, typename Element>
    static size_t copyInto(Array& array, size_t at, const std::vector<Element>& values) {
        std::copy(values.begin(), values.end(), array.Data() + at);
        return at + values.size();
    }

    // Describes the scores of each drawn token of scored parts.
    static Napi::Object describeScores(Napi::Env env, const std::vector<PartOutcome>& parts) {
        std::vector<float> drawn;
        std::vector<int32_t> topCounts;
        std::vector<int32_t> topTokens;
        std::vector<float> ofTop;
        for (const auto& part : parts) {
            for (const auto& scores : part.scores) {
                drawn.push_back(scores.drawn);
                topCounts.push_back(static_cast<int32_t>(scores.top.size()));
                for (const auto& [token, logProbability] : scores.top) {
                    topTokens.push_back(token);
                    ofTop.push_back(logProbability);
                }
            }
        }
        auto result = Napi::Object::New(env);
        result.Set("drawn", arrayOf<Napi::Float32Array>(env, drawn));
        result.Set("topCounts", arrayOf<Napi::Int32Array>(env, topCounts));
        result.Set("topTokens", arrayOf<Napi::Int32Array>(env, topTokens));
        result.Set("ofTop", arrayOf<Napi::Float32Array>(env, ofTop));
        return result;
    }

    template <typename Array, typename Element>
    static Array arrayOf(Napi::Env env, const std::vector<Element>& values) {
        auto array = Array::New(env, values.size());
        copyInto(array, 0, values);
        return array;
    }
};

}  // namespace ggufd
