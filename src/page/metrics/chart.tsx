import { HISTORY_MS, type Point } from "./history.js";
import { drawSparkline } from "./sparkline.js";

interface ChartProps {
  /** Name of the metric. */
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
const HEIGHT = 48;

/** History of a metric over the last minutes. The table shows its numbers. */
export function Chart({ title, points, nowMs, print, leastMaximum }: ChartProps) {
  const { line, maximum } = drawSparkline(points, {
    width: WIDTH,
    height: HEIGHT,
    nowMs,
    spanMs: HISTORY_MS,
    leastMaximum,
  });
  const latestText = print(points.at(-1)?.value);
  const maximumText =
    maximum === undefined ? "no data in two minutes" : `at most ${print(maximum)}`;
  return (
    <figure class="chart">
      <figcaption>
        <span>{title}</span> <strong>{latestText}</strong>
      </figcaption>
      <svg
        role="img"
        aria-label={`${title}: now ${latestText}, ${maximumText}`}
        viewBox={`0 -2 ${WIDTH} ${HEIGHT + 4}`}
        preserveAspectRatio="none"
      >
        <path class="baseline" d={`M0 ${HEIGHT}H${WIDTH}`} />
        <path class="line" d={line} />
      </svg>
      <p class="hint">{maximumText}</p>
    </figure>
  );
}
