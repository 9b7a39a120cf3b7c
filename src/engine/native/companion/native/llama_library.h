// The functions of llama.cpp that the companion calls. They are looked up in the library that the
// binding has loaded instead of being linked, because its name differs between the CPU, CUDA and
// Vulkan builds.
#pragma once

#include <dlfcn.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#else
#include <link.h>
#endif

#include <stdexcept>
#include <string>
#include <vector>

#include "ggml-backend-impl.h"
#include "ggml-backend.h"
#include "llama.h"

namespace ggufd {

#define GGUFD_FUNCTIONS(each)                 \
    each(llama_attach_threadpool)             \
    each(llama_context_default_params)        \
    each(llama_model_default_params)          \
    each(llama_max_devices)                   \
    each(llama_decode)                        \
    each(llama_encode)                        \
    each(llama_get_memory)                    \
    each(llama_get_model)                     \
    each(llama_memory_clear)                  \
    each(llama_memory_seq_cp)                 \
    each(llama_memory_seq_rm)                 \
    each(llama_model_get_vocab)               \
    each(llama_model_n_cls_out)               \
    each(llama_model_n_embd)                  \
    each(llama_model_n_embd_inp)              \
    each(llama_model_n_embd_out)              \
    each(llama_model_n_layer)                 \
    each(llama_model_rope_type)               \
    each(llama_vocab_is_eog)                  \
    each(llama_vocab_n_tokens)                \
    each(llama_n_batch)                       \
    each(llama_n_seq_max)                     \
    each(llama_n_ubatch)                      \
    each(llama_pooling_type)                  \
    each(llama_sampler_accept)                \
    each(llama_sampler_apply)                 \
    each(llama_sampler_chain_add)             \
    each(llama_sampler_chain_default_params)  \
    each(llama_sampler_chain_get)             \
    each(llama_sampler_chain_init)            \
    each(llama_sampler_chain_n)               \
    each(llama_sampler_clone)                 \
    each(llama_sampler_copy)                  \
    each(llama_sampler_free)                  \
    each(llama_sampler_init)                  \
    each(llama_sampler_init_adaptive_p)       \
    each(llama_sampler_init_dist)             \
    each(llama_sampler_init_greedy)           \
    each(llama_sampler_init_infill)           \
    each(llama_sampler_init_logit_bias)       \
    each(llama_sampler_init_min_p)            \
    each(llama_sampler_init_mirostat)         \
    each(llama_sampler_init_mirostat_v2)      \
    each(llama_sampler_init_penalties)        \
    each(llama_sampler_init_temp)             \
    each(llama_sampler_init_temp_ext)         \
    each(llama_sampler_init_top_k)            \
    each(llama_sampler_init_top_n_sigma)      \
    each(llama_sampler_init_top_p)            \
    each(llama_sampler_init_typical)          \
    each(llama_sampler_init_xtc)              \
    each(llama_sampler_name)                  \
    each(llama_set_causal_attn)               \
    each(llama_set_n_threads)                 \
    each(llama_set_sampler)                   \
    each(llama_synchronize)                   \
    each(llama_get_logits_ith)                \
    each(llama_get_sampled_probs_ith)         \
    each(llama_get_sampled_token_ith)         \
    each(llama_get_embeddings_ith)            \
    each(llama_get_embeddings_seq)            \
    each(ggml_argsort)                        \
    each(ggml_backend_buffer_free)            \
    each(ggml_backend_buffer_init)            \
    each(ggml_backend_buft_get_device)        \
    each(ggml_backend_buft_name)              \
    each(ggml_backend_cpu_buffer_type)        \
    each(ggml_backend_dev_backend_reg)        \
    each(ggml_backend_dev_buffer_type)        \
    each(ggml_backend_dev_by_name)            \
    each(ggml_backend_dev_by_type)            \
    each(ggml_backend_dev_count)              \
    each(ggml_backend_dev_description)        \
    each(ggml_backend_dev_get)                \
    each(ggml_backend_dev_memory)             \
    each(ggml_backend_dev_name)               \
    each(ggml_backend_reg_name)               \
    each(ggml_backend_dev_type)               \
    each(ggml_backend_reg_get_proc_address)   \
    each(ggml_clamp)                          \
    each(ggml_get_rows)                       \
    each(ggml_nelements)                      \
    each(ggml_reshape_1d)                     \
    each(ggml_reshape_2d)                     \
    each(ggml_scale)                          \
    each(ggml_soft_max)                       \
    each(ggml_sum)                            \
    each(ggml_threadpool_params_default)

struct LlamaLibrary {
#define GGUFD_DECLARE(name) decltype(&::name) name = nullptr;
    GGUFD_FUNCTIONS(GGUFD_DECLARE)
#undef GGUFD_DECLARE

    bool isOpen() const { return llama_n_seq_max != nullptr; }
};

// Set by attach(), once per process.
inline LlamaLibrary llama;

// Returns the paths of all libraries that the process has loaded.
inline std::vector<std::string> loadedLibraries() {
    std::vector<std::string> paths;
#ifdef __APPLE__
    for (uint32_t index = 0; index < _dyld_image_count(); index++) paths.emplace_back(_dyld_get_image_name(index));
#else
    dl_iterate_phdr(
        [](dl_phdr_info* library, size_t, void* found) {
            static_cast<std::vector<std::string>*>(found)->emplace_back(library->dlpi_name);
            return 0;
        },
        &paths
    );
#endif
    return paths;
}

// Returns the loaded libraries whose file names have a prefix: libllama.so,
// libllama.cuda.v0.5.0.so, libllama.dylib ...
inline std::vector<std::string> loadedLibraries(const std::string& beginning) {
    std::vector<std::string> found;
    for (const auto& path : loadedLibraries()) {
        const auto file = path.substr(path.rfind('/') + 1);
        const bool isLibrary = file.find(".so") != std::string::npos || file.find(".dylib") != std::string::npos;
        if (isLibrary && file.rfind(beginning, 0) == 0) found.push_back(path);
    }
    return found;
}

// A library loaded by the linker. Its handle is never closed, as its functions are used until the
// process ends.
struct LoadedLibrary {
    std::string path;
    void* handle;
};

// Throws std::runtime_error with the reason unless there is exactly one such library.
inline LoadedLibrary findLoadedLibrary() {
    const auto paths = loadedLibraries("libllama.");
    if (paths.size() != 1) {
        throw std::runtime_error("expected one loaded libllama, found " + std::to_string(paths.size()));
    }
    void* handle = dlopen(paths.front().c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) throw std::runtime_error(paths.front() + " cannot be opened");
    return {paths.front(), handle};
}

// Makes the functions of llama.cpp and ggml visible to addons loaded later, whatever the names of
// their libraries. Throws std::runtime_error naming a library that cannot be shared.
inline void shareLibraries() {
    for (const char* beginning : {"libllama.", "libggml.", "libggml-base."}) {
        for (const auto& path : loadedLibraries(beginning)) {
            if (dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL) == nullptr) {
                throw std::runtime_error(path + " cannot be shared");
            }
        }
    }
}

// Throws std::runtime_error naming a missing function.
inline LlamaLibrary lookUpFunctions(const LoadedLibrary& loaded) {
    LlamaLibrary library;
#define GGUFD_LOOK_UP(name)                                                              \
    library.name = reinterpret_cast<decltype(library.name)>(dlsym(loaded.handle, #name)); \
    if (library.name == nullptr) throw std::runtime_error(loaded.path + " has no " #name);
    GGUFD_FUNCTIONS(GGUFD_LOOK_UP)
#undef GGUFD_LOOK_UP
    return library;
}

}  // namespace ggufd
