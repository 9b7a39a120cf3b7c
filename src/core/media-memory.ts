import { ByteBudget, type Reservation } from "./byte-budget.js";
import { GgufdError } from "./errors.js";

/** Time that a request may wait for memory. With that, a large body still arrives within the minute that it has. */
const WAITING_LIMIT_MS = 20_000;

/** Most answers take longer, and who tries again waits once more. */
const RETRY_AFTER_SECONDS = 5;

/** Memory for large bodies of requests, and for the images and audio in them (`--media-ram`). */
export class MediaMemory {
  readonly #budget: ByteBudget;
  readonly #waitingLimitMs: number;

  constructor(limitBytes: number, waitingLimitMs = WAITING_LIMIT_MS) {
    this.#budget = new ByteBudget(limitBytes);
    this.#waitingLimitMs = waitingLimitMs;
  }

  get limitBytes(): number {
    return this.#budget.limitBytes;
  }

  get usedBytes(): number {
    return this.#budget.usedBytes;
  }

  /** Requests that wait for memory. */
  get waiting(): number {
    return this.#budget.waiting;
  }

  /**
   * Reserves memory, and waits for it.
   * @param bytes at most the limit
   * @throws {GgufdError} `server_overloaded` when the time for waiting is up; the signal's reason
   */
  async reserve(bytes: number, signal: AbortSignal): Promise<Reservation> {
    const timeLimit = AbortSignal.timeout(this.#waitingLimitMs);
    try {
      return await this.#budget.reserve(bytes, AbortSignal.any([signal, timeLimit]));
    } catch (error) {
      signal.throwIfAborted();
      if (!timeLimit.aborted) throw error;
      throw mediaMemoryInUse(this.#waitingLimitMs);
    }
  }
}

/** The error of a request that has waited for memory so long, in milliseconds. */
export function mediaMemoryInUse(waitedMs = WAITING_LIMIT_MS): GgufdError {
  return new GgufdError(
    "server_overloaded",
    `The memory for large bodies, images and audio is in use (--media-ram): none was free within ${waitedMs / 1000} s.`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
