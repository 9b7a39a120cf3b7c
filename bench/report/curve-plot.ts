import { median } from "../statistics.js";
import type { ScenarioResult } from "../summary/result-file.js";

/** {@link Curve} with its points, at one number of clients. */
export interface CurvePlot {
  readonly label: string;
  readonly over: string;
  /** Value of the horizontal line; absent: no line is drawn. */
  readonly mark: number | undefined;
  readonly clients: number;
  readonly lines: readonly PlotLine[];
}

/** One sampled value on one side, as medians of all runs. */
export interface PlotLine {
  /** Name of the sampled value. */
  readonly name: string;
  /** Index of the side; ggufd is 0. */
  readonly side: number;
  /** Points by ascending x. */
  readonly points: readonly Point[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Plots of a scenario's curve, one per number of clients; empty if the scenario has no curve. */
export function curvePlots({ curve, settings, sides, runs }: ScenarioResult): CurvePlot[] {
  if (curve === undefined) return [];
  const { label, over, mark } = curve;
  return settings.clients.map((clients) => ({
    ...{ label, over, mark, clients },
    lines: sides.flatMap((side, index) => {
      const samples = runs
        .filter((run) => run.clients === clients && run.side === side.label)
        .flatMap((run) => run.samples);
      return curve.lines.map((name) => ({
        name,
        side: index,
        points: medianPoints(samples.map((sample) => ({ x: sample[over], y: sample[name] }))),
      }));
    }),
  }));
}

/** Computes the median at each x. */
function medianPoints(values: readonly Readonly<Record<keyof Point, unknown>>[]): Point[] {
  const valuesByX = new Map<number, number[]>();
  for (const { x, y } of values) {
    if (typeof x === "number" && typeof y === "number") {
      valuesByX.set(x, [...(valuesByX.get(x) ?? []), y]);
    }
  }
  return [...valuesByX].map(([x, ys]) => ({ x, y: median(ys) })).toSorted((a, b) => a.x - b.x);
}
