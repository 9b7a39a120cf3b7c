/** Reduces a run of `page`: loading time of the page, and its cost to streams while it is open. */
import type { PageLoad } from "../browser/load-page.js";
import type { LongThread } from "../browser/long-thread.js";
import type { PageRequest } from "../browser/record-page.js";
import type { Replayed } from "../client/replay-requests.js";
import type { RequestRecord } from "../client/request-record.js";
import { median, spread, sum } from "../statistics.js";
import { type StreamFigures, streamFigures } from "./beside-streams.js";
import type { Window } from "./reductions.js";
import type { Sample } from "./scenario.js";

/** Duration up to which a task does not count as blocking. */
const UNNOTICED_MS = 50;

/** Two consecutive windows of the streams. */
export interface WindowPair {
  readonly calm: Window;
  /** Window in which the page's requests were sent. */
  readonly page: Window;
}

/** Observations of one run. */
export interface PageObservations {
  readonly loads: readonly PageLoad[];
  readonly longThread: LongThread;
  readonly requests: readonly PageRequest[];
  /** Recording time of the requests, in milliseconds. */
  readonly recordedMs: number;
  readonly replayed: readonly Replayed[];
  readonly pairs: readonly WindowPair[];
  readonly streams: readonly RequestRecord[];
}

/** Time during which the page did not react to input while it was opened, in milliseconds. */
export function blockingTimeMs({ longTasksMs }: PageLoad): number {
  return sum(longTasksMs.map((ms) => Math.max(0, ms - UNNOTICED_MS)));
}

/** Measures of one run. Ratios are taken within each pair, because the machine's speed drifts. */
export function pageMeasures(observations: PageObservations) {
  const { loads, longThread, requests, recordedMs, replayed, pairs, streams } = observations;
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
    transferredForPaint: median(loads.map(({ bytesForPaint }) => bytesForPaint)) / 1000,
    threadScript: longThread.scriptMs,
    threadShown: longThread.shownMs,
    typingTasks: longThread.typingTasksMs.length,
    streamingTasks: longThread.streamingTasksMs.length,
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

/**
 * Builds a sample for each requested resource, and for each kind of failure when it was replayed.
 */
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
