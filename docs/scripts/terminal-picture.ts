/** A line of a terminal: typed by a person, or printed by a program. */
export interface TerminalLine {
  readonly kind: "typed" | "printed";
  readonly text: string;
}

const FONT_SIZE = 13;
/** Advance of one character of a monospaced font, relative to its size. */
const CHARACTER_WIDTH = 0.602 * FONT_SIZE;
const LINE_HEIGHT = 19;
const PADDING = 18;
const TITLE_BAR_HEIGHT = 30;

/** Draws a terminal window as SVG. The same lines give the same bytes. */
export function drawTerminal(description: string, lines: readonly TerminalLine[]): string {
  const columns = Math.max(...lines.map((line) => displayed(line).length));
  const width = Math.ceil(2 * PADDING + columns * CHARACTER_WIDTH);
  const height = TITLE_BAR_HEIGHT + lines.length * LINE_HEIGHT + PADDING;
  const rows = lines.map((line, index) => {
    const y = TITLE_BAR_HEIGHT + (index + 1) * LINE_HEIGHT;
    return `<text class="${line.kind}" x="${PADDING}" y="${y}" xml:space="preserve">${content(line)}</text>`;
  });
  const buttons = ["#ff5f57", "#febc2e", "#28c840"].map(
    (color, index) =>
      `<circle cx="${PADDING + index * 18}" cy="${TITLE_BAR_HEIGHT / 2}" r="5.5" fill="${color}"/>`,
  );
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">`,
    `<title id="title">${escapeXml(description)}</title>`,
    `<style>text { font: ${FONT_SIZE}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace } .typed { fill: #f0f3f6; font-weight: 600 } .printed { fill: #b8c4d0 } .prompt { fill: #57c18b }</style>`,
    `<rect width="${width}" height="${height}" rx="9" fill="#161b22"/>`,
    ...buttons,
    ...rows,
    "</svg>",
  ].join("\n")}\n`;
}

function displayed({ kind, text }: TerminalLine): string {
  return kind === "typed" ? `$ ${text}` : text;
}

function content({ kind, text }: TerminalLine): string {
  const escaped = escapeXml(text);
  return kind === "typed" ? `<tspan class="prompt">$ </tspan>${escaped}` : escaped;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
