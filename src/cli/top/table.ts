import { withoutHiddenCharacters } from "../../core/hidden-characters.js";
import type {
  EngineMetrics,
  ErrorRate,
  ModelMetrics,
  ServerMetrics,
} from "../../live-metrics/live-metrics.js";
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatLines,
  formatPercentage,
  formatRate,
  formatUptime,
} from "../../live-metrics/units.js";

/** Content of the screen. */
export type View =
  | { readonly type: "metrics"; readonly metrics: ServerMetrics }
  /** The server could not be read. */
  | { readonly type: "failure"; readonly reason: string };

export interface TableOptions {
  readonly url: string;
  /** Maximum line length; longer lines are cut. */
  readonly columns: number;
}

const GAP = "  ";

/** A model, or one of its replicas, of which fewer metrics are known. */
type Row = EngineMetrics & Partial<ModelMetrics> & { readonly name: string };

/** Columns of the model table. All except the name are right-aligned. */
const COLUMNS: readonly (readonly [heading: string, cell: (row: Row) => string])[] = [
  ["MODEL", ({ name }) => name],
  ["SLOTS", ({ running, slots }) => `${formatCount(running)}/${formatCount(slots)}`],
  ["QUEUE", ({ waiting }) => formatCount(waiting)],
  ["IN/s", ({ promptTokensPerSecond }) => formatRate(promptTokensPerSecond)],
  ["OUT/s", ({ generatedTokensPerSecond }) => formatRate(generatedTokensPerSecond)],
  ["TTFT p50", ({ timeToFirstToken }) => formatDuration(timeToFirstToken?.median)],
  ["p95", ({ timeToFirstToken }) => formatDuration(timeToFirstToken?.p95)],
  ["ITL p50", ({ interTokenLatency }) => formatDuration(interTokenLatency?.median)],
  ["p95", ({ interTokenLatency }) => formatDuration(interTokenLatency?.p95)],
  ["KV", ({ kvCacheUse }) => formatPercentage(kvCacheUse)],
  ["HITS", ({ cacheHitRate }) => formatPercentage(cacheHitRate)],
];

/** Returns the lines of a screen. */
export function formatTable(view: View, { url, columns }: TableOptions): readonly string[] {
  const lines =
    view.type === "failure"
      ? [`ggufd at ${url}`, "", view.reason]
      : formatMetrics(view.metrics, url);
  return lines.map((line) => truncateLine(withoutHiddenCharacters(line).trimEnd(), columns));
}

function formatMetrics(metrics: ServerMetrics, url: string): readonly string[] {
  const { version = "", state, uptimeSeconds, batches } = metrics;
  const models = metrics.models.filter((model) => model.state !== "not loaded");
  const title = [`ggufd ${version}`.trimEnd(), `at ${url}:`, state ?? "", formatAge(uptimeSeconds)];
  const notes = models.flatMap(describeNotes);
  return [
    title.filter((part) => part !== "").join(" "),
    [
      `requests ${formatRate(metrics.requestsPerSecond)}/s`,
      `errors ${formatErrors(metrics.errors)}`,
      `memory ${formatBytes(metrics.residentBytes)}, engines ${formatBytes(metrics.engineBytes)}`,
    ].join(GAP),
    ...(batches === undefined
      ? []
      : [`batches ${formatCount(batches.batches)}${GAP}lines ${formatLines(batches)}`]),
    "",
    ...(models.length === 0
      ? [metrics.models.length === 0 ? "no model" : "no model is loaded"]
      : formatModelRows(models)),
    ...(notes.length === 0 ? [] : ["", ...notes]),
  ];
}

function formatModelRows(models: readonly ModelMetrics[]): readonly string[] {
  const rows = [
    COLUMNS.map(([heading]) => heading),
    ...models.flatMap(listRows).map((row) => COLUMNS.map(([, cell]) => cell(row))),
  ];
  const widths = COLUMNS.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((text, index) =>
        index === 0 ? text.padEnd(widths[index] ?? 0) : text.padStart(widths[index] ?? 0),
      )
      .join(GAP),
  );
}

/** Lists a model, followed by its replicas. */
function listRows(model: ModelMetrics): readonly Row[] {
  const replicas = model.replicas.map(
    ({ replica, state, ...metrics }): Row => ({ ...metrics, name: `  replica ${replica}` }),
  );
  return [{ ...model, name: model.model }, ...replicas];
}

function describeNotes(metrics: ModelMetrics): readonly string[] {
  const { model, state, engineRestarts = 0, replicas } = metrics;
  const stopped = replicas.filter((replica) => replica.state === "not ready");
  return [
    ...stopped.map(({ replica }) => `${model}: replica ${replica} is not ready`),
    ...(state === "not ready" || state === "loading" ? [`${model} is ${state}`] : []),
    ...(engineRestarts > 0 ? [`${model}: engine restarted ${formatTimes(engineRestarts)}`] : []),
  ];
}

/** `server_overloaded 3.0/s, queue_timeout 0.5/s` */
function formatErrors(errors: readonly ErrorRate[]): string {
  if (errors.length === 0) return "none";
  return errors.map(({ code, perSecond }) => `${code} ${formatRate(perSecond)}/s`).join(", ");
}

function formatAge(seconds: number | undefined): string {
  return seconds === undefined ? "" : `for ${formatUptime(seconds)}`;
}

function formatTimes(number: number): string {
  return number === 1 ? "once" : `${number} times`;
}

function truncateLine(line: string, columns: number): string {
  const characters = [...line];
  return characters.length <= columns ? line : `${characters.slice(0, columns - 1).join("")}…`;
}
