import { chooseTop } from "./chart-scale.js";
import { HISTORY_MS, type Point } from "./history.js";
import { PLOT_HEIGHT, PLOT_WIDTH, Plot } from "./plot.js";
import { drawSparkline } from "./sparkline.js";

interface ChartProps {
  /** Name of the metric, with its unit unless the values have one. */
  readonly title: string;
  readonly points: readonly Point[];
  readonly nowMs: number;
  /** Formats a value. */
  readonly print: (value: number | undefined) => string;
  /** Minimum value of the upper edge. */
  readonly leastMaximum: number;
}

const COLUMNS = [0.25, 0.5, 0.75];
const MINUTES = HISTORY_MS / 60_000;

/** History of a metric over the last minutes. The table shows its numbers. */
export function Chart({ title, points, nowMs, print, leastMaximum }: ChartProps) {
  const known = points.flatMap(({ value }) => (value === undefined ? [] : [value]));
  const top = chooseTop(known.length === 0 ? undefined : Math.max(...known), leastMaximum);
  const { line, maximum } = drawSparkline(points, {
    width: PLOT_WIDTH,
    height: PLOT_HEIGHT,
    nowMs,
    spanMs: HISTORY_MS,
    leastMaximum: top,
  });
  const latestText = print(points.at(-1)?.value);
  const maximumText =
    maximum === undefined ? "no data in two minutes" : `at most ${print(maximum)}`;
  return (
    <Plot
      title={title}
      value={latestText}
      description={`now ${latestText}, ${maximumText}`}
      top={top}
      print={print}
      times={[`${MINUTES} min ago`, `${MINUTES / 2} min`, "now"]}
    >
      {COLUMNS.map((share) => (
        <path key={share} class="grid" d={`M${PLOT_WIDTH * share} 0V${PLOT_HEIGHT}`} />
      ))}
      <path class="line" d={line} />
    </Plot>
  );
}
