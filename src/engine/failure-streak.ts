import { formatReason } from "../core/format-reason.js";
import type { ModelHooks } from "./loading/loaded-models.js";

/**
 * One batch fails for what is in it, a second one may do so by chance. Nothing that has failed three times, with
 * nothing evaluated in between, has been seen to recover: a broken context.
 */
const MAX_FAILURES = 3;

/** Counts batches that fail one after the other, until the context has to be taken for broken. */
export class FailureStreak {
  readonly #hooks: Pick<ModelHooks, "log" | "onBroken">;
  #failures = 0;

  /**
   * @param hooks `onBroken` is called with each failure from the third in a row on, and with each of a device,
   *   which the supervisor logs when it starts another process
   */
  constructor(hooks: Pick<ModelHooks, "log" | "onBroken">) {
    this.#hooks = hooks;
  }

  /** @param message what is logged of it */
  fail(error: unknown, message: string): void {
    const { log, onBroken } = this.#hooks;
    this.#failures += 1;
    const device = deviceFailure(formatReason(error));
    if (device !== undefined && onBroken !== undefined) {
      onBroken(device);
      return;
    }
    log("error", message);
    if (this.#failures < MAX_FAILURES) return;
    onBroken?.(`${this.#failures} batches in a row have failed: ${formatReason(error)}`);
  }

  succeed(): void {
    this.#failures = 0;
  }
}

/** Messages of GPU libraries after which a device is unusable; no device has been seen to recover within its process. */
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
