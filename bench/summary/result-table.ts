import { type Column, formatTable } from "../table.js";
import {
  formatRatio,
  formatSample,
  formatSampled,
  formatShare,
  formatValue,
  measureName,
} from "./format.js";
import type { RunResult, ScenarioResult } from "./result-file.js";
import { type SummaryRow, summarise } from "./summarise.js";

/** Formats a scenario's result for a terminal. */
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

/** Describes the settings of all servers in one line. */
export function describeSettings({ settings }: ScenarioResult): string {
  const { model, slots, contextSize, threads, runs } = settings;
  return [
    `model ${model}`,
    `${slots} slots of ${contextSize} tokens`,
    `${threads} ${threads === 1 ? "thread" : "threads"}`,
    `${runs} ${runs === 1 ? "run" : "runs"}`,
  ].join(", ");
}

/** Lists notes on calibrations, failed requests and the load client's maximum CPU usage. */
export function notesOf({ sides, calibrations = [], runs }: ScenarioResult): string[] {
  const calibrated = calibrations.map(
    ({ clients, side, values }) =>
      `${side}, calibration at ${clients} clients: ${formatSample(values)}.`,
  );
  const failures = sides.flatMap(({ label }) => {
    const countByReason = new Map<string, number>();
    for (const { errors } of runs.filter(({ side }) => side === label)) {
      for (const [reason, count] of Object.entries(errors)) {
        countByReason.set(reason, (countByReason.get(reason) ?? 0) + count);
      }
    }
    return [...countByReason].map(
      ([reason, count]) => `${label}: ${count} requests failed: ${reason}`,
    );
  });
  const maxShare = Math.max(...runs.map(({ clientCpuShare }) => clientCpuShare));
  const cpu = `The load client used at most ${formatShare(maxShare)} of one core.`;
  return [...calibrated, ...failures, cpu];
}

/** Formats a run's samples as a table, if there are any. */
function samplesOf({ clients, run, side, samples: [first, ...others] }: RunResult): string[] {
  if (first === undefined) return [];
  const columns = Object.keys(first);
  const rows = [first, ...others].map((sample) =>
    columns.map((name) => formatSampled(sample[name])),
  );
  return [`\n${side}, clients ${clients}, run ${run}:`, formatTable(columns, rows)];
}

function columnsOf(labels: readonly string[]): Column[] {
  const sides = labels.flatMap((label) => [label, "spread"]);
  return ["clients", { text: "measure" }, { text: "unit" }, ...sides, "ratio", "target", ""];
}

/** Cells of a row: clients, measure, unit, each side with its spread, ratio, target. */
export function cellsOf({
  clients,
  measure,
  sides,
  ratio,
  target,
}: SummaryRow): (string | number)[] {
  return [
    clients,
    measureName(measure),
    measure.unit,
    ...sides.flatMap(({ median, spread }) => [formatValue(median), formatShare(spread)]),
    formatRatio(ratio),
    ...(target === undefined ? ["", ""] : [target.text, target.verdict]),
  ];
}
