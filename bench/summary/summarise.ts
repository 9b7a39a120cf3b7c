import type { Measure, Target } from "../scenarios/scenario.js";
import { median, spread } from "../statistics.js";
import type { ScenarioResult } from "./result-file.js";

/** One measure at one number of clients, all runs together. */
export interface SummaryRow {
  readonly clients: number;
  readonly measure: Measure;
  /** Ours first. */
  readonly sides: readonly SideSummary[];
  /** The median of the first side to that of the second; NaN when there is none. */
  readonly ratio: number;
  readonly target: TargetSummary | undefined;
}

export interface SideSummary {
  /** NaN when no run came to a number. */
  readonly median: number;
  /** Largest distance between two runs, as a share of the median. */
  readonly spread: number;
}

export interface TargetSummary {
  /** e.g. `≥ 1.02`, or `ours ≤ 50`. */
  readonly text: string;
  /** Unknown when nothing was measured. */
  readonly verdict: "met" | "missed" | "unknown";
}

/** Medians, spreads, ratios and what was aimed at. */
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
      const [ours = NOTHING, other = NOTHING] = summaries;
      const ratio = ours.median / other.median;
      const target = targets.find(
        (candidate) =>
          candidate.measure === name &&
          (candidate.clients ?? clients) === clients &&
          (candidate.model ?? settings.model) === settings.model,
      );
      const reached = target?.of === "ours" ? ours.median : ratio;
      return {
        clients,
        measure,
        sides: summaries,
        ratio,
        target: target && describeTarget(target, reached),
      };
    }),
  );
}

const NOTHING: SideSummary = { median: Number.NaN, spread: Number.NaN };

/** A target in words, and whether a value reaches it. */
export function describeTarget({ of, atLeast, atMost }: Target, reached: number): TargetSummary {
  const bounds = [
    ...(atLeast === undefined ? [] : [{ sign: "≥", bound: atLeast, kept: reached >= atLeast }]),
    ...(atMost === undefined ? [] : [{ sign: "≤", bound: atMost, kept: reached <= atMost }]),
  ];
  const words = bounds.map(({ sign, bound }) => `${sign} ${bound}`).join(", ");
  const verdict = bounds.every(({ kept }) => kept) ? "met" : "missed";
  return {
    text: of === "ours" ? `ours ${words}` : words,
    verdict: Number.isFinite(reached) ? verdict : "unknown",
  };
}
