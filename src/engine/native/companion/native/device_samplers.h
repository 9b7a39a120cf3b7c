// Selects the sequences of a context that are sampled by the device that computes their logits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device_chain.h"
#include "llama_library.h"
#include "step.h"

namespace ggufd {

// Devices whose rows may be sampled where they are computed.
enum class SamplingDevices : int32_t { none = 0, gpus = 1, any = 2 };

// The chains attached to the sequences of a context. After attaching or detaching one, llama.cpp
// reserves the graph's memory again with the next batch, which takes milliseconds. A chain
// therefore stays attached when its generation ends, and the next one of the same kind reuses it.
// The context must not compute after this object is destroyed unless detachAll was called.
class DeviceSamplers {
public:
    // Determines whether the device of the context's output layer can run all supported stages.
    // outputsPerSequence: the context's `n_outputs_max_per_seq`; for values other than 1, llama.cpp
    // would build a chain for each row.
    void open(llama_context* context, SamplingDevices wanted, uint32_t outputsPerSequence) {
        if (wanted == SamplingDevices::none || outputsPerSequence != 1) return;
        // Checks first that there is a GPU, because asking llama.cpp reserves the graph again.
        if (wanted == SamplingDevices::gpus && !isAnyGpu()) return;
        vocabulary = llama.llama_vocab_n_tokens(llama.llama_model_get_vocab(llama.llama_get_model(context)));
        sequences = static_cast<llama_seq_id>(llama.llama_n_seq_max(context));
        const DeviceChain all(everyStage(vocabulary), vocabulary);
        if (llama.llama_set_sampler(context, 0, all.get()) && all.refusedStage().empty() && isWanted(all, wanted)) {
            found = all.device();
        }
        llama.llama_set_sampler(context, 0, nullptr);
    }

    // The device's name; empty if rows are sampled from logits.
    std::string device() const { return found == nullptr ? "" : llama.ggml_backend_dev_name(found); }

    // Decides which parts of the next batch the device samples, and loads the states of their
    // samplers.
    void begin(llama_context* context, const Step& step) {
        drawing.assign(step.parts.size(), nullptr);
        hasChanged = false;
        if (found == nullptr) return;
        for (size_t index = 0; index < step.parts.size(); index++) {
            const auto& part = step.parts[index];
            const size_t rows = part.tokens.size() - part.logitsFrom;
            if (rows == 0) continue;
            if (rows > 1 && part.draw.sampler != nullptr) part.draw.sampler->stayOnRows();
            if (needsRows(part.draw, rows)) detach(context, part.sequence);
            else drawing[index] = &attachedTo(context, part.sequence, *part.draw.sampler);
        }
        if (hasChanged) attachIdle(context, step);
        for (size_t index = 0; index < step.parts.size(); index++) {
            if (drawing[index] == nullptr) continue;
            const auto& draw = step.parts[index].draw;
            drawing[index]->load(*draw.sampler);
            for (const auto token : draw.decided) drawing[index]->accept(token);
        }
    }

    // Whether the batch requires memory to be reserved again.
    bool isChanged() const { return hasChanged; }

    bool draws(size_t part) const { return drawing[part] != nullptr; }

    // Returns the token drawn for a part of the evaluated batch. If none was drawn, its sampler is
    // unchanged.
    PartOutcome drawn(llama_context* context, size_t index, int32_t row, const DrawRequest& request) const {
        PartOutcome outcome;
        const float* sum = llama.llama_get_sampled_probs_ith(context, row);
        if (sum == nullptr || !std::isfinite(*sum)) {
            outcome.status = DrawStatus::notFinite;
            return outcome;
        }
        const llama_token token = llama.llama_get_sampled_token_ith(context, row);
        if (token < 0 || token >= vocabulary) {
            outcome.status = DrawStatus::noToken;
            return outcome;
        }
        drawing[index]->store(*request.sampler);
        request.sampler->noteAccepted(request.decided.size());
        outcome.drawn.push_back(request.given.empty() ? token : request.given.front());
        outcome.isOfDevice = true;
        return outcome;
    }

    // Detaches all chains, so that the context can be used without this object. The device draws
    // nothing afterwards.
    void detachAll(llama_context* context) {
        for (const auto& [sequence, one] : attached) llama.llama_set_sampler(context, sequence, nullptr);
        attached.clear();
        std::fill(drawing.begin(), drawing.end(), nullptr);
        found = nullptr;
    }

private:
    struct Attached {
        std::string kind;
        std::unique_ptr<DeviceChain> chain;
    };

    int32_t vocabulary = 0;
    llama_seq_id sequences = 0;
    ggml_backend_dev_t found = nullptr;
    std::map<llama_seq_id, Attached> attached;
    // Chains by the parts of the current batch.
    std::vector<DeviceChain*> drawing;
    bool hasChanged = false;

    static TokenSampler everyStage(int32_t vocabulary) {
        OwnedSampler chain(llama.llama_sampler_chain_init(llama.llama_sampler_chain_default_params()));
        for (auto* stage : {
                 llama.llama_sampler_init_penalties(vocabulary, 1, 2.0f, 1.0f, 1.0f),
                 llama.llama_sampler_init_top_k(2),
                 llama.llama_sampler_init_top_p(0.5f, 0),
                 llama.llama_sampler_init_min_p(0.5f, 0),
                 llama.llama_sampler_init_temp_ext(0.5f, 0.0f, 1.0f),
                 llama.llama_sampler_init_dist(0),
             }) {
            llama.llama_sampler_chain_add(chain.get(), stage);
        }
        return {std::move(chain), {{0, 1.0f}}, {}, Choice::drawn, std::string()};
    }

    static bool isAnyGpu() {
        return llama.ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_GPU) != nullptr ||
               llama.ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_IGPU) != nullptr;
    }

    static bool isWanted(const DeviceChain& chain, SamplingDevices wanted) {
        if (chain.device() == nullptr) return false;
        const auto type = llama.ggml_backend_dev_type(chain.device());
        const bool isGpu = type == GGML_BACKEND_DEVICE_TYPE_GPU || type == GGML_BACKEND_DEVICE_TYPE_IGPU;
        // With the tested Vulkan driver, Mesa's, reserving graphs again corrupts memory.
        auto* registry = llama.ggml_backend_dev_backend_reg(chain.device());
        const bool isTrusted = std::string(llama.ggml_backend_reg_name(registry)) != "Vulkan";
        return wanted == SamplingDevices::any || (isGpu && isTrusted);
    }

    static bool needsRows(const DrawRequest& draw, size_t rows) {
        return draw.sampler == nullptr || !draw.sampler->deviceKind().has_value() || draw.maxDraws != 1 || rows != 1 ||
               draw.keepsRows || !draw.mask.empty() || draw.awaitsMask || draw.scoring != Scoring::none;
    }

    DeviceChain& attachedTo(llama_context* context, llama_seq_id sequence, const TokenSampler& sampler) {
        const auto known = attached.find(sequence);
        if (known == attached.end() || known->second.kind != *sampler.deviceKind()) attach(context, sequence, sampler);
        return *attached.at(sequence).chain;
    }

    void attach(llama_context* context, llama_seq_id sequence, const TokenSampler& sampler) {
        auto chain = std::make_unique<DeviceChain>(sampler, vocabulary);
        // Replaces the previous chain, which is freed afterwards.
        llama.llama_set_sampler(context, sequence, chain->get());
        attached[sequence] = {*sampler.deviceKind(), std::move(chain)};
        hasChanged = true;
    }

    void detach(llama_context* context, llama_seq_id sequence) {
        if (attached.count(sequence) == 0) return;
        llama.llama_set_sampler(context, sequence, nullptr);
        attached.erase(sequence);
        hasChanged = true;
    }

    // Attaches chains to idle sequences as well. Memory is reserved anyway, an unused chain is not
    // computed, and the next generation is likely to be of the same kind.
    void attachIdle(llama_context* context, const Step& step) {
        const auto like = std::find_if(drawing.begin(), drawing.end(), [](const auto* one) { return one != nullptr; });
        if (like == drawing.end()) return;
        const auto& sampler = *step.parts[static_cast<size_t>(like - drawing.begin())].draw.sampler;
        for (llama_seq_id sequence = 0; sequence < sequences; sequence++) {
            const bool isIn = std::any_of(step.parts.begin(), step.parts.end(), [&](const auto& one) {
                return one.sequence == sequence;
            });
            if (!isIn && attached.count(sequence) == 0) attach(context, sequence, sampler);
        }
    }
};

}  // namespace ggufd
