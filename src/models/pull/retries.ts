import { setTimeout } from "node:timers/promises";
import type { Retry } from "../../core/pull-event.js";
import { ModelError } from "../model-error.js";

/** How often and how long a source is waited for. */
export interface RetryPolicy {
  /** Attempts one after the other that come to nothing. One that gets further begins the count anew. */
  readonly maxAttempts: number;
  /** By how much an attempt has to get further than all before it. */
  readonly minProgressBytes: number;
  /** Pause after the first attempt, which doubles with each. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** The longest `Retry-After` that is waited for. */
  readonly maxRetryAfterMs: number;
  /** Without a byte for so long, an attempt is over. */
  readonly stallMs: number;
  /** To the headers of an answer. */
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

/** An attempt has failed, and the next one may not. */
export class PassingFailure extends Error {
  override readonly name = "PassingFailure";
  /** What the source asks for. */
  readonly retryAfterMs: number | undefined;
  /** Whether the attempt got further than those before it, so that the next one is not the same again. */
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
 * The pause after an attempt that has failed: twice as long each time, up to a limit, and between half and all of
 * that, so that many who failed together do not come back together.
 * @param failures so far, 1 after the first
 * @param random 0–1
 */
export function backoffMs(
  { firstDelayMs, maxDelayMs }: RetryPolicy,
  failures: number,
  random: number,
): number {
  const delayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1));
  return Math.round(delayMs * (0.5 + random / 2));
}

/** The time that `Retry-After` names, in seconds or as a date; `undefined`: none that is one. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const at = /^[A-Z]/i.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

export interface RetryOptions {
  readonly policy: RetryPolicy;
  readonly signal: AbortSignal;
  readonly onRetry: (retry: Retry) => void;
  /** What errors begin with. */
  readonly subject: string;
}

/**
 * Attempts until one succeeds, fails for good, or as many as there may be have come to nothing.
 * @throws {ModelError} `source_unavailable`, and what an attempt throws that is no {@link PassingFailure}
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
      if (!(error instanceof PassingFailure)) throw error;
      failures = error.progress === "some" ? 1 : failures + 1;
      if (failures >= policy.maxAttempts) {
        throw unavailable(`${subject}: ${error.message}, ${failures} times in a row`, error);
      }
      const delayMs = Math.max(error.retryAfterMs ?? 0, backoffMs(policy, failures, Math.random()));
      if (delayMs > Math.max(policy.maxRetryAfterMs, policy.maxDelayMs)) {
        const seconds = Math.ceil(delayMs / 1000);
        throw unavailable(`${subject}: ${error.message}, and asks to wait ${seconds} s`, error);
      }
      onRetry({ reason: error.message, delayMs });
      await setTimeout(delayMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

function unavailable(message: string, cause: unknown): ModelError {
  return new ModelError("source_unavailable", message, cause);
}
