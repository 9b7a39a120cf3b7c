import { chooseTop } from "./chart-scale.js";
import { HISTORY_MS, type Point } from "./history.js";
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

/** Units of the drawing, which is stretched to the available space. */
const WIDTH = 240;
const HEIGHT = 80;
/** Positions of the grid's lines, as shares of the drawing. */
const ROWS = [0, 0.5, 1];
const COLUMNS = [0.25, 0.5, 0.75];
const MINUTES = HISTORY_MS / 60_000;

/** History of a metric over the last minutes. The table shows its numbers. */
export function Chart({ title, points, nowMs, print, leastMaximum }: ChartProps) {
  const known = points.flatMap(({ value }) => (value === undefined ? [] : [value]));
  const top = chooseTop(known.length === 0 ? undefined : Math.max(...known), leastMaximum);
  const { line, maximum } = drawSparkline(points, {
    width: WIDTH,
    height: HEIGHT,
    nowMs,
    spanMs: HISTORY_MS,
    leastMaximum: top,
  });
  const latestText = print(points.at(-1)?.value);
  const maximumText =
    maximum === undefined ? "no data in two minutes" : `at most ${print(maximum)}`;
  return (
    <figure class="chart">
      <figcaption>
        <span>{title}</span> <strong>{latestText}</strong>
      </figcaption>
      <div class="plot">
        <div class="y-axis" aria-hidden="true">
          {ROWS.map((share) => (
            <span key={share}>{print(top * (1 - share))}</span>
          ))}
        </div>
        <svg
          role="img"
          aria-label={`${title}: now ${latestText}, ${maximumText}`}
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
        >
          {ROWS.map((share) => (
            <path key={share} class="grid" d={`M0 ${HEIGHT * share}H${WIDTH}`} />
          ))}
          {COLUMNS.map((share) => (
            <path key={share} class="grid" d={`M${WIDTH * share} 0V${HEIGHT}`} />
          ))}
          <path class="line" d={line} />
        </svg>
        <div class="x-axis" aria-hidden="true">
          <span>{MINUTES} min ago</span>
          <span>{MINUTES / 2} min</span>
          <span>now</span>
        </div>
      </div>
    </figure>
  );
}
