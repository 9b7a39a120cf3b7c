import { TestRunner, vi } from "vitest";

/** Share of a test's time limit, which would end it without reporting the expectation. */
const SHARE = 0.9;
/** Timeout in hooks, which belong to no test. */
const HOOK_TIMEOUT_MS = 60_000;

/**
 * Waits until an expectation is met, on a machine of any load.
 * @returns the expectation's result
 */
export function eventually<Value>(expectation: () => Value | Promise<Value>): Promise<Value> {
  const limitMs = TestRunner.getCurrentTest()?.timeout;
  const timeout = limitMs === undefined ? HOOK_TIMEOUT_MS : SHARE * limitMs;
  return vi.waitFor(expectation, { timeout, interval: 20 });
}
