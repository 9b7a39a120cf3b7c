// Builds the samplers of one generation from their description.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arguments.h"
#include "dry.h"
#include "llama_library.h"
#include "token_sampler.h"

namespace ggufd {

// Decodes breakers passed by JavaScript: for each, the number of its tokens, then the tokens.
inline decltype(DryParams::breakers) breakersOf(const std::vector<int32_t>& encoded) {
    decltype(DryParams::breakers) breakers;
    for (size_t at = 0; at < encoded.size();) {
        const auto length = static_cast<size_t>(std::max(encoded[at++], 0));
        if (length == 0 || at + length > encoded.size()) break;
        breakers.emplace(encoded[at], std::vector<llama_token>(encoded.begin() + at + 1, encoded.begin() + at + length));
        at += length;
    }
    return breakers;
}

// Builds one sampler of a chain. Samplers that look back at the prompt accept its tokens here.
inline llama_sampler* stageOf(const Napi::Value& value, int32_t vocabulary) {
    Fields fields(value, "stage");
    const auto type = fields.text("type");
    llama_sampler* made = nullptr;
    std::vector<int32_t> history;
    if (type == "penalties") {
        made = llama.llama_sampler_init_penalties(
            vocabulary, fields.count("window"), fields.number("repetition"), fields.number("frequency"),
            fields.number("presence")
        );
        history = fields.integers("history");
    } else if (type == "dry") {
        made = makeDry({
            fields.number("multiplier"), fields.number("base"), fields.count("allowedLength"),
            static_cast<size_t>(fields.count("window")), breakersOf(fields.integers("breakers")),
        });
        history = fields.integers("history");
    } else if (type == "top-n-sigma") {
        made = llama.llama_sampler_init_top_n_sigma(fields.number("n"));
    } else if (type == "top-k") {
        made = llama.llama_sampler_init_top_k(fields.count("k"));
    } else if (type == "typical-p") {
        made = llama.llama_sampler_init_typical(fields.number("p"), fields.count("minKeep"));
    } else if (type == "top-p") {
        made = llama.llama_sampler_init_top_p(fields.number("p"), fields.count("minKeep"));
    } else if (type == "min-p") {
        made = llama.llama_sampler_init_min_p(fields.number("p"), fields.count("minKeep"));
    } else if (type == "xtc") {
        const auto seed = fields.seed("seed");
        made = llama.llama_sampler_init_xtc(
            fields.number("probability"), fields.number("threshold"), fields.count("minKeep"), seed
        );
    } else if (type == "temperature") {
        made = llama.llama_sampler_init_temp_ext(
            fields.number("temperature"), fields.number("range"), fields.number("exponent")
        );
    } else if (type == "distribution") {
        made = llama.llama_sampler_init_dist(fields.seed("seed"));
    } else if (type == "greedy") {
        made = llama.llama_sampler_init_greedy();
    } else if (type == "adaptive-p") {
        const auto seed = fields.seed("seed");
        made = llama.llama_sampler_init_adaptive_p(fields.number("target"), fields.number("decay"), seed);
    } else if (type == "mirostat") {
        // Number of tokens from which the original algorithm estimates its s, as in llama.cpp's own
        // programs.
        constexpr int32_t estimatedTokens = 100;
        const auto seed = fields.seed("seed");
        made = llama.llama_sampler_init_mirostat(
            vocabulary, seed, fields.number("tau"), fields.number("eta"), estimatedTokens
        );
    } else if (type == "mirostat-2") {
        const auto seed = fields.seed("seed");
        made = llama.llama_sampler_init_mirostat_v2(seed, fields.number("tau"), fields.number("eta"));
    } else {
        throw Napi::TypeError::New(value.Env(), "stage.type: there is no " + type);
    }
    OwnedSampler owned(made);
    fields.expectNoOthers();
    for (const auto token : history) llama.llama_sampler_accept(owned.get(), token);
    return owned.release();
}

// { biasTokens, biasValues, forbidden: [{ tokens, until }], stages, onDevice }
inline std::shared_ptr<TokenSampler> samplerOf(const Napi::Value& value, int32_t vocabulary) {
    Fields fields(value, "sampler");
    const auto biasTokens = fields.integers("biasTokens");
    const auto biasValues = fields.numbers("biasValues");
    if (biasTokens.size() != biasValues.size()) {
        throw Napi::RangeError::New(value.Env(), "sampler.biasValues: expected one for each token");
    }
    std::vector<llama_logit_bias> biases;
    for (size_t index = 0; index < biasTokens.size(); index++) biases.push_back({biasTokens[index], biasValues[index]});
    std::vector<ForbiddenTokens> forbidden;
    fields.each("forbidden", [&](const Napi::Value& one) {
        Fields entry(one, "sampler.forbidden");
        auto tokens = entry.integers("tokens");
        forbidden.push_back({std::move(tokens), static_cast<size_t>(entry.count("until"))});
        entry.expectNoOthers();
    });
    OwnedSampler chain(llama.llama_sampler_chain_init(llama.llama_sampler_chain_default_params()));
    size_t stages = 0;
    bool isGreedy = false;
    fields.each("stages", [&](const Napi::Value& stage) {
        llama.llama_sampler_chain_add(chain.get(), stageOf(stage, vocabulary));
        isGreedy = Fields(stage, "stage").text("type") == "greedy";
        stages++;
    });
    const auto choice = !isGreedy ? Choice::drawn : stages > 1 ? Choice::mostProbable : Choice::largestLogit;
    std::optional<std::string> onDevice;
    fields.take("onDevice", [&](const Napi::Value& kind) { onDevice = std::string(kind.ToString()); });
    fields.expectNoOthers();
    return std::make_shared<TokenSampler>(
        std::move(chain), std::move(biases), std::move(forbidden), choice, std::move(onDevice)
    );
}

}  // namespace ggufd
