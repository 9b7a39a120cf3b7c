// ggml's RPC backend, compiled as a part of this addon.
//
// Its library has functions that connect to a server and that listen at an address. ggufd accepts
// connections itself, and needs three more things: the limits of `offered_memory.h`, sockets that
// notice a connection that is cut, and one connection per server for the life of the process. The
// macros and the access to private members below replace a patch of the sources.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cinttypes>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cache_file.h"
#include "ggml-backend-impl.h"
#include "ggml-cpp.h"
#include "ggml-impl.h"
#include "ggml-rpc.h"
#include "offered_memory.h"

#if defined(__linux__) && defined(__x86_64__)
// The version of GCC 11, which the binding needs too; Debian 12 links that of GCC 12 by default.
__asm__(".symver _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE,"
        "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@GLIBCXX_3.4.11");
#endif

#define private public
#define RPC_DEBUG RPC_TRANSPORT_DEBUG
#include "ggml-rpc/transport.cpp"
#undef RPC_DEBUG
#undef LOG_DBG

// The server calls these functions in three places: to answer a client's questions about memory, and
// to allocate and free its buffers.
#define ggml_backend_dev_memory(device, free, total) ggufd::offeredMemory().memory(device, free, total)
#define ggml_backend_buft_alloc_buffer(type, size) ggufd::offeredMemory().allocate(type, size)
#define ggml_backend_buffer_free(buffer) ggufd::offeredMemory().free(buffer)
#include "ggml-rpc/ggml-rpc.cpp"
#undef ggml_backend_dev_memory
#undef ggml_backend_buft_alloc_buffer
#undef ggml_backend_buffer_free
#undef LOG_DBG
#undef private
