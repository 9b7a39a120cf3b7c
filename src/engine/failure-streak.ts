import { reasonOf } from "../core/reason-of.js";

/**
 * One batch fails for what is in it, a second one may do so by chance. Nothing that has failed three times, with
 * nothing evaluated in between, has been seen to recover: a lost device, a broken context.
 */
const MAX_FAILURES = 3;

/** Counts batches that fail one after the other, until the context has to be taken for broken. */
export class FailureStreak {
  readonly #onBroken: (reason: string) => void;
  #failures = 0;

  /** @param onBroken called with each failure from the third in a row on */
  constructor(onBroken: (reason: string) => void) {
    this.#onBroken = onBroken;
  }

  fail(error: unknown): void {
    this.#failures += 1;
    if (this.#failures < MAX_FAILURES) return;
    this.#onBroken(`${this.#failures} batches in a row have failed: ${reasonOf(error)}`);
  }

  succeed(): void {
    this.#failures = 0;
  }
}
