// Pools texts to one vector each: embeddings, or scores of a reranker. Without a pooling method,
// each token has a vector.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "AddonContext.h"
#include "arguments.h"
#include "drafting_argument.h"
#include "llama_library.h"
#include "step.h"
#include "thread_pools.h"

namespace ggufd {

// Texts of one batch, each of which is a sequence.
struct TextBatch {
    // The tokens of all texts, one text after the other.
    std::vector<llama_token> tokens;
    std::vector<int32_t> lengths;
    int32_t threads;
};

// Evaluates a batch and reads its vectors on a thread of Node's pool.
class PoolingWorker : public Napi::AsyncWorker {
public:
    PoolingWorker(Napi::Object pooler, SharedContext shared, std::shared_ptr<ThreadPools> pools, TextBatch texts)
        : Napi::AsyncWorker(pooler.Env(), "GgufdPooling"),
          promise(Napi::Promise::Deferred::New(pooler.Env())),
          keepAlive(Napi::Persistent(pooler)),
          shared(std::move(shared)),
          pools(std::move(pools)),
          texts(std::move(texts)) {}

    Napi::Promise::Deferred promise;

protected:
    void Execute() override {
        const LockedContext locked(shared);
        auto* context = locked.get();
        if (context == nullptr) return SetError("the context is closed or has not been opened");
        const auto problem = problemOf(context);
        if (!problem.empty()) return SetError(problem);
        pools->use(context, texts.threads);
        try {
            const auto result = evaluate(context);
            if (result != 0) SetError("llama_decode returned " + std::to_string(result));
            else readVectors(context);
        } catch (const std::exception& thrown) {
            SetError(thrown.what());
        }
        auto* memory = llama.llama_get_memory(context);
        if (memory != nullptr) llama.llama_memory_clear(memory, false);
    }

    void OnOK() override {
        auto result = Napi::Float32Array::New(Env(), vectors.size());
        std::copy(vectors.begin(), vectors.end(), result.Data());
        promise.Resolve(result);
    }

    void OnError(const Napi::Error& error) override { promise.Reject(error.Value()); }

private:
    // llama.cpp would end the process for a batch that does not fit.
    std::string problemOf(llama_context* context) const {
        if (texts.lengths.size() > llama.llama_n_seq_max(context)) return "a batch has more sequences than the context";
        if (texts.tokens.size() > llama.llama_n_ubatch(context)) return "a batch has more tokens than fit into one pass";
        size_t total = 0;
        for (const auto length : texts.lengths) {
            if (length < 1) return "a sequence has no tokens";
            total += static_cast<size_t>(length);
        }
        return total == texts.tokens.size() ? "" : "the lengths of the sequences differ from the number of tokens";
    }

    int32_t evaluate(llama_context* context) {
        std::vector<llama_pos> positions;
        std::vector<int32_t> counts(texts.tokens.size(), 1);
        std::vector<llama_seq_id> ids(texts.lengths.size());
        std::vector<llama_seq_id*> sequences;
        std::vector<int8_t> isOutput(texts.tokens.size(), 1);
        for (size_t text = 0; text < texts.lengths.size(); text++) {
            ids[text] = static_cast<llama_seq_id>(text);
            for (llama_pos position = 0; position < texts.lengths[text]; position++) {
                positions.push_back(position);
                sequences.push_back(&ids[text]);
            }
        }
        llama_batch batch = {};
        batch.n_tokens = static_cast<int32_t>(texts.tokens.size());
        batch.token = texts.tokens.data();
        batch.pos = positions.data();
        batch.n_seq_id = counts.data();
        batch.seq_id = sequences.data();
        batch.logits = isOutput.data();
        return llama.llama_decode(context, batch);
    }

    void readVectors(llama_context* context) {
        const auto* model = llama.llama_get_model(context);
        const auto pooling = llama.llama_pooling_type(context);
        const bool isRank = pooling == LLAMA_POOLING_TYPE_RANK;
        const bool isPooled = pooling != LLAMA_POOLING_TYPE_NONE;
        const size_t length = isRank ? llama.llama_model_n_cls_out(model) : llama.llama_model_n_embd_out(model);
        const auto count = static_cast<int32_t>(isPooled ? texts.lengths.size() : texts.tokens.size());
        for (int32_t index = 0; index < count; index++) {
            const float* vector = isPooled ? llama.llama_get_embeddings_seq(context, index)
                                           : llama.llama_get_embeddings_ith(context, index);
            if (vector == nullptr) return SetError("llama.cpp returned no vector " + std::to_string(index));
            vectors.insert(vectors.end(), vector, vector + length);
        }
    }

    Napi::ObjectReference keepAlive;
    const SharedContext shared;
    const std::shared_ptr<ThreadPools> pools;
    TextBatch texts;
    std::vector<float> vectors;
};

// new Pooler(context, sharing?): `sharing` is a pooler whose threads it uses.
class Pooler : public Napi::ObjectWrap<Pooler> {
public:
    static Napi::Function define(Napi::Env env, const ContextOf* contextOf) {
        return DefineClass(
            env, "Pooler",
            {InstanceMethod("pool", &Pooler::Pool), InstanceMethod("rest", &Pooler::Rest)},
            const_cast<ContextOf*>(contextOf)
        );
    }

    explicit Pooler(const Napi::CallbackInfo& info) : Napi::ObjectWrap<Pooler>(info) {
        const auto& contextOf = *static_cast<const ContextOf*>(info.Data());
        auto& context = contextOf(info[0]);
        shared.emplace(SharedContext{context.disposeMutex, context.ctx});
        if (LockedContext(*shared).get() == nullptr) {
            throw Napi::Error::New(info.Env(), "the context is closed or has not been opened");
        }
        const auto object = info[0].As<Napi::Object>();
        keepAlive = Napi::Persistent(object);
        pools = info[1].IsObject() ? Unwrap(info[1].As<Napi::Object>())->pools : std::make_shared<ThreadPools>();
        // The pools outlive the context.
        using Pools = std::shared_ptr<ThreadPools>;
        object.AddFinalizer([](Napi::Env, Pools* owned) { delete owned; }, new Pools(pools));
    }

private:
    // pool(tokens, lengths, threads) → Promise<Float32Array> of the vectors, one after the other: of
    // texts, or without a pooling method of tokens.
    Napi::Value Pool(const Napi::CallbackInfo& info) {
        auto tokens = integersOf(info[0], "tokens");
        auto lengths = integersOf(info[1], "lengths");
        const auto threads = integerOf(info[2], "threads", 1, GGML_MAX_N_THREADS);
        auto* worker = new PoolingWorker(
            info.This().As<Napi::Object>(), *shared, pools, {std::move(tokens), std::move(lengths), threads}
        );
        const auto promise = worker->promise.Promise();
        worker->Queue();
        return promise;
    }

    // rest(): must not be called while a batch is evaluated.
    Napi::Value Rest(const Napi::CallbackInfo& info) {
        pools->rest();
        return info.Env().Undefined();
    }

    std::optional<SharedContext> shared;
    Napi::ObjectReference keepAlive;
    std::shared_ptr<ThreadPools> pools;
};

}  // namespace ggufd
