import { formatRatio, formatValue, measureName } from "../summary/format.js";
import type { SummaryRow } from "../summary/summarise.js";
import { CURVE_PANEL_HEIGHT, CURVE_STYLE, describePlot, drawCurvePanel } from "./curve-panel.js";
import type { Section } from "./section.js";
import { MARGIN, textAt, toXml, WIDTH } from "./svg.js";

const BAR_LEFT = 120;
const BAR_RIGHT = 580;
const RATIO_LEFT = 670;
const BAR_HEIGHT = 14;
const GROUP_GAP = 10;
const PANEL_HEADING_HEIGHT = 34;
const HEADER_HEIGHT = 62;

/** Colours that are legible on both light and dark pages. */
const STYLE = `
    text { font: 13px ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, "DejaVu Sans", sans-serif; fill: #727c87 }
    .title { font-size: 16px; font-weight: 600 }
    .panel { font-weight: 600 }
    .count { text-anchor: end }
    .side-0 { fill: #2f81c9 }
    .side-1 { fill: #98a1ab }
    .side-2 { fill: #c79a3b }`;

/**
 * Draws the chart of one scenario as an SVG document: a panel of bars per measure, ggufd's bar on
 * top, and a panel per plot.
 */
export function drawChart(section: Section): string {
  const { title, description, sides, rows, plots, settings } = section;
  const panels = panelsOf(rows);
  const parts: string[] = [];
  let top = HEADER_HEIGHT;
  for (const panel of panels) {
    parts.push(drawPanel(panel, section, top));
    top += panelHeight(panel, sides.length);
  }
  for (const plot of plots) {
    parts.push(drawCurvePanel(plot, top));
    top += CURVE_PANEL_HEIGHT;
  }
  const height = top + MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title description">`,
    `  <title id="title">${toXml(`Benchmark ${title}: ${sides.join(" and ")}`)}</title>`,
    `  <desc id="description">${toXml(`${description}; ${settings}. ${textAlternative(section)}`)}</desc>`,
    `  <style>${STYLE}${plots.length > 0 ? CURVE_STYLE : ""}\n  </style>`,
    `  ${textAt(MARGIN, 26, title, "title")}`,
    ...sides.map((label, index) => `  ${legend(label, index)}`),
    ...(sides.length > 1 ? [`  ${textAt(RATIO_LEFT, 51, "ratio")}`] : []),
    ...parts,
    "</svg>\n",
  ].join("\n");
}

/** Groups the rows by measure; each panel has one scale. */
function panelsOf(rows: readonly SummaryRow[]): SummaryRow[][] {
  const panels = new Map<string, SummaryRow[]>();
  for (const row of rows) {
    panels.set(row.measure.label, [...(panels.get(row.measure.label) ?? []), row]);
  }
  return [...panels.values()];
}

function panelHeight(rows: readonly SummaryRow[], sides: number): number {
  return PANEL_HEADING_HEIGHT + rows.length * groupHeight(sides);
}

function groupHeight(sides: number): number {
  return sides * BAR_HEIGHT + GROUP_GAP;
}

function drawPanel(
  rows: readonly SummaryRow[],
  { concurrencyLabel, sides }: Section,
  top: number,
): string {
  const [first] = rows;
  if (first === undefined) return "";
  const { label, unit, better } = first.measure;
  const maxValue = Math.max(
    ...finite(rows.flatMap((row) => row.sides.map(({ median }) => median))),
  );
  const heading = [label, ...(unit === "" ? [] : [unit])].join(", ");
  const groups = rows.map((row, index) => {
    const y = top + PANEL_HEADING_HEIGHT - 8 + index * groupHeight(sides.length);
    return drawBarGroup(row, { y, maxValue, concurrencyLabel });
  });
  return [
    `  ${textAt(MARGIN, top + 16, `${heading} (${better} is better)`, "panel")}`,
    ...groups,
  ].join("\n");
}

interface BarGroupLayout {
  readonly y: number;
  /** Value of a full-length bar. */
  readonly maxValue: number;
  readonly concurrencyLabel: string;
}

function drawBarGroup(row: SummaryRow, { y, maxValue, concurrencyLabel }: BarGroupLayout): string {
  const { sides, ratio } = row;
  const middle = y + (sides.length * BAR_HEIGHT) / 2 + 4;
  const bars = sides.map(({ median }, index) => {
    const share = maxValue > 0 && Number.isFinite(median) ? median / maxValue : 0;
    const length = (share * (BAR_RIGHT - BAR_LEFT)).toFixed(1);
    const barTop = y + index * BAR_HEIGHT;
    const box = `x="${BAR_LEFT}" y="${barTop}" width="${length}" height="${BAR_HEIGHT - 2}"`;
    const end = BAR_LEFT + Number(length) + 6;
    return [
      `  <rect class="side-${index}" ${box} rx="2"/>`,
      `  ${textAt(end, barTop + 11, formatValue(median))}`,
    ].join("\n");
  });
  const ratioText = Number.isFinite(ratio)
    ? [`  ${textAt(RATIO_LEFT, middle, formatRatio(ratio))}`]
    : [];
  return [
    `  ${textAt(BAR_LEFT - 10, middle, groupName(row, concurrencyLabel), "count")}`,
    ...bars,
    ...ratioText,
  ].join("\n");
}

/** Label of a group of bars, e.g. `8 clients` or `regex, 8`. */
function groupName(
  { clients, measure: { subject } }: SummaryRow,
  concurrencyLabel: string,
): string {
  if (subject !== undefined) return `${subject}, ${clients}`;
  return `${clients} ${clients === 1 ? concurrencyLabel.replace(/s$/, "") : concurrencyLabel}`;
}

function legend(label: string, index: number): string {
  const x = MARGIN + index * 200;
  return `<rect class="side-${index}" x="${x}" y="40" width="12" height="12" rx="2"/>${textAt(x + 18, 51, label)}`;
}

/** Chart as text, for accessibility. */
function textAlternative({ rows, plots, sides, concurrencyLabel }: Section): string {
  const bars = rows.map(({ clients, measure, sides: values }) => {
    const valueTexts = values.map(({ median }, index) =>
      `${sides[index]} ${formatValue(median)} ${measure.unit}`.trimEnd(),
    );
    return `${measureName(measure)} at ${clients} ${concurrencyLabel}: ${valueTexts.join(", ")}.`;
  });
  return [...bars, ...plots.map((plot) => describePlot(plot, sides))].join(" ");
}

function finite(values: readonly number[]): number[] {
  return values.filter(Number.isFinite);
}
