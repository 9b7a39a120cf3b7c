import type { TransferEvent } from "../../core/pull-event.js";

/** Tells how far a transfer is. */
export type ReportProgress = (completedBytes: number, totalBytes: number | undefined) => void;

/** No display needs it more often. */
const INTERVAL_MS = 100;

/** Events of progress, the first and the last of them, and between these not more often than anyone can see. */
export function throttledProgress(
  onEvent: (event: TransferEvent) => void,
  type: "checking" | "progress",
  path: string,
): ReportProgress {
  let toldAtMs = Number.NEGATIVE_INFINITY;
  return (completedBytes, totalBytes) => {
    const nowMs = performance.now();
    if (nowMs - toldAtMs < INTERVAL_MS && completedBytes !== totalBytes) return;
    toldAtMs = nowMs;
    onEvent({ type, path, completedBytes, totalBytes });
  };
}
