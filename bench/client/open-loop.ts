import { setTimeout as delay } from "node:timers/promises";

/** A call with its time. */
export interface TimedCall<Result> {
  /** Since the beginning of the loop. */
  readonly atMs: number;
  readonly call: () => Promise<Result>;
}

/**
 * Calls each function at its time, whatever has become of the earlier ones: users do not wait for
 * each other. Waits for all results.
 * @param signal ends the waiting for times; the loop then rejects.
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
