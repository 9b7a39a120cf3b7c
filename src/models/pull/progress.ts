import type { TransferEvent } from "../../core/pull-event.js";

/** Reports the progress of a transfer. */
export type ReportProgress = (completedBytes: number, totalBytes: number | undefined) => void;

/** Minimum interval between progress events; displays need no more. */
const INTERVAL_MS = 100;

/**
 * Creates a throttled reporter of progress events. The first and the last one are always reported.
 */
export function createThrottledProgress(
  onEvent: (event: TransferEvent) => void,
  type: "checking" | "progress",
  path: string,
): ReportProgress {
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  return (completedBytes, totalBytes) => {
    const nowMs = performance.now();
    if (nowMs - reportedAtMs < INTERVAL_MS && completedBytes !== totalBytes) return;
    reportedAtMs = nowMs;
    onEvent({ type, path, completedBytes, totalBytes });
  };
}
