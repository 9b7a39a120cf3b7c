import { type Column, formatTable } from "../table.js";
import { formatRatio, formatShare, formatValue } from "./format.js";
import type { RunResult, ScenarioResult } from "./result-file.js";
import { type SummaryRow, summarise } from "./summarise.js";

/** A scenario's result for a terminal. */
export function formatResult(result: ScenarioResult): string {
  const { scenario, description, sides } = result;
  return [
    `${scenario}: ${description}`,
    describeSettings(result),
    "",
    formatTable(columnsOf(sides.map(({ label }) => label)), summarise(result).map(cellsOf)),
    ...result.runs.flatMap(samplesOf),
    ...notesOf(result).map((note) => `\n${note}`),
  ].join("\n");
}

/** What both servers had, in one line. */
export function describeSettings({ settings }: ScenarioResult): string {
  const { model, slots, contextSize, threads, runs } = settings;
  return [
    `model ${model}`,
    `${slots} slots of ${contextSize} tokens`,
    `${threads} ${threads === 1 ? "thread" : "threads"}`,
    `${runs} ${runs === 1 ? "run" : "runs"}`,
  ].join(", ");
}

/** Failed requests, and how busy the client was at most. */
export function notesOf({ sides, runs }: ScenarioResult): string[] {
  const failures = sides.flatMap(({ label }) => {
    const reasons = new Map<string, number>();
    for (const { errors } of runs.filter(({ side }) => side === label)) {
      for (const [reason, times] of Object.entries(errors)) {
        reasons.set(reason, (reasons.get(reason) ?? 0) + times);
      }
    }
    return [...reasons].map(([reason, times]) => `${label}: ${times} requests failed: ${reason}`);
  });
  const share = Math.max(...runs.map(({ clientCpuShare }) => clientCpuShare));
  return [...failures, `The load client used at most ${formatShare(share)} of one core.`];
}

/** What was noted in a run, if anything was. */
function samplesOf({ clients, run, side, samples: [first, ...others] }: RunResult): string[] {
  if (first === undefined) return [];
  const columns = Object.keys(first);
  const rows = [first, ...others].map((sample) => columns.map((name) => sample[name] ?? ""));
  return [`\n${side}, clients ${clients}, run ${run}:`, formatTable(columns, rows)];
}

function columnsOf(labels: readonly string[]): Column[] {
  const sides = labels.flatMap((label) => [label, "spread"]);
  return ["clients", { words: "measure" }, { words: "unit" }, ...sides, "ratio", "target", ""];
}

/** A row of a table: clients, measure, unit, each side with its spread, ratio, target. */
export function cellsOf({
  clients,
  measure,
  sides,
  ratio,
  target,
}: SummaryRow): (string | number)[] {
  return [
    clients,
    measure.label,
    measure.unit,
    ...sides.flatMap(({ median, spread }) => [formatValue(median), formatShare(spread)]),
    formatRatio(ratio),
    ...(target === undefined ? ["", ""] : [target.text, target.verdict]),
  ];
}
