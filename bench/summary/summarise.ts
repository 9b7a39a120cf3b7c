import type { Measure, Target } from "../scenarios/scenario.js";
import { median, spread } from "../statistics.js";
import type { ScenarioResult } from "./result-file.js";

/** One measure at one number of clients, aggregated over all runs. */
export interface SummaryRow {
  readonly clients: number;
  readonly measure: Measure;
  /** Sides, ggufd first. */
  readonly sides: readonly SideSummary[];
  /** First side's median divided by the second's; NaN without a second side. */
  readonly ratio: number;
  readonly target: TargetSummary | undefined;
}

export interface SideSummary {
  /** NaN if no run has a value. */
  readonly median: number;
  /** Range of the runs' values, relative to the median. */
  readonly spread: number;
}

export interface TargetSummary {
  /** e.g. `≥ 1.02`, or `ours ≤ 50`. */
  readonly text: string;
  /** `unknown`: nothing was measured. */
  readonly verdict: "met" | "missed" | "unknown";
}

/** Computes medians, spreads, ratios and target verdicts. */
export function summarise(result: ScenarioResult): SummaryRow[] {
  const { settings, sides, measures, targets, runs } = result;
  return settings.clients.flatMap((clients) =>
    Object.entries(measures).map(([name, measure]) => {
      const summaries = sides.map(({ label }) => {
        const values = runs
          .filter((run) => run.clients === clients && run.side === label)
          .flatMap((run) => run.values[name] ?? []);
        return {
          median: median(values),
          spread: values.length === 0 ? Number.NaN : spread(values),
        };
      });
      const [ours = NO_VALUES, other = NO_VALUES] = summaries;
      const ratio = ours.median / other.median;
      const target = targets.find(
        (candidate) =>
          candidate.measure === name &&
          (candidate.clients ?? clients) === clients &&
          (candidate.model ?? settings.model) === settings.model,
      );
      const actual = target?.of === "ours" ? ours.median : ratio;
      return {
        clients,
        measure,
        sides: summaries,
        ratio,
        target: target && describeTarget(target, actual),
      };
    }),
  );
}

const NO_VALUES: SideSummary = { median: Number.NaN, spread: Number.NaN };

/** Describes a target as text, with a verdict on the actual value. */
export function describeTarget({ of, atLeast, atMost }: Target, actual: number): TargetSummary {
  const bounds = [
    ...(atLeast === undefined ? [] : [{ sign: "≥", bound: atLeast, isMet: actual >= atLeast }]),
    ...(atMost === undefined ? [] : [{ sign: "≤", bound: atMost, isMet: actual <= atMost }]),
  ];
  const boundsText = bounds.map(({ sign, bound }) => `${sign} ${bound}`).join(", ");
  const verdict = bounds.every(({ isMet }) => isMet) ? "met" : "missed";
  return {
    text: of === "ours" ? `ours ${boundsText}` : boundsText,
    verdict: Number.isFinite(actual) ? verdict : "unknown",
  };
}
