import type { ModelFigures, ServerFigures } from "../../figures/figures.js";

/** What a server did at some time. */
export interface PastFigures {
  readonly atMs: number;
  readonly figures: ServerFigures;
}

/** What a chart shows at a time; `undefined`: that is not known, or did not happen. */
export interface Point {
  readonly atMs: number;
  readonly value: number | undefined;
}

/** How long ago figures are shown. */
export const HISTORY_MS = 120_000;

/** With the newest figures, and without those that are too old. */
export function withFigures(
  history: readonly PastFigures[],
  newest: PastFigures,
): readonly PastFigures[] {
  return [...history.filter(({ atMs }) => newest.atMs - atMs <= HISTORY_MS), newest];
}

/** How a figure of a model has been. */
export function seriesOf(
  history: readonly PastFigures[],
  model: string,
  figure: (model: ModelFigures) => number | undefined,
): readonly Point[] {
  return history.map(({ atMs, figures }) => {
    const found = figures.models.find((one) => one.model === model);
    return { atMs, value: found && figure(found) };
  });
}
