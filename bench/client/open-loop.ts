import { setTimeout as delay } from "node:timers/promises";

/** Result of a call, with the call's start time. */
export interface TimedCall<Result> {
  /** Time since the start of the loop. */
  readonly atMs: number;
  readonly call: () => Promise<Result>;
}

/**
 * Calls each function at its scheduled time, whether or not earlier calls have finished, as
 * independent users would. Waits for all results.
 * @param signal aborts waiting for scheduled times; the loop then rejects
 */
export function inOpenLoop<Result>(
  calls: readonly TimedCall<Result>[],
  signal: AbortSignal,
): Promise<Result[]> {
  const startedAtMs = performance.now();
  return Promise.all(
    calls.map(async ({ atMs, call }) => {
      await delay(startedAtMs + atMs - performance.now(), undefined, { signal });
      return call();
    }),
  );
}
