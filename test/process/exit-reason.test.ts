import { expect, test } from "vitest";
import { describeExit } from "../../src/process/exit-reason.js";

test.each([
  [0, null, "exit code 0"],
  [134, null, "exit code 134"],
  [null, "SIGSEGV", "SIGSEGV"],
  [null, "SIGABRT", "SIGABRT, possibly a failed native assertion"],
  [null, "SIGBUS", "SIGBUS, possibly the model file was changed or truncated, or a disk failed"],
  [null, "SIGKILL", "SIGKILL, possibly out of memory, or killed by another process"],
  [null, "SIGTRAP", "SIGTRAP, possibly out of memory"],
] as const)("exit code %j and signal %j are reported as: %s", (code, signal, reason) => {
  expect(describeExit(code, signal, "")).toBe(reason);
});

const assertion = "/build/llama.cpp/src/llama-model.cpp:1260: GGML_ASSERT(n_layer > 0) failed";
const thrown = "terminate called after throwing\n  what():  vector::reserve\n";
const cuda = "/build/llama.cpp/ggml/src/ggml-cuda/ggml-cuda.cu:97: CUDA error\n";
const deviceLost =
  "terminate called after throwing an instance of 'vk::DeviceLostError'\n  what():  vk::Queue::submit: ErrorDeviceLost\n";
const refused =
  "/build/llama.cpp/ggml/src/ggml-backend.cpp:941: pre-allocated tensor (cache_k_l0) in a buffer (Vulkan0) that cannot run the operation (NONE)\n";
const fatal =
  "\n<--- JS stacktrace --->\nFATAL ERROR: Reached heap limit - JavaScript heap out of memory\n";
const uncaught =
  "file:///ggufd.js:1\nthrow new Error()\n\nTypeError: no such thing\n    at file:///ggufd.js:1";

test.each([
  [null, "SIGABRT", assertion, "SIGABRT: llama-model.cpp:1260: GGML_ASSERT(n_layer > 0) failed"],
  [null, "SIGABRT", thrown, "SIGABRT: vector::reserve"],
  [
    null,
    "SIGABRT",
    fatal,
    "SIGABRT: FATAL ERROR: Reached heap limit - JavaScript heap out of memory",
  ],
  [
    null,
    "SIGABRT",
    cuda,
    "SIGABRT: the GPU has failed, or its memory is full: ggml-cuda.cu:97: CUDA error",
  ],
  [null, "SIGABRT", deviceLost, "SIGABRT: the GPU is lost: vk::Queue::submit: ErrorDeviceLost"],
  [
    null,
    "SIGABRT",
    refused,
    "SIGABRT: the device does not support a tensor of this size or type: ggml-backend.cpp:941: pre-allocated tensor (cache_k_l0) in a buffer (Vulkan0) that cannot run the operation (NONE)",
  ],
  [1, null, uncaught, "exit code 1: TypeError: no such thing"],
  [1, null, "ggufd prompts: cannot load\n", "exit code 1: cannot load"],
  [0, null, uncaught, "exit code 0"],
  [null, "SIGKILL", assertion, "SIGKILL, possibly out of memory, or killed by another process"],
  [null, "SIGABRT", "something else\n", "SIGABRT, possibly a failed native assertion"],
] as const)(
  "exit code %j and signal %j after output: the last error message is quoted",
  (...row) => {
    const [code, signal, output, reason] = row;
    expect(describeExit(code, signal, output)).toBe(reason);
  },
);
