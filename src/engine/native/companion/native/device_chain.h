// The samplers of a generation as run by a device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device_stages.h"
#include "llama_library.h"
#include "token_sampler.h"

namespace ggufd {

// A chain attached to a sequence of a context. It has the kind of a generation's chain, and
// receives that generation's state for each batch: it can serve successive generations, and each of
// them can continue elsewhere.
class DeviceChain {
public:
    DeviceChain(const TokenSampler& like, int32_t vocabulary)
        : chain(llama.llama_sampler_chain_init(llama.llama_sampler_chain_default_params())),
          row(std::make_shared<DeviceRow>()) {
        add(makeRowCheck(row));
        const auto biases = like.allBiases(vocabulary);
        if (!biases.empty()) {
            const auto count = static_cast<int32_t>(biases.size());
            add(llama.llama_sampler_init_logit_bias(vocabulary, count, biases.data()));
        }
        const int32_t stages = llama.llama_sampler_chain_n(like.stages());
        for (int32_t index = 0; index < stages; index++) {
            auto* stage = llama.llama_sampler_chain_get(like.stages(), index);
            places.push_back(llama.llama_sampler_chain_n(chain.get()));
            add(llama.llama_sampler_clone(stage));
            if (isNamed(stage, "top-k") && !isAnyNamed(like.stages(), index + 1, "top-p")) add(makeDescending());
        }
        add(makeTokenOnly(row));
    }

    llama_sampler* get() const { return chain.get(); }

    // The device that computes the chain, once it is attached; nullptr if it never was.
    ggml_backend_dev_t device() const { return row->device; }

    // The first stage of an attached chain that the device cannot run; empty if there is none.
    std::string refusedStage() const {
        for (const auto place : places) {
            const std::string name = llama.llama_sampler_name(llama.llama_sampler_chain_get(chain.get(), place));
            // llama.cpp marks stages that run on the device with "+", and those without effect with
            // "?".
            if (name.front() != '+' && name.front() != '?') return name;
        }
        return {};
    }

    // Loads the state of a generation's samplers.
    void load(const TokenSampler& sampler) {
        eachStage(sampler, [](llama_sampler* own, llama_sampler* others) { llama.llama_sampler_copy(others, own); });
    }

    void accept(llama_token token) { llama.llama_sampler_accept(chain.get(), token); }

    // Stores the state back, including tokens accepted and drawn meanwhile.
    void store(TokenSampler& sampler) const {
        eachStage(sampler, [](llama_sampler* own, llama_sampler* others) { llama.llama_sampler_copy(own, others); });
    }

private:
    OwnedSampler chain;
    std::shared_ptr<DeviceRow> row;
    // Index of each stage of the generation's chain.
    std::vector<int32_t> places;

    void add(llama_sampler* stage) { llama.llama_sampler_chain_add(chain.get(), stage); }

    static bool isNamed(const llama_sampler* stage, const std::string& name) {
        return llama.llama_sampler_name(stage) == name;
    }

    static bool isAnyNamed(llama_sampler* stages, int32_t from, const std::string& name) {
        for (int32_t index = from; index < llama.llama_sampler_chain_n(stages); index++) {
            if (isNamed(llama.llama_sampler_chain_get(stages, index), name)) return true;
        }
        return false;
    }

    template <typename Copy>
    void eachStage(const TokenSampler& sampler, Copy copy) const {
        for (size_t index = 0; index < places.size(); index++) {
            copy(
                llama.llama_sampler_chain_get(chain.get(), places[index]),
                llama.llama_sampler_chain_get(sampler.stages(), static_cast<int32_t>(index))
            );
        }
    }
};

}  // namespace ggufd
