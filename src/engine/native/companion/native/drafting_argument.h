// Creates the drafter described by JavaScript.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "AddonContext.h"
#include "arguments.h"
#include "eagle3_drafter.h"
#include "llama_library.h"
#include "mtp_drafter.h"

namespace ggufd {

// Returns the context of an object, which must be one of an attached binding.
using ContextOf = std::function<AddonContext&(const Napi::Value&)>;

struct MadeDrafter {
    std::shared_ptr<Drafter> drafter;
    // The object of the drafter's context.
    Napi::ObjectReference keepAlive;
};

// value: { kind, context, isOneStream, outputRows, … } with the context of layers for multi-token
// prediction (`layers`), or of an EAGLE-3 head (`targetLayers`).
inline MadeDrafter drafterOf(const Napi::Value& value, llama_context* followed, const ContextOf& contextOf) {
    const auto env = value.Env();
    if (!hiddenStates.missing.empty()) throw Napi::Error::New(env, "llama.cpp has no " + hiddenStates.missing);
    Fields fields(value, "drafting");
    const auto kind = fields.text("kind");
    bool isOneStream = false;
    fields.boolean("isOneStream", isOneStream);
    const auto outputRows = static_cast<size_t>(std::max(1, fields.count("outputRows")));
    MadeDrafter made;
    fields.take("context", [&](const Napi::Value& object) {
        auto& context = contextOf(object);
        const SharedContext shared{context.disposeMutex, context.ctx};
        const size_t sequences = llama.llama_n_seq_max(followed);
        auto* opened = LockedContext(shared).get();
        if (opened == nullptr || llama.llama_n_seq_max(opened) != sequences) {
            throw Napi::Error::New(env, "drafting.context: expected an opened one with as many sequences");
        }
        if (kind == "mtp") {
            const auto layers = std::max(1, fields.count("layers"));
            HiddenStates states(followed, {}, isOneStream);
            const auto width = llama.llama_model_n_embd_out(llama.llama_get_model(opened));
            if (states.width() != static_cast<size_t>(width)) {
                throw Napi::Error::New(env, "drafting.context: expected states as wide as the model's");
            }
            made.drafter = std::make_shared<MtpDrafter>(shared, std::move(states), sequences, outputRows, layers);
        } else if (kind == "eagle3") {
            HiddenStates states(followed, fields.integers("targetLayers"), isOneStream);
            made.drafter = std::make_shared<Eagle3Drafter>(shared, std::move(states), sequences, outputRows);
        } else {
            throw Napi::RangeError::New(env, "drafting.kind: expected mtp or eagle3");
        }
        made.keepAlive = Napi::Persistent(object.As<Napi::Object>());
    });
    fields.expectNoOthers();
    if (made.drafter == nullptr) throw Napi::TypeError::New(env, "drafting.context: expected a context");
    return made;
}

}  // namespace ggufd
