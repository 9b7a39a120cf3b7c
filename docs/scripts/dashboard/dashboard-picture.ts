import { formatValue } from "./format-value.js";
import type { FilledPanel, Line } from "./read-panels.js";

const COLUMN_WIDTH = 52;
const ROW_HEIGHT = 27;
const GAP = 6;
const TITLE_HEIGHT = 24;
const LEGEND_HEIGHT = 16;
const AXIS_WIDTH = 62;
const LEGEND_ROWS = 2;
const LEGEND_COLUMNS = 3;
/** Mean width of the font's characters. */
const CHARACTER_WIDTH = 6.4;
const MOST_TIMES = 5;
const MINUTES_APART = [0.5, 1, 2, 5, 10, 15, 30, 60, 120, 360];

const COLORS = [
  "#73bf69",
  "#f2cc0c",
  "#5794f2",
  "#ff9830",
  "#f2495c",
  "#b877d9",
  "#37872d",
  "#e0b400",
];

const STYLE = `text { font: 11px ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, "DejaVu Sans", sans-serif; fill: #9fa7b3 } .title { font-size: 12px; font-weight: 600; fill: #d8dce2 } .row { font-size: 13px; font-weight: 600; fill: #d8dce2 } .stat { font-size: 26px; font-weight: 600; fill: #f0f3f6; text-anchor: middle } .tick { text-anchor: end; font-size: 10px } .time { text-anchor: middle; font-size: 10px }`;

/** Draws the panels of a dashboard as SVG, placed as in Grafana. The same panels give the same bytes. */
export function drawDashboard(description: string, panels: readonly FilledPanel[]): string {
  const width = 24 * COLUMN_WIDTH + GAP;
  const height = Math.max(...panels.map(({ place }) => place.y + place.h)) * ROW_HEIGHT + GAP;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">`,
    `<title id="title">${escapeXml(description)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect width="${width}" height="${height}" fill="#111217"/>`,
    ...panels.map((panel) => drawPanel(panel, rangeOf(panels))),
    "</svg>",
  ].join("\n")}\n`;
}

/** Times in seconds since the Unix epoch. */
interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Returns the time range of all panels together: they share an axis, as in Grafana. */
function rangeOf(panels: readonly FilledPanel[]): TimeRange {
  const times = panels.flatMap(({ lines }) =>
    lines.flatMap(({ points }) => points.map(({ at }) => at)),
  );
  return { from: Math.min(...times), to: Math.max(...times) };
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

function drawPanel(panel: FilledPanel, range: TimeRange): string {
  const { kind, title, place } = panel;
  const box = {
    x: place.x * COLUMN_WIDTH + GAP,
    y: place.y * ROW_HEIGHT + GAP,
    w: place.w * COLUMN_WIDTH - GAP,
    h: place.h * ROW_HEIGHT - GAP,
  };
  if (kind === "row") return textAt(box.x + 4, box.y + 15, title, "row");
  return [
    `<rect x="${box.x}" y="${box.y}" width="${box.w}" height="${box.h}" rx="3" fill="#181b1f" stroke="#2a2d33"/>`,
    textAt(box.x + 10, box.y + 17, title, "title"),
    kind === "stat" ? drawStat(panel, box) : drawLines(panel, box, range),
  ].join("\n");
}

function drawStat({ lines, unit }: FilledPanel, { x, y, w, h }: Box): string {
  const last = lines[0]?.points.findLast(({ value }) => value !== undefined)?.value;
  const text = last === undefined ? "no data" : formatValue(last, unit);
  return textAt(x + w / 2, y + TITLE_HEIGHT + (h - TITLE_HEIGHT) / 2 + 6, text, "stat");
}

function drawLines({ lines, stacking, unit }: FilledPanel, box: Box, range: TimeRange): string {
  const shown = stacking === "stacked" ? stacked(lines) : lines;
  const values = shown.flatMap(({ points }) => points.map(({ value }) => value ?? 0));
  if (values.length === 0) return textAt(box.x + 10, box.y + 60, "no data");
  const { from, to } = range;
  const max = roundUp(Math.max(...values), unit);
  const left = box.x + AXIS_WIDTH;
  const right = box.x + box.w - 12;
  const top = box.y + TITLE_HEIGHT + 6;
  const bottom = box.y + box.h - (LEGEND_ROWS + 1) * LEGEND_HEIGHT - 6;
  const xOf = (at: number) => pixel(left + ((at - from) / (to - from || 1)) * (right - left));
  const yOf = (value: number) => pixel(bottom - (value / max) * (bottom - top));
  const ticks = [0, 0.5, 1].flatMap((share) => [
    `<path d="M${left} ${yOf(share * max)}H${right}" stroke="#2a2d33"/>`,
    textAt(left - 6, yOf(share * max) + 4, formatValue(share * max, unit), "tick"),
  ]);
  const times = minutesOf((to - from) / 60).map((minute) =>
    textAt(xOf(from + 60 * minute), bottom + 13, minute === 0 ? "0" : `${minute} min`, "time"),
  );
  const curves = shown.map(({ points }, index) => {
    const color = COLORS[index % COLORS.length];
    const drawn = pieces(points).map((piece) => {
      const path = piece.map(({ at, value }) => `${xOf(at)},${yOf(value)}`).join(" ");
      if (stacking === "apart") {
        return `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="1.3"/>`;
      }
      const ends = `${xOf(piece.at(-1)?.at ?? from)},${bottom} ${xOf(piece[0]?.at ?? from)},${bottom}`;
      return `<polygon points="${path} ${ends}" fill="${color}"/>`;
    });
    return drawn.join("\n");
  });
  // Stacked areas overlap: draw the lowest one last, so that all stay visible.
  const inOrder = stacking === "stacked" ? curves.toReversed() : curves;
  return [...ticks, ...times, ...inOrder, drawLegend(lines, box)].join("\n");
}

/** Draws the names of the lines below the curves, as far as they fit. */
function drawLegend(lines: readonly Line[], { x, y, w, h }: Box): string {
  const columns = Math.min(lines.length, LEGEND_COLUMNS);
  const step = (w - 20) / columns;
  const length = Math.floor((step - 20) / CHARACTER_WIDTH);
  return lines
    .slice(0, LEGEND_ROWS * LEGEND_COLUMNS)
    .map(({ name }, index) => {
      const left = pixel(x + 10 + (index % columns) * step);
      const baseline = y + h - 8 - (index < columns ? LEGEND_HEIGHT : 0);
      const color = COLORS[index % COLORS.length];
      const written = name.length <= length ? name : `…${name.slice(1 - length)}`;
      return `<rect x="${left}" y="${baseline - 5}" width="10" height="3" fill="${color}"/>${textAt(left + 14, baseline, written)}`;
    })
    .join("\n");
}

/** Returns the labelled times of a time axis. */
export function minutesOf(length: number): readonly number[] {
  const apart =
    MINUTES_APART.find((minutes) => length / minutes < MOST_TIMES) ?? length / (MOST_TIMES - 1);
  return Array.from({ length: Math.floor(length / apart) + 1 }, (_, index) => index * apart);
}

/** Adds to each line the values of the lines before it. */
export function stacked(lines: readonly Line[]): readonly Line[] {
  const below = new Map<number, number>();
  return lines.map(({ name, points }) => ({
    name,
    points: points.map(({ at, value }) => {
      const top = (below.get(at) ?? 0) + (value ?? 0);
      below.set(at, top);
      return { at, value: top };
    }),
  }));
}

/** Splits a line at times without a value and at missing times. */
function pieces(points: Line["points"]): readonly { at: number; value: number }[][] {
  const step = Math.min(...points.slice(1).map(({ at }, index) => at - (points[index]?.at ?? at)));
  const found: { at: number; value: number }[][] = [[]];
  let lastAt: number | undefined;
  for (const { at, value } of points) {
    if (value === undefined || at - (lastAt ?? at) > step) found.push([]);
    if (value !== undefined) found.at(-1)?.push({ at, value });
    lastAt = at;
  }
  return found.filter((piece) => piece.length > 0);
}

/**
 * Returns the end of a value axis: the smallest 1, 2 or 5 times a power of ten that is at least the value; for
 * bytes the smallest such power of two; 1 for 0.
 */
export function roundUp(value: number, unit: string): number {
  if (value <= 0) return 1;
  if (unit === "bytes") return 2 ** Math.ceil(Math.log2(value));
  const magnitude = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5].find((factor) => factor * magnitude >= value) ?? 10) * magnitude;
}

function pixel(value: number): number {
  return Number(value.toFixed(1));
}

function textAt(x: number, y: number, text: string, style?: string): string {
  const attribute = style === undefined ? "" : ` class="${style}"`;
  return `<text${attribute} x="${x}" y="${y}">${escapeXml(text)}</text>`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
