import { chooseTop } from "../metrics/chart-scale.js";
import { PLOT_HEIGHT, PLOT_WIDTH, Plot } from "../metrics/plot.js";

/** Values of one kind, drawn from the bottom or on top of the previous kind. */
export interface Series {
  readonly name: string;
  /** Class of its bars. */
  readonly kind: "prompt" | "generation";
  /** One value for each bucket. */
  readonly values: readonly number[];
}

interface UsageChartProps {
  /** Name of the values, with their unit. */
  readonly title: string;
  readonly series: readonly Series[];
  /** Label of each bucket. */
  readonly labels: readonly string[];
  readonly print: (value: number) => string;
}

/** Share of a bucket's width that stays empty. */
const GAP_SHARE = 0.2;

/** Bars over time. The table of the same buckets shows their numbers. */
export function UsageChart({ title, series, labels, print }: UsageChartProps) {
  const totals = labels.map((_, index) => sumAt(series, index));
  const largest = Math.max(0, ...totals);
  const top = chooseTop(largest, 1);
  const total = print(totals.reduce((sum, value) => sum + value, 0));
  const legend = series.length > 1 && (
    <p class="legend">
      {series.map(({ name, kind }) => (
        <span key={kind} class={kind}>
          {name}
        </span>
      ))}
    </p>
  );
  return (
    <Plot
      title={title}
      value={total}
      description={`${total} in total, at most ${print(largest)}`}
      top={top}
      print={print}
      times={[...new Set([labels.at(0), labels.at(-1)])]}
      kind="usage-chart"
      legend={legend}
    >
      {series.map(({ kind, values }, position) => (
        <g key={kind} class={kind}>
          {values.map((value, index) =>
            value === 0 ? null : (
              <rect
                key={labels[index]}
                {...placeBar(index, labels.length)}
                {...stackBar(value, sumAt(series.slice(0, position), index), top)}
              />
            ),
          )}
        </g>
      ))}
    </Plot>
  );
}

function placeBar(index: number, count: number) {
  const step = PLOT_WIDTH / count;
  return { x: (index + GAP_SHARE / 2) * step, width: (1 - GAP_SHARE) * step };
}

function stackBar(value: number, below: number, top: number) {
  const height = (PLOT_HEIGHT * value) / top;
  return { y: PLOT_HEIGHT - (PLOT_HEIGHT * below) / top - height, height };
}

function sumAt(series: readonly Series[], index: number): number {
  return series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0);
}
