import { setTimeout as sleep } from "node:timers/promises";

/**
 * Interval between two requests: short enough to follow loading, long enough that immediate answers
 * cause no polling.
 */
export const POLL_INTERVAL_MS = 300;

/** Waits between two requests. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** Waits for a time, or until the signal is aborted. */
export const waitFor: Wait = (ms, signal) =>
  sleep(ms, undefined, { signal }).catch(() => undefined);
