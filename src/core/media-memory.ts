import { ByteBudget, type Reservation } from "./byte-budget.js";
import { GgufdError } from "./errors.js";

/**
 * Maximum time that a request waits for memory; a large body can still arrive within its limit of
 * one minute.
 */
const WAITING_LIMIT_MS = 20_000;

/** Most answers take longer; a client that retries earlier waits again. */
const RETRY_AFTER_SECONDS = 5;

/** Memory budget for large request bodies and for the images and audio in them (`--media-ram`). */
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

  /** Number of requests that wait for memory. */
  get waiting(): number {
    return this.#budget.waiting;
  }

  /**
   * Reserves memory, waiting until it is free.
   * @param bytes at most the limit
   * @throws {GgufdError} `server_overloaded` when the waiting time is over; the signal's reason
   */
  async reserve(bytes: number, signal: AbortSignal): Promise<Reservation> {
    const timeLimit = AbortSignal.timeout(this.#waitingLimitMs);
    try {
      return await this.#budget.reserve(bytes, AbortSignal.any([signal, timeLimit]));
    } catch (error) {
      signal.throwIfAborted();
      if (!timeLimit.aborted) throw error;
      throw createMediaMemoryError(this.#waitingLimitMs);
    }
  }
}

/** The error of a request that found no free memory within its waiting time, in milliseconds. */
export function createMediaMemoryError(waitedMs = WAITING_LIMIT_MS): GgufdError {
  return new GgufdError(
    "server_overloaded",
    `The memory for large bodies, images and audio is in use (--media-ram): none was free within ${waitedMs / 1000} s.`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
