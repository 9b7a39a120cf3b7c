/** Reduces a run of `page`: how soon it is there, and what it costs others while it is open. */
import type { PageLoad } from "../browser/load-page.js";
import type { PageRequest } from "../browser/record-page.js";
import type { Replayed } from "../client/replay-requests.js";
import type { RequestRecord } from "../client/request-record.js";
import { median, spread, sum } from "../statistics.js";
import { type StreamFigures, streamFigures } from "./beside-streams.js";
import type { Window } from "./reductions.js";
import type { Sample } from "./scenario.js";

/** Tasks are not noticed for so long. */
const UNNOTICED_MS = 50;

/** Two windows of the streams, one right after the other. */
export interface WindowPair {
  readonly calm: Window;
  /** The page's requests were sent. */
  readonly page: Window;
}

/** What one run observed. */
export interface PageObservations {
  readonly loads: readonly PageLoad[];
  readonly requests: readonly PageRequest[];
  /** The time in which the page made these requests, in milliseconds. */
  readonly recordedMs: number;
  readonly replayed: readonly Replayed[];
  readonly pairs: readonly WindowPair[];
  readonly streams: readonly RequestRecord[];
}

/** How long the page did not react to its user while it was opened, in milliseconds. */
export function blockingTimeMs({ longTasksMs }: PageLoad): number {
  return sum(longTasksMs.map((ms) => Math.max(0, ms - UNNOTICED_MS)));
}

/** The measures of one run. Ratios are taken within each pair, since the machine's speed drifts. */
export function pageMeasures(observations: PageObservations) {
  const { loads, requests, recordedMs, replayed, pairs, streams } = observations;
  const figures = pairs.map(({ calm, page }) => ({
    calm: streamFigures(calm, streams),
    page: streamFigures(page, streams),
  }));
  const calm = (name: keyof StreamFigures) => median(figures.map((pair) => pair.calm[name]));
  const page = (name: keyof StreamFigures) => median(figures.map((pair) => pair.page[name]));
  const ratio = (name: keyof StreamFigures) =>
    median(figures.map((pair) => pair.page[name] / pair.calm[name]));
  return {
    firstPaint: median(loads.map(({ firstPaintMs }) => firstPaintMs)),
    blocking: median(loads.map(blockingTimeMs)),
    transferred: median(loads.map(({ transferredBytes }) => transferredBytes)) / 1000,
    calls: (1000 * requests.filter(({ kind }) => kind !== "file").length) / recordedMs,
    failures: replayed.filter(({ kind }) => kind === "failed").length,
    calmItlP50: calm("p50"),
    itlP50: page("p50"),
    itlP50Ratio: ratio("p50"),
    calmItlP99: calm("p99"),
    itlP99: page("p99"),
    itlP99Ratio: ratio("p99"),
    calmOutput: calm("rate"),
    output: page("rate"),
    outputRatio: ratio("rate"),
    calmSpread: 100 * spread(figures.map((pair) => pair.calm.rate)),
  };
}

/** One sample for each thing that the page asked for, and for each way in which asking for it again failed. */
export function pageSamples(
  requests: readonly PageRequest[],
  replayed: readonly Replayed[],
): Sample[] {
  const failures = replayed.flatMap((one) =>
    one.kind === "failed" ? { ...one.request, kind: `failed: ${one.reason}` } : [],
  );
  const samples = new Map<string, { request: string; kind: string; times: number }>();
  for (const { method, path, kind } of [...requests, ...failures]) {
    const request = `${method} ${path}`;
    const sample = samples.get(`${kind} ${request}`) ?? { request, kind, times: 0 };
    samples.set(`${kind} ${request}`, { ...sample, times: sample.times + 1 });
  }
  return [...samples.values()];
}
