// llama.cpp's functions for hidden states. They are C++ functions of a staging header
// (src/llama-ext.h) that may change with any version: without them the companion works, but
// drafting from hidden states does not.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <string>

#include "llama.h"

namespace ggufd {

// Local name, symbol (of the Itanium ABI, the same on x64 and arm64), return type, parameters.
//   setStates         outputs each token's state before the output matrix; masked: only of tokens
//                     with logits
//   states            those states, concatenated
//   stateOfOutput     one of them, if they are masked
//   selectMtpLayer    selects one of several layers for multi-token prediction
//   setLayerInput     outputs the input of a layer, for each token
//   layerInput        those inputs, concatenated
#define GGUFD_HIDDEN_STATE_FUNCTIONS(each)                                                                         \
    each(setStates, "_Z26llama_set_embeddings_nextnP13llama_contextbb", void, llama_context*, bool, bool)          \
    each(states, "_Z26llama_get_embeddings_nextnP13llama_context", float*, llama_context*)                         \
    each(stateOfOutput, "_Z30llama_get_embeddings_nextn_ithP13llama_contexti", float*, llama_context*, int32_t)    \
    each(selectMtpLayer, "_Z28llama_set_nextn_layer_offsetP13llama_contexti", void, llama_context*, int32_t)       \
    each(setLayerInput, "_Z30llama_set_embeddings_layer_inpP13llama_contextjb", void, llama_context*, uint32_t, bool) \
    each(layerInput, "_Z30llama_get_embeddings_layer_inpP13llama_contextj", float*, llama_context*, uint32_t)

struct HiddenStatesLibrary {
#define GGUFD_DECLARE(name, symbol, result, ...) result (*name)(__VA_ARGS__) = nullptr;
    GGUFD_HIDDEN_STATE_FUNCTIONS(GGUFD_DECLARE)
#undef GGUFD_DECLARE

    // The first symbol that the library lacks; empty if all are present.
    std::string missing;
};

// Set by attach(), once per process.
inline HiddenStatesLibrary hiddenStates;

inline HiddenStatesLibrary lookUpHiddenStates(void* handle) {
    HiddenStatesLibrary library;
#define GGUFD_LOOK_UP(name, symbol, ...)                                              \
    library.name = reinterpret_cast<decltype(library.name)>(dlsym(handle, symbol)); \
    if (library.name == nullptr && library.missing.empty()) library.missing = symbol;
    GGUFD_HIDDEN_STATE_FUNCTIONS(GGUFD_LOOK_UP)
#undef GGUFD_LOOK_UP
    return library;
}

}  // namespace ggufd
