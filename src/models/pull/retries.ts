import { setTimeout } from "node:timers/promises";
import type { Retry } from "../../core/pull-event.js";
import { ModelError } from "../model-error.js";

/** Limits of retries and timeouts for a source. */
export interface RetryPolicy {
  /** Maximum consecutive attempts without progress. An attempt with progress resets the count. */
  readonly maxAttempts: number;
  /** Bytes by which an attempt must exceed all earlier ones to count as progress. */
  readonly minProgressBytes: number;
  /** Delay after the first attempt; it doubles with each further one. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** Maximum accepted `Retry-After`. */
  readonly maxRetryAfterMs: number;
  /** Time without data after which an attempt is aborted. */
  readonly stallMs: number;
  /** Timeout for the headers of an answer. */
  readonly headersTimeoutMs: number;
  readonly connectTimeoutMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  maxAttempts: 6,
  minProgressBytes: 1024 * 1024,
  firstDelayMs: 1000,
  maxDelayMs: 30_000,
  maxRetryAfterMs: 120_000,
  stallMs: 30_000,
  headersTimeoutMs: 30_000,
  connectTimeoutMs: 15_000,
};

/** Failure of an attempt that may succeed when retried. */
export class TransientFailure extends Error {
  override readonly name = "TransientFailure";
  /** Delay that the source requests. */
  readonly retryAfterMs: number | undefined;
  /** Whether the attempt got further than the earlier ones, so that retrying makes progress. */
  readonly progress: "none" | "some";

  constructor(
    message: string,
    {
      retryAfterMs,
      progress = "none",
      cause,
    }: {
      readonly retryAfterMs?: number | undefined;
      readonly progress?: "none" | "some";
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause });
    this.retryAfterMs = retryAfterMs;
    this.progress = progress;
  }
}

/**
 * Returns the delay after a failed attempt: doubled each time, up to a limit, then reduced at
 * random to between half and all of it, so that clients that failed together do not retry together.
 * @param failures number of failures so far, 1 after the first
 * @param random 0–1
 */
export function computeBackoffMs(
  { firstDelayMs, maxDelayMs }: RetryPolicy,
  failures: number,
  random: number,
): number {
  const delayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1));
  return Math.round(delayMs * (0.5 + random / 2));
}

/** Parses `Retry-After`, in seconds or as a date; `undefined` if it is absent or invalid. */
export function parseRetryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const dateMs = /^[A-Z]/i.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}

export interface RetryOptions {
  readonly policy: RetryPolicy;
  readonly signal: AbortSignal;
  readonly onRetry: (retry: Retry) => void;
  /** Prefix of error messages. */
  readonly subject: string;
}

/**
 * Retries until an attempt succeeds, fails permanently, or the limit of attempts without progress
 * is reached.
 * @throws {ModelError} `source_unavailable`, and any error of an attempt other than
 *   {@link TransientFailure}
 */
export async function withRetries<Result>(
  { policy, signal, onRetry, subject }: RetryOptions,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (let failures = 0; ; ) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof TransientFailure)) throw error;
      failures = error.progress === "some" ? 1 : failures + 1;
      if (failures >= policy.maxAttempts) {
        throw createUnavailableError(
          `${subject}: ${error.message}, ${failures} times in a row`,
          error,
        );
      }
      const delayMs = Math.max(
        error.retryAfterMs ?? 0,
        computeBackoffMs(policy, failures, Math.random()),
      );
      if (delayMs > Math.max(policy.maxRetryAfterMs, policy.maxDelayMs)) {
        const seconds = Math.ceil(delayMs / 1000);
        throw createUnavailableError(
          `${subject}: ${error.message}; the server asks to wait ${seconds} s`,
          error,
        );
      }
      onRetry({ reason: error.message, delayMs });
      await setTimeout(delayMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

function createUnavailableError(message: string, cause: unknown): ModelError {
  return new ModelError("source_unavailable", message, cause);
}
