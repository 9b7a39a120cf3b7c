import assert from "node:assert/strict";

/** Remaining quota of one limit. */
export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Time until the full quota is available again, in milliseconds. */
  readonly resetMs: number;
}

/** Finds the limit with the least rest; of equal ones, the one that is available again last. */
export function findNearestLimit(limits: readonly LimitState[]): LimitState | undefined {
  return limits
    .toSorted((one, other) => one.remaining - other.remaining || other.resetMs - one.resetMs)
    .at(0);
}

const kinds = ["requests", "tokens"] as const;

/** OpenAI's rate limit headers. */
export const RATE_LIMIT_HEADERS = kinds.flatMap((kind) => [
  `x-ratelimit-limit-${kind}`,
  `x-ratelimit-remaining-${kind}`,
  `x-ratelimit-reset-${kind}`,
]);

/** @param states state of each limit; `undefined`: the key has no such limit, so no headers */
export function buildRateLimitHeaders(
  states: Readonly<Record<(typeof kinds)[number], LimitState | undefined>>,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const kind of kinds) {
    const state = states[kind];
    if (state === undefined) continue;
    headers[`x-ratelimit-limit-${kind}`] = String(state.limit);
    headers[`x-ratelimit-remaining-${kind}`] = String(state.remaining);
    headers[`x-ratelimit-reset-${kind}`] = printDuration(state.resetMs);
  }
  return headers;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/**
 * Formats a duration like OpenAI's `x-ratelimit-reset-…` headers: `120ms`, `12s`, `6m0s`, `1h0m0s`.
 * Rounds up, so that a client that waits this long does not retry too early.
 * @param ms at least 0
 */
export function printDuration(ms: number): string {
  assert(ms >= 0, `expected a duration of at least 0 ms, got ${ms}`);
  const wholeMs = Math.ceil(ms);
  if (wholeMs > 0 && wholeMs < SECOND_MS) return `${wholeMs}ms`;
  const seconds = Math.ceil(ms / SECOND_MS);
  const hours = Math.floor((seconds * SECOND_MS) / HOUR_MS);
  const minutes = Math.floor((seconds * SECOND_MS) / MINUTE_MS);
  if (hours > 0) return `${hours}h${minutes % 60}m${seconds % 60}s`;
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`;
}
