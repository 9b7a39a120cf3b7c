/** Shared constants and helpers of a chart's drawings. */

/** Width of a chart, and the margin at its edges. */
export const WIDTH = 760;
export const MARGIN = 16;

/** Draws a text whose baseline begins at a point. */
export function textAt(x: number, y: number, text: string, style?: string): string {
  const attribute = style === undefined ? "" : ` class="${style}"`;
  return `<text${attribute} x="${x}" y="${y}">${toXml(text)}</text>`;
}

export function toXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
