import { setTimeout as delay } from "node:timers/promises";

const POLL_INTERVAL_MS = 50;

/**
 * Asks again and again until something is so.
 * @param timeoutMs after which it is given up.
 * @returns whether it was so in time.
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
