import { reasonOf } from "../core/reason-of.js";
import { deviceFailure } from "./device-failure.js";
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
   * @param hooks `onBroken` is called with each failure from the third in a row on, and with each of a device, which
   *   is logged by whoever starts another process
   */
  constructor(hooks: Pick<ModelHooks, "log" | "onBroken">) {
    this.#hooks = hooks;
  }

  /** @param message what is logged of it */
  fail(error: unknown, message: string): void {
    const { log, onBroken } = this.#hooks;
    this.#failures += 1;
    const device = deviceFailure(reasonOf(error));
    if (device !== undefined && onBroken !== undefined) {
      onBroken(device);
      return;
    }
    log("error", message);
    if (this.#failures < MAX_FAILURES) return;
    onBroken?.(`${this.#failures} batches in a row have failed: ${reasonOf(error)}`);
  }

  succeed(): void {
    this.#failures = 0;
  }
}
