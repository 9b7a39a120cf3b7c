import { printDuration } from "./duration.js";

/** What is left of one limit. */
export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Time until all of it is left again, in milliseconds. */
  readonly resetMs: number;
}

const kinds = ["requests", "tokens"] as const;

/** The headers of OpenAI that say what is left of a key's limits. */
export const RATE_LIMIT_HEADERS = kinds.flatMap((kind) => [
  `x-ratelimit-limit-${kind}`,
  `x-ratelimit-remaining-${kind}`,
  `x-ratelimit-reset-${kind}`,
]);

/** @param states absent: there is no such limit, and no header about it */
export function rateLimitHeaders(
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
