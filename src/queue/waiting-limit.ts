import { GgufdError } from "../core/errors.js";

/** Ends what waits for too long. A time of 0 is no limit. */
export class WaitingLimit {
  readonly #timeoutMs: number;
  readonly #retryAfterSeconds: () => number;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  /** @param retryAfterSeconds asked for when the time is up */
  constructor(timeoutMs: number, retryAfterSeconds: () => number) {
    this.#timeoutMs = timeoutMs;
    this.#retryAfterSeconds = retryAfterSeconds;
  }

  /** Aborted with a `queue_timeout`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** It waits from now on. */
  begin(): void {
    if (this.#timeoutMs === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const message = `The request waited for ${this.#timeoutMs / 1000} s (--queue-timeout) and did not get a slot.`;
      const options = { retryAfterSeconds: this.#retryAfterSeconds() };
      this.#controller.abort(new GgufdError("queue_timeout", message, options));
    }, this.#timeoutMs);
  }

  /** It does not wait any more, for now. */
  end(): void {
    clearTimeout(this.#timer);
  }
}
