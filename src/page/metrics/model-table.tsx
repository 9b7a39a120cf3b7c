import type { ModelMetrics } from "../../live-metrics/live-metrics.js";
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatPercentage,
  formatRate,
} from "../../live-metrics/units.js";

/** Columns after the model's name. */
const COLUMNS: readonly (readonly [heading: string, cell: (model: ModelMetrics) => string])[] = [
  ["Slots in use", formatSlotsInUse],
  ["Queue", ({ waiting }) => formatCount(waiting)],
  ["Prompt tokens/s", ({ promptTokensPerSecond }) => formatRate(promptTokensPerSecond)],
  ["Generated tokens/s", ({ generatedTokensPerSecond }) => formatRate(generatedTokensPerSecond)],
  ["TTFT, median", ({ timeToFirstToken }) => formatDuration(timeToFirstToken.median)],
  ["TTFT, 95\u00a0%", ({ timeToFirstToken }) => formatDuration(timeToFirstToken.p95)],
  ["ITL, median", ({ interTokenLatency }) => formatDuration(interTokenLatency.median)],
  ["ITL, 95\u00a0%", ({ interTokenLatency }) => formatDuration(interTokenLatency.p95)],
  ["KV cache", ({ kvCacheUse }) => formatPercentage(kvCacheUse)],
  ["Cache hits", ({ cacheHitRate }) => formatPercentage(cacheHitRate)],
  ["Engine restarts", ({ engineRestarts }) => formatCount(engineRestarts)],
  ["Memory", ({ engineBytes }) => formatBytes(engineBytes)],
];

function formatSlotsInUse({ running, slots }: ModelMetrics): string {
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
          {models.map((model) => (
            <tr key={model.model}>
              <th scope="row">
                {model.model}
                {model.state !== "ready" && model.state !== undefined && (
                  <span class="badge">{model.state}</span>
                )}
              </th>
              {COLUMNS.map(([heading, cell]) => (
                <td key={heading} class="number">
                  {cell(model)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
