import type { ModelMetrics } from "../../live-metrics/live-metrics.js";
import {
  formatCount,
  formatDuration,
  formatPercentage,
  formatRate,
} from "../../live-metrics/units.js";
import { Chart } from "./chart.js";
import type { ModelTimeline } from "./follow-metrics.js";
import { type MetricsReading, selectSeries } from "./history.js";
import { SlotTimeline } from "./slot-timeline.js";

interface ModelChartsProps {
  readonly metrics: ModelMetrics;
  /** Requests of the last minute; absent: none yet. */
  readonly timeline: ModelTimeline | undefined;
  readonly history: readonly MetricsReading[];
  readonly nowMs: number;
}

/** Metrics drawn for each model. */
const CHARTS = [
  {
    title: "Generated tokens/s",
    readValue: ({ generatedTokensPerSecond }: ModelMetrics) => generatedTokensPerSecond,
    print: formatRate,
    leastMaximum: 10,
  },
  {
    title: "Prompt tokens/s",
    readValue: ({ promptTokensPerSecond }: ModelMetrics) => promptTokensPerSecond,
    print: formatRate,
    leastMaximum: 10,
  },
  {
    title: "Requests in the queue",
    readValue: ({ waiting }: ModelMetrics) => waiting,
    print: formatCount,
    leastMaximum: 2,
  },
  {
    title: "Cache hits, share of prompt tokens",
    readValue: ({ cacheHitRate }: ModelMetrics) => cacheHitRate,
    print: formatPercentage,
    leastMaximum: 1,
  },
  {
    title: "TTFT, median",
    readValue: ({ timeToFirstToken }: ModelMetrics) => timeToFirstToken.median,
    print: formatDuration,
    leastMaximum: 0.02,
  },
  {
    title: "KV cache in use",
    readValue: ({ kvCacheUse }: ModelMetrics) => kvCacheUse,
    print: formatPercentage,
    leastMaximum: 1,
  },
] as const;

/** Charts of a model's last minutes, and the state of its slots. */
export function ModelCharts({ metrics, timeline, history, nowMs }: ModelChartsProps) {
  const { model, slots: total, running } = metrics;
  return (
    <section class="model-charts" aria-label={model}>
      <h2>{model}</h2>
      <SlotTimeline
        total={total}
        running={running}
        slots={timeline?.slots}
        replicas={metrics.replicas}
        spans={timeline?.spans ?? []}
        nowMs={timeline?.atMs ?? nowMs}
      />
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
