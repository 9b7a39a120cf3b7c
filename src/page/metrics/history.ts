import type { ModelMetrics, ServerMetrics } from "../../live-metrics/live-metrics.js";

/** Metrics of a server at a time. */
export interface MetricsReading {
  readonly atMs: number;
  readonly metrics: ServerMetrics;
}

/** Value of a chart at a time; `undefined`: unknown, or nothing was observed. */
export interface Point {
  readonly atMs: number;
  readonly value: number | undefined;
}

/** Length of the history that is shown. */
export const HISTORY_MS = 120_000;

/** Appends the newest metrics and drops outdated ones. */
export function appendReading(
  history: readonly MetricsReading[],
  newest: MetricsReading,
): readonly MetricsReading[] {
  return [...history.filter(({ atMs }) => newest.atMs - atMs <= HISTORY_MS), newest];
}

/** Returns the history of one metric of a model. */
export function selectSeries(
  history: readonly MetricsReading[],
  model: string,
  readValue: (model: ModelMetrics) => number | undefined,
): readonly Point[] {
  return history.map(({ atMs, metrics }) => {
    const found = metrics.models.find((one) => one.model === model);
    return { atMs, value: found && readValue(found) };
  });
}
