import type { NativeSlots } from "../../api/llama-server/slots.js";
import type { ModelMetrics } from "../../live-metrics/live-metrics.js";
import {
  formatCount,
  formatDuration,
  formatPercentage,
  formatRate,
} from "../../live-metrics/units.js";
import { Chart } from "./chart.js";
import { type MetricsReading, selectSeries } from "./history.js";
import { SlotRow } from "./slot-row.js";

interface ModelChartsProps {
  readonly metrics: ModelMetrics;
  readonly slots: NativeSlots | undefined;
  readonly history: readonly MetricsReading[];
  readonly nowMs: number;
}

/** Metrics drawn for each model. */
const CHARTS = [
  {
    title: "Generated tokens/s",
    readValue: ({ generatedTokensPerSecond }: ModelMetrics) => generatedTokensPerSecond,
    print: formatRate,
    leastMaximum: 1,
  },
  {
    title: "Queue",
    readValue: ({ waiting }: ModelMetrics) => waiting,
    print: formatCount,
    leastMaximum: 1,
  },
  {
    title: "TTFT, median",
    readValue: ({ timeToFirstToken }: ModelMetrics) => timeToFirstToken.median,
    print: formatDuration,
    leastMaximum: 0.01,
  },
  {
    title: "KV cache in use",
    readValue: ({ kvCacheUse }: ModelMetrics) => kvCacheUse,
    print: formatPercentage,
    leastMaximum: 1,
  },
] as const;

/** Charts of a model's last minutes, and the state of its slots. */
export function ModelCharts({ metrics, slots, history, nowMs }: ModelChartsProps) {
  const { model, slots: total, running } = metrics;
  return (
    <section class="model-charts" aria-label={model}>
      <h2>{model}</h2>
      <SlotRow total={total} running={running} slots={slots} />
      <div class="charts">
        {CHARTS.map(({ title, readValue, print, leastMaximum }) => (
          <Chart
            key={title}
            title={title}
            points={selectSeries(history, model, readValue)}
            nowMs={nowMs}
            print={print}
            leastMaximum={leastMaximum}
          />
        ))}
      </div>
    </section>
  );
}
