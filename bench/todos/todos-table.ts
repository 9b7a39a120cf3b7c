import { median, spread } from "../statistics.js";
import { formatShare, formatValue } from "../summary/format.js";
import { cellsOf } from "../summary/result-table.js";
import { describeTarget, type SummaryRow } from "../summary/summarise.js";
import { type Column, formatTable } from "../table.js";
import type { TodosOptions, TodosResult, TodosRun } from "./todos-result.js";
import type { Workload } from "./workload.js";

/** One measure of one workload at one size and number of clients, aggregated over all runs. */
interface TodosRow extends SummaryRow {
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

/** Formats the results for a terminal. */
export function formatTodos(result: TodosResult, rows: readonly TodosRow[]): string {
  const sides = result.sides.flatMap(({ label }) => [label, "spread"]);
  const textColumn = (heading: string): Column => ({ text: heading });
  const columns = ["items", "clients", textColumn("measure"), textColumn("unit"), ...sides];
  return [
    `todos: ${describeTodosOptions(result.options)}`,
    "",
    formatTable(
      [...columns, "ratio", "target", ""],
      rows.map((row) => [row.items, ...cellsOf(row)]),
    ),
    "",
    todosNote(result),
  ].join("\n");
}

/** Describes the settings of all sides in one line. */
export function describeTodosOptions({ seconds, runs }: TodosOptions): string {
  const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  return `loads of ${count(seconds, "second")}, ${count(runs, "run")}`;
}

/** Notes the maximum CPU usage of the load generators. */
export function todosNote({ runs }: TodosResult): string {
  const maxShare = Math.max(...runs.map(({ clientCpuShare }) => clientCpuShare));
  return `A process of load clients used at most ${formatShare(maxShare)} of one core.`;
}

/**
 * Progress line: `todos, 1000 items, clients 32, run 1 of 3, ggufd: create 412 per s, …; client 20
 * % of a core`
 */
export function todosProgress(
  run: TodosRun,
  workloads: readonly Workload[],
  { runs }: TodosOptions,
): string {
  const measures = workloads.find(({ name }) => name === run.workload)?.measures ?? {};
  const values = Object.entries(measures).map(
    ([name, { label, unit }]) => `${label} ${formatValue(run.values[name] ?? Number.NaN)} ${unit}`,
  );
  const where = `todos, ${run.items} items, clients ${run.clients}, run ${run.run} of ${runs}`;
  const client = `client ${formatShare(run.clientCpuShare)} of a core`;
  return `${where}, ${run.side}: ${values.join(", ")}; ${client}`;
}
