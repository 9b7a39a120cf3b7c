import type { Token } from "markdown-it/browser";

/** Number of heading levels that the page itself uses. */
const LEVELS_ABOVE = 2;
const LOWEST_LEVEL = 6;

/**
 * Sets the elements of headings: below the headings of the page, and without gaps, because models
 * often start with `###`.
 */
export function setHeadingLevels(tokens: readonly Token[]): void {
  /** Levels in the text of the headings that the current heading is below. */
  const above: number[] = [];
  for (const token of tokens) {
    if (token.type === "heading_open") {
      const level = Number(token.tag.slice(1));
      while (level <= (above.at(-1) ?? 0)) above.pop();
      above.push(level);
    }
    if (/^heading_(?:open|close)$/.test(token.type)) {
      token.tag = `h${Math.min(LEVELS_ABOVE + above.length, LOWEST_LEVEL)}`;
    }
  }
}
