import { vi } from "vitest";

/** Ends what would hang; a busy machine may take its time. */
const TIMEOUT_MS = 120_000;

/** Waits until an expectation is met, however busy the machine is. @returns what it returns then */
export function eventually<Value>(expectation: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitFor(expectation, { timeout: TIMEOUT_MS, interval: 20 });
}
