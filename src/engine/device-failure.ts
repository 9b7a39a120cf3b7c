/** What the libraries of GPUs say when a device is of no use any more. None has been seen to recover in its process. */
const FAILURES: readonly (readonly [pattern: RegExp, meaning: string])[] = [
  // Names of Vulkan's results, as vulkan.hpp spells them.
  [/\bErrorDeviceLost\b/, "the GPU is lost"],
  [/\bErrorOutOf(?:Device|Host|Pool)Memory\b/, "the GPU's memory is full"],
  // ggml-cuda logs which one it is, but ends the process before the log is delivered.
  [/\b(?:CUDA|ROCm|MUSA) error\b/, "the GPU has failed, or its memory is full"],
  // Mostly a KV cache beyond the largest buffer that a Vulkan driver makes.
  [
    /\bpre-allocated tensor .+ cannot run the operation\b/,
    "the device does not take a tensor of this size or type",
  ],
];

/**
 * Says plainly that a GPU has failed: `the GPU is lost: vk::Queue::submit: ErrorDeviceLost`.
 * @param reason a message of native code, on one line
 * @returns `undefined` for any other reason
 */
export function deviceFailure(reason: string): string | undefined {
  const meaning = FAILURES.find(([pattern]) => pattern.test(reason))?.[1];
  return meaning && `${meaning}: ${reason}`;
}
