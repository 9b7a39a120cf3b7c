import { setTimeout as delay } from "node:timers/promises";

const POLL_INTERVAL_MS = 50;

/**
 * Polls until a condition holds.
 * @param timeoutMs time after which polling stops
 * @returns whether the condition held in time
 */
export async function waitUntil(
  isSo: () => Promise<boolean>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const deadlineMs = performance.now() + timeoutMs;
  while (!(await isSo())) {
    if (performance.now() > deadlineMs) return false;
    await delay(POLL_INTERVAL_MS, undefined, { signal });
  }
  return true;
}
