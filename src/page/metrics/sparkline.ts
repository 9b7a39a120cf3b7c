import type { Point } from "./history.js";

/** Area of a chart. */
export interface SparklineOptions {
  readonly width: number;
  readonly height: number;
  /** Time at the right edge. */
  readonly nowMs: number;
  /** Time span between the left and right edges. */
  readonly spanMs: number;
  /** Minimum value of the upper edge. */
  readonly leastMaximum: number;
}

export interface Sparkline {
  /** SVG path data: one line per run of readings without a gap. */
  readonly line: string;
  /** The largest value; `undefined`: there is none. */
  readonly maximum: number | undefined;
}

/** Maximum interval between two readings that are joined by a line. */
const GAP_MS = 5000;

/** Draws values over time, from 0 upwards. */
export function drawSparkline(points: readonly Point[], options: SparklineOptions): Sparkline {
  const { width, height, nowMs, spanMs, leastMaximum } = options;
  const knownPoints = points.flatMap(({ atMs, value }) =>
    value === undefined || nowMs - atMs > spanMs ? [] : [{ atMs, value }],
  );
  const maximum =
    knownPoints.length === 0 ? undefined : Math.max(...knownPoints.map(({ value }) => value));
  const top = Math.max(maximum ?? 0, leastMaximum);
  const formatPoint = ({ atMs, value }: { readonly atMs: number; readonly value: number }) =>
    `${round(width * (1 - (nowMs - atMs) / spanMs))} ${round(height * (1 - value / top))}`;
  let line = "";
  let previousMs: number | undefined;
  for (const point of knownPoints) {
    const isJoined = previousMs !== undefined && point.atMs - previousMs <= GAP_MS;
    // A zero-length line with round ends is drawn as a dot.
    line += isJoined ? `L${formatPoint(point)}` : `M${formatPoint(point)}h0`;
    previousMs = point.atMs;
  }
  return { line, maximum };
}

function round(coordinate: number): number {
  return Math.round(coordinate * 10) / 10;
}
