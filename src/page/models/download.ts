import type { ModelEvent } from "../../api/llama-server/model-events.js";

/** How far each file is, in bytes; a total of 0 is not known yet. */
export type DownloadProgress = Extract<
  ModelEvent,
  { event: "download_progress" }
>["data"]["progress"];

export interface RunningDownload {
  readonly state: "running";
  readonly name: string;
  readonly doneBytes: number;
  /** `undefined`: of some file it is not known yet. */
  readonly totalBytes: number | undefined;
  /** The user has asked for its end. */
  readonly isEnding: boolean;
  /** How far it was in the last seconds, the oldest first. */
  readonly readings: readonly Reading[];
}

/** A model that is being fetched, or could not be. */
export type Download =
  | RunningDownload
  | { readonly state: "failed"; readonly name: string; readonly reason: string };

interface Reading {
  readonly atMs: number;
  readonly doneBytes: number;
}

/** A speed is that of as many milliseconds: not of one packet, and not of what was long ago. */
const WINDOW_MS = 10_000;
/** From fewer, no speed is told. */
const SHORTEST_MS = 500;

/** Of which nothing is known yet. */
export function beginDownload(name: string): RunningDownload {
  return {
    state: "running",
    name,
    doneBytes: 0,
    totalBytes: undefined,
    isEnding: false,
    readings: [],
  };
}

/** @param atMs on any clock that goes on evenly */
export function progressDownload(
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

export function downloadIn(downloads: readonly Download[], name: string): Download | undefined {
  return downloads.find((one) => one.name === name);
}

/** 0–1; `undefined`: it is not known. */
export function shareOf({ doneBytes, totalBytes }: RunningDownload): number | undefined {
  return totalBytes === undefined ? undefined : Math.min(1, doneBytes / totalBytes);
}

/** Bytes per second of late; `undefined`: too little has been seen of it. */
export function speedOf({ readings }: RunningDownload): number | undefined {
  const [first, last] = [readings[0], readings.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const elapsedMs = last.atMs - first.atMs;
  if (elapsedMs < SHORTEST_MS) return undefined;
  return Math.max(0, ((last.doneBytes - first.doneBytes) / elapsedMs) * 1000);
}

/** Seconds until it is there; `undefined`: that cannot be told. */
export function remainingSeconds(download: RunningDownload): number | undefined {
  const speed = speedOf(download);
  if (speed === undefined || speed === 0 || download.totalBytes === undefined) return undefined;
  return Math.max(0, download.totalBytes - download.doneBytes) / speed;
}
