import { formatValue } from "../summary/format.js";
import type { CurvePlot, PlotLine, Point } from "./curve-plot.js";
import { MARGIN, textAt, WIDTH } from "./svg.js";

const PLOT_LEFT = 60;
const PLOT_RIGHT = WIDTH - MARGIN;
const HEADING_HEIGHT = 52;
const PLOT_HEIGHT = 200;
/** Height of the horizontal axis with its labels. */
const AXIS_HEIGHT = 44;

/** Height of a panel. */
export const CURVE_PANEL_HEIGHT = HEADING_HEIGHT + PLOT_HEIGHT + AXIS_HEIGHT;

/**
 * Style in which sides differ by colour, as in the rest of the chart, and sampled values by dashes.
 */
export const CURVE_STYLE = `
    .curve { fill: none; stroke-width: 2 }
    .stroke-0 { stroke: #2f81c9 }
    .stroke-1 { stroke: #98a1ab }
    .stroke-2 { stroke: #c79a3b }
    .dash-1 { stroke-dasharray: 6 4 }
    .dash-2 { stroke-dasharray: 2 3 }
    .axis { fill: none; stroke: #727c87; stroke-width: 1 }
    .grid { fill: none; stroke: #727c87; stroke-width: 1; opacity: 0.25 }
    .tick { text-anchor: middle }`;

/** Draws a plot as a panel of a chart, with both axes from 0. */
export function drawCurvePanel(plot: CurvePlot, top: number): string {
  const { label, over, mark, clients, lines } = plot;
  const points = lines.flatMap((line) => line.points);
  const xTicks = ticksTo(Math.max(0, ...points.map(({ x }) => x)));
  const yTicks = ticksTo(Math.max(mark ?? 0, ...points.map(({ y }) => y)));
  const bottom = top + HEADING_HEIGHT + PLOT_HEIGHT;
  const xOf = scale(xTicks, PLOT_LEFT, PLOT_RIGHT);
  const yOf = scale(yTicks, bottom, bottom - PLOT_HEIGHT);
  return [
    textAt(MARGIN, top + 16, `${label} (${clients} clients)`, "panel"),
    ...legend(lines, top + 36),
    ...yTicks.flatMap((value) => [
      horizontal("grid", yOf(value)),
      textAt(PLOT_LEFT - 10, yOf(value) + 4, formatTick(value), "count"),
    ]),
    ...xTicks.map((value) => textAt(xOf(value), bottom + 18, formatTick(value), "tick")),
    textAt((PLOT_LEFT + PLOT_RIGHT) / 2, bottom + 36, over, "tick"),
    ...(mark === undefined ? [] : [horizontal("axis dash-2", yOf(mark))]),
    // ggufd's line is drawn above the others.
    ...lines.toReversed().map((line) => drawLine(line, dashOf(line, lines), xOf, yOf)),
  ]
    .map((part) => `  ${part}`)
    .join("\n");
}

/** Plot as text, for accessibility. */
export function describePlot(
  { label, over, clients, lines }: CurvePlot,
  sides: readonly string[],
): string {
  const texts = lines.map(({ name, side, points }) => {
    const values = points.map(({ x, y }) => `${formatValue(y)} at ${formatValue(x)} ${over}`);
    return `${sides[side]}, ${name}: ${values.join(", ")}.`;
  });
  return `${label} (${clients} clients). ${texts.join(" ")}`;
}

/** Returns 0 and up to six more round values, the last of which is at least `max`. */
export function ticksTo(max: number): number[] {
  const magnitude = 10 ** Math.floor(Math.log10(max / 6 || 1));
  const step = [1, 2, 5, 10].map((factor) => factor * magnitude).find((size) => 6 * size >= max);
  if (step === undefined) throw new RangeError(`ticksTo: expected a finite number, got ${max}`);
  return Array.from({ length: Math.max(1, Math.ceil(max / step)) + 1 }, (_, index) => index * step);
}

/** Returns a linear scale from the ticks' range to pixels. */
function scale(ticks: readonly number[], from: number, to: number): (value: number) => number {
  const max = ticks.at(-1) ?? 1;
  return (value) => Number((from + (value / max) * (to - from)).toFixed(1));
}

/** Draws a legend entry per sampled value; the chart's own legend explains the colours. */
function legend(lines: readonly PlotLine[], y: number): string[] {
  return namesOf(lines).flatMap((name, index) => {
    const x = MARGIN + index * 120;
    return [`<path class="axis dash-${index}" d="M${x} ${y - 4}h24"/>`, textAt(x + 32, y, name)];
  });
}

function drawLine(
  { side, points }: PlotLine,
  dash: number,
  xOf: (x: number) => number,
  yOf: (y: number) => number,
): string {
  const pixels = points.map(({ x, y }: Point) => `${xOf(x)},${yOf(y)}`);
  return `<polyline class="curve stroke-${side} dash-${dash}" points="${pixels.join(" ")}"/>`;
}

function horizontal(style: string, y: number): string {
  return `<path class="${style}" d="M${PLOT_LEFT} ${y}H${PLOT_RIGHT}"/>`;
}

function dashOf({ name }: PlotLine, lines: readonly PlotLine[]): number {
  return namesOf(lines).indexOf(name);
}

function namesOf(lines: readonly PlotLine[]): string[] {
  return [...new Set(lines.map(({ name }) => name))];
}

/** Formats a tick without the rounding error of multiples of a step such as 0.2. */
function formatTick(value: number): string {
  return String(Number(value.toPrecision(6)));
}
