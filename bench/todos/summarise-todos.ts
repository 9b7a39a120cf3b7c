import { median, spread } from "../statistics.js";
import { describeTarget, type SummaryRow } from "../summary/summarise.js";
import type { TodosResult } from "./todos-result.js";
import type { Workload } from "./workload.js";

/** One measure of one workload at one size and number of clients, aggregated over all runs. */
export interface TodosRow extends SummaryRow {
  readonly items: number;
}

/** Computes medians, spreads, the first side's ratio to the second, and target verdicts. */
export function summariseTodos(
  { options, sides, runs }: TodosResult,
  workloads: readonly Workload[],
): TodosRow[] {
  const rowsOf = (workload: Workload, items: number, clients: number) => {
    const workloadRuns = runs.filter(
      (run) => run.workload === workload.name && run.items === items && run.clients === clients,
    );
    return Object.entries(workload.measures).map(([name, measure]) => {
      const summaries = sides.map(({ label }) => {
        const values = workloadRuns
          .filter(({ side }) => side === label)
          .flatMap(({ values }) => values[name] ?? []);
        return {
          median: median(values),
          spread: values.length === 0 ? Number.NaN : spread(values),
        };
      });
      const [ours = Number.NaN, baseline = Number.NaN] = summaries.map((side) => side.median);
      const target = workload.targets.find(
        (candidate) =>
          candidate.measure === name &&
          (candidate.items ?? items) === items &&
          (candidate.clients ?? clients) === clients,
      );
      const ratio = ours / baseline;
      const actual = target?.of === "ours" ? ours : ratio;
      return {
        items,
        clients,
        measure,
        sides: summaries,
        ratio,
        target: target && describeTarget(target, actual),
      };
    });
  };
  return options.items.flatMap((items) =>
    workloads.flatMap((workload) =>
      workload.clients(options.clients).flatMap((clients) => rowsOf(workload, items, clients)),
    ),
  );
}
