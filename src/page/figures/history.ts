import type { ModelFigures, ServerFigures } from "../../figures/figures.js";

/** Metrics of a server at a time. */
export interface PastFigures {
  readonly atMs: number;
  readonly figures: ServerFigures;
}

/** Value of a chart at a time; `undefined`: unknown, or nothing was observed. */
export interface Point {
  readonly atMs: number;
  readonly value: number | undefined;
}

/** Length of the history that is shown. */
export const HISTORY_MS = 120_000;

/** Appends the newest metrics and drops outdated ones. */
export function withFigures(
  history: readonly PastFigures[],
  newest: PastFigures,
): readonly PastFigures[] {
  return [...history.filter(({ atMs }) => newest.atMs - atMs <= HISTORY_MS), newest];
}

/** Returns the history of one metric of a model. */
export function selectSeries(
  history: readonly PastFigures[],
  model: string,
  figure: (model: ModelFigures) => number | undefined,
): readonly Point[] {
  return history.map(({ atMs, figures }) => {
    const found = figures.models.find((one) => one.model === model);
    return { atMs, value: found && figure(found) };
  });
}
