import type { NativeSlots } from "../../api/llama-server/slots.js";
import type { ModelFigures } from "../../figures/figures.js";
import { count, duration, percentage, rate } from "../../figures/units.js";
import { Chart } from "./chart.js";
import { type PastFigures, selectSeries } from "./history.js";
import { SlotRow } from "./slot-row.js";

interface ModelChartsProps {
  readonly figures: ModelFigures;
  readonly slots: NativeSlots | undefined;
  readonly history: readonly PastFigures[];
  readonly nowMs: number;
}

/** Metrics drawn for each model. */
const CHARTS = [
  {
    title: "Generated tokens/s",
    figure: ({ generatedTokensPerSecond }: ModelFigures) => generatedTokensPerSecond,
    print: rate,
    leastMaximum: 1,
  },
  {
    title: "Queue",
    figure: ({ waiting }: ModelFigures) => waiting,
    print: count,
    leastMaximum: 1,
  },
  {
    title: "TTFT, median",
    figure: ({ timeToFirstToken }: ModelFigures) => timeToFirstToken.median,
    print: duration,
    leastMaximum: 0.01,
  },
  {
    title: "KV cache in use",
    figure: ({ kvCacheUse }: ModelFigures) => kvCacheUse,
    print: percentage,
    leastMaximum: 1,
  },
] as const;

/** Charts of a model's last minutes, and the state of its slots. */
export function ModelCharts({ figures, slots, history, nowMs }: ModelChartsProps) {
  const { model, slots: total, running } = figures;
  return (
    <section class="model-charts" aria-label={model}>
      <h2>{model}</h2>
      <SlotRow total={total} running={running} slots={slots} />
      <div class="charts">
        {CHARTS.map(({ title, figure, print, leastMaximum }) => (
          <Chart
            key={title}
            title={title}
            points={selectSeries(history, model, figure)}
            nowMs={nowMs}
            print={print}
            leastMaximum={leastMaximum}
          />
        ))}
      </div>
    </section>
  );
}
