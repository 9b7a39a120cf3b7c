import { formatReason } from "../core/format-reason.js";
import type { ModelHooks } from "./loading/loaded-models.js";

/**
 * Number of consecutive failed batches after which the context counts as broken. A batch can fail
 * because of its content, and a second one by chance; no context was seen to recover after three.
 */
const MAX_FAILURES = 3;

/** Counts consecutive failed batches, to detect a broken context. */
export class FailureStreak {
  readonly #hooks: Pick<ModelHooks, "log" | "onBroken">;
  #failures = 0;

  /**
   * @param hooks `onBroken` is called for every failure from the third in a row, and for every
   *   device failure; device failures are logged by the caller that restarts the process
   */
  constructor(hooks: Pick<ModelHooks, "log" | "onBroken">) {
    this.#hooks = hooks;
  }

  /**
   * Records a failed batch.
   * @param message log message
   */
  recordFailure(error: unknown, message: string): void {
    const { log, onBroken } = this.#hooks;
    this.#failures += 1;
    const deviceFailure = describeDeviceFailure(formatReason(error));
    if (deviceFailure !== undefined && onBroken !== undefined) {
      onBroken(deviceFailure);
      return;
    }
    log("error", message);
    if (this.#failures < MAX_FAILURES) return;
    onBroken?.(`${this.#failures} consecutive batches failed: ${formatReason(error)}`);
  }

  recordSuccess(): void {
    this.#failures = 0;
  }
}

/**
 * Error patterns of GPU libraries that indicate an unusable device. No device was seen to recover
 * within its process.
 */
const FAILURES: readonly (readonly [pattern: RegExp, meaning: string])[] = [
  // Names of `vk::Result` values in vulkan.hpp.
  [/\bErrorDeviceLost\b/, "the GPU is lost"],
  [/\bErrorOutOf(?:Device|Host|Pool)Memory\b/, "the GPU's memory is full"],
  // ggml-cuda logs the exact error, but ends the process before the log is delivered.
  [/\b(?:CUDA|ROCm|MUSA) error\b/, "the GPU has failed, or its memory is full"],
  // Usually a KV cache that exceeds the largest buffer of a Vulkan driver.
  [
    /\bpre-allocated tensor .+ cannot run the operation\b/,
    "the device does not support a tensor of this size or type",
  ],
];

/**
 * Describes a GPU failure: `the GPU is lost: vk::Queue::submit: ErrorDeviceLost`.
 * @param reason error message of native code, on one line
 * @returns `undefined` if the message does not indicate a GPU failure
 */
export function describeDeviceFailure(reason: string): string | undefined {
  const meaning = FAILURES.find(([pattern]) => pattern.test(reason))?.[1];
  return meaning && `${meaning}: ${reason}`;
}
