import type { Point } from "./history.js";

/** What a chart shows, and where. */
export interface SparklineOptions {
  readonly width: number;
  readonly height: number;
  /** Of the right edge. */
  readonly nowMs: number;
  /** From the left edge to the right one. */
  readonly spanMs: number;
  /** What reaches the upper edge at least. */
  readonly leastMaximum: number;
}

export interface Sparkline {
  /** Of an SVG path: a line for each run of readings without a gap. */
  readonly line: string;
  /** The largest value; `undefined`: there is none. */
  readonly maximum: number | undefined;
}

/** Readings that are further apart are not joined: what was between them is not known. */
const GAP_MS = 5000;

/** Draws values over time, from 0 upwards. */
export function sparkline(points: readonly Point[], options: SparklineOptions): Sparkline {
  const { width, height, nowMs, spanMs, leastMaximum } = options;
  const known = points.flatMap(({ atMs, value }) =>
    value === undefined || nowMs - atMs > spanMs ? [] : [{ atMs, value }],
  );
  const maximum = known.length === 0 ? undefined : Math.max(...known.map(({ value }) => value));
  const top = Math.max(maximum ?? 0, leastMaximum);
  const place = ({ atMs, value }: { readonly atMs: number; readonly value: number }) =>
    `${round(width * (1 - (nowMs - atMs) / spanMs))} ${round(height * (1 - value / top))}`;
  let line = "";
  let before: number | undefined;
  for (const point of known) {
    const isJoined = before !== undefined && point.atMs - before <= GAP_MS;
    // A line to the same place is a dot, where the line has round ends.
    line += isJoined ? `L${place(point)}` : `M${place(point)}h0`;
    before = point.atMs;
  }
  return { line, maximum };
}

function round(coordinate: number): number {
  return Math.round(coordinate * 10) / 10;
}
