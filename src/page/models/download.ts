import type { ModelEvent } from "../../api/llama-server/model-events.js";

/** Progress of each file, in bytes; a total of 0 is not known yet. */
export type DownloadProgress = Extract<
  ModelEvent,
  { event: "download_progress" }
>["data"]["progress"];

export interface RunningDownload {
  readonly state: "running";
  readonly name: string;
  readonly doneBytes: number;
  /** `undefined`: the size of some file is not known yet. */
  readonly totalBytes: number | undefined;
  /** Whether the user has cancelled the download. */
  readonly isCancelled: boolean;
  /** Progress in the last seconds, oldest first. */
  readonly readings: readonly Reading[];
}

/** A download that is in progress or has failed. */
export type Download =
  | RunningDownload
  | { readonly state: "failed"; readonly name: string; readonly reason: string };

interface Reading {
  readonly atMs: number;
  readonly doneBytes: number;
}

/** Time span for measuring the speed: longer than a single packet, short enough to be current. */
const WINDOW_MS = 10_000;
/** Minimum time span for measuring a speed. */
const SHORTEST_MS = 500;

/** A download without any progress yet. */
export function beginDownload(name: string): RunningDownload {
  return {
    state: "running",
    name,
    doneBytes: 0,
    totalBytes: undefined,
    isCancelled: false,
    readings: [],
  };
}

/** @param atMs time on a monotonic clock */
export function updateDownload(
  download: RunningDownload,
  files: DownloadProgress,
  atMs: number,
): RunningDownload {
  const sizes = Object.values(files);
  if (sizes.length === 0) return download;
  const doneBytes = sizes.reduce((sum, { done }) => sum + done, 0);
  const isKnown = sizes.every(({ total }) => total > 0);
  return {
    ...download,
    doneBytes,
    totalBytes: isKnown ? sizes.reduce((sum, { total }) => sum + total, 0) : undefined,
    readings: [
      ...download.readings.filter((reading) => atMs - reading.atMs <= WINDOW_MS),
      { atMs, doneBytes },
    ],
  };
}

export function failDownload(name: string, reason: string): Download {
  return { state: "failed", name, reason };
}

export function findDownload(downloads: readonly Download[], name: string): Download | undefined {
  return downloads.find((one) => one.name === name);
}

/** Returns the completed share, from 0 to 1; `undefined` if the total size is unknown. */
export function computeShare({ doneBytes, totalBytes }: RunningDownload): number | undefined {
  return totalBytes === undefined ? undefined : Math.min(1, doneBytes / totalBytes);
}

/** Current bytes per second; `undefined`: not measured yet. */
export function computeSpeed({ readings }: RunningDownload): number | undefined {
  const [first, last] = [readings[0], readings.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const elapsedMs = last.atMs - first.atMs;
  if (elapsedMs < SHORTEST_MS) return undefined;
  return Math.max(0, ((last.doneBytes - first.doneBytes) / elapsedMs) * 1000);
}

/** Estimated seconds until completion; `undefined`: unknown. */
export function estimateRemainingSeconds(download: RunningDownload): number | undefined {
  const speed = computeSpeed(download);
  if (speed === undefined || speed === 0 || download.totalBytes === undefined) return undefined;
  return Math.max(0, download.totalBytes - download.doneBytes) / speed;
}
