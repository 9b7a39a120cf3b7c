import type { EngineMetrics, ModelMetrics } from "../../live-metrics/live-metrics.js";
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatPercentage,
  formatRate,
} from "../../live-metrics/units.js";

/** A model, or one of its replicas, of which fewer metrics are known. */
type Row = EngineMetrics & Partial<ModelMetrics> & { readonly name: string };

/** Columns after the model's name. */
const COLUMNS: readonly (readonly [heading: string, cell: (row: Row) => string])[] = [
  ["Slots in use", formatSlotsInUse],
  ["Queue", ({ waiting }) => formatCount(waiting)],
  ["Prompt tokens/s", ({ promptTokensPerSecond }) => formatRate(promptTokensPerSecond)],
  ["Generated tokens/s", ({ generatedTokensPerSecond }) => formatRate(generatedTokensPerSecond)],
  ["TTFT, median", ({ timeToFirstToken }) => formatDuration(timeToFirstToken?.median)],
  ["TTFT, 95\u00a0%", ({ timeToFirstToken }) => formatDuration(timeToFirstToken?.p95)],
  ["ITL, median", ({ interTokenLatency }) => formatDuration(interTokenLatency?.median)],
  ["ITL, 95\u00a0%", ({ interTokenLatency }) => formatDuration(interTokenLatency?.p95)],
  ["KV cache", ({ kvCacheUse }) => formatPercentage(kvCacheUse)],
  ["Cache hits", ({ cacheHitRate }) => formatPercentage(cacheHitRate)],
  ["Engine restarts", ({ engineRestarts }) => formatCount(engineRestarts)],
  ["Memory", ({ engineBytes }) => formatBytes(engineBytes)],
];

/** Lists a model, followed by its replicas. */
function listRows(model: ModelMetrics): readonly Row[] {
  const replicas = model.replicas.map(
    ({ replica, ...metrics }): Row => ({ ...metrics, name: `${model.model}, replica ${replica}` }),
  );
  return [{ ...model, name: model.model }, ...replicas];
}

function formatSlotsInUse({ running, slots }: Row): string {
  return slots === undefined
    ? formatCount(slots)
    : `${formatCount(running)} of ${formatCount(slots)}`;
}

/** Metrics of each model, as numbers. */
export function ModelTable({ models }: { readonly models: readonly ModelMetrics[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable elements must be reachable with the keyboard
    <section class="scrolls-aside" tabIndex={0} aria-label="Metrics by model">
      <table class="metrics-table">
        <caption class="visually-hidden">Metrics by model</caption>
        <thead>
          <tr>
            <th scope="col">Model</th>
            {COLUMNS.map(([heading]) => (
              <th key={heading} scope="col" class="number">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {models.flatMap(listRows).map((row) => (
            <tr key={row.name}>
              <th scope="row">
                {row.name}
                {row.state !== "ready" && row.state !== undefined && (
                  <span class="badge">{row.state}</span>
                )}
              </th>
              {COLUMNS.map(([heading, cell]) => (
                <td key={heading} class="number">
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
