import { chooseTop } from "../metrics/chart-scale.js";

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

/** Units of the drawing, which is stretched to the available space. */
const WIDTH = 240;
const HEIGHT = 80;
const GAP_SHARE = 0.2;
/** Positions of the grid's lines, as shares of the drawing. */
const ROWS = [0, 0.5, 1];

/** Bars over time. The table of the same buckets shows their numbers. */
export function UsageChart({ title, series, labels, print }: UsageChartProps) {
  const totals = labels.map((_, index) => sumAt(series, index));
  const largest = Math.max(0, ...totals);
  const top = chooseTop(largest, 1);
  const total = totals.reduce((sum, value) => sum + value, 0);
  return (
    <figure class="chart usage-chart">
      <figcaption>
        <span>{title}</span> <strong>{print(total)}</strong>
      </figcaption>
      <div class="plot">
        <div class="y-axis" aria-hidden="true">
          {ROWS.map((share) => (
            <span key={share}>{print(top * (1 - share))}</span>
          ))}
        </div>
        <svg
          role="img"
          aria-label={`${title}: ${print(total)} in total, at most ${print(largest)}`}
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
        >
          {ROWS.map((share) => (
            <path key={share} class="grid" d={`M0 ${HEIGHT * share}H${WIDTH}`} />
          ))}
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
        </svg>
        <div class="x-axis" aria-hidden="true">
          <span>{labels.at(0)}</span>
          <span>{labels.at(-1)}</span>
        </div>
      </div>
      {series.length > 1 && (
        <p class="legend">
          {series.map(({ name, kind }) => (
            <span key={kind} class={kind}>
              {name}
            </span>
          ))}
        </p>
      )}
    </figure>
  );
}

function placeBar(index: number, count: number) {
  const step = WIDTH / count;
  return { x: (index + GAP_SHARE / 2) * step, width: (1 - GAP_SHARE) * step };
}

function stackBar(value: number, below: number, top: number) {
  const height = (HEIGHT * value) / top;
  return { y: HEIGHT - (HEIGHT * below) / top - height, height };
}

function sumAt(series: readonly Series[], index: number): number {
  return series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0);
}
