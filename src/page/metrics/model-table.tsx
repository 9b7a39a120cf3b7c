import type { EngineMetrics, ModelMetrics } from "../../live-metrics/live-metrics.js";
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatPercentage,
  formatRate,
} from "../../live-metrics/units.js";
import { type NumberColumn, NumberTable } from "./number-table.js";

/** A model, or one of its replicas, of which fewer metrics are known. */
type Row = EngineMetrics & Partial<ModelMetrics> & { readonly name: string };

/** Columns after the model's name. */
const COLUMNS: readonly NumberColumn<Row>[] = [
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
    <NumberTable
      caption="Metrics by model"
      heading="Model"
      columns={COLUMNS}
      rows={models.flatMap(listRows)}
      badgeOf={({ state }) => (state === "ready" ? undefined : state)}
    />
  );
}
