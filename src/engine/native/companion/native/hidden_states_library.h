// llama.cpp's functions for hidden states. They are C++ functions of a staging header (src/llama-ext.h) that may change
// with any version: without them the companion works, and drafts by hidden states do not.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <string>

#include "llama.h"

namespace ggufd {

// Name here, symbol there (of the Itanium ABI, the same on x64 and arm64), what it returns, its parameters.
//   setStates         has each token's state before the output matrix written; masked: only of those with logits
//   states            those states, one after the other
//   stateOfOutput     one of them, where they are masked
//   selectMtpLayer    which of several layers for multi-token prediction is computed
//   setLayerInput     has what enters a layer written, of each token
//   layerInput        that, one token after the other
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

    // The first symbol that the library has not; empty: all are there.
    std::string missing;
};

// Filled by attach(), the same for all of the process.
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
