import { TestRunner, vi } from "vitest";

/** Of a test's own time limit, which would end it without saying what was expected. */
const SHARE = 0.9;
/** In hooks, which have no test. */
const HOOK_TIMEOUT_MS = 60_000;

/** Waits until an expectation is met, however busy the machine is. @returns what it returns then */
export function eventually<Value>(expectation: () => Value | Promise<Value>): Promise<Value> {
  const limitMs = TestRunner.getCurrentTest()?.timeout;
  const timeout = limitMs === undefined ? HOOK_TIMEOUT_MS : SHARE * limitMs;
  return vi.waitFor(expectation, { timeout, interval: 20 });
}
