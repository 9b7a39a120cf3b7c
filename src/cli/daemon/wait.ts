import { setTimeout as sleep } from "node:timers/promises";

/** Between two questions to a daemon: short enough to follow a load, long enough that what is answered at once asks nothing. */
export const POLL_INTERVAL_MS = 300;

/** How a command waits between two questions. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** Waits for a time, or until the signal says that there is nothing to wait for. */
export const waitFor: Wait = (ms, signal) =>
  sleep(ms, undefined, { signal }).catch(() => undefined);
