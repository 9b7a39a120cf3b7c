import type { MarkdownIt, RendererRule, StateBlock, StateInline } from "markdown-it/browser";

/** A TeX formula. */
export interface Formula {
  readonly tex: string;
  readonly display: "block" | "inline";
}

/** Converts a formula to markup. */
export type PrintFormula = (formula: Formula) => string;

/**
 * Maximum length of a formula, which bounds the search for its end; longer formulas are shown as
 * text.
 */
const MAX_CHARACTERS = 2_000;
const MAX_LINES = 100;

const CLOSINGS: ReadonlyMap<string, string> = new Map([
  ["$$", "$$"],
  ["\\[", "\\]"],
]);

/** Inline formulas: `\(…\)`, `\[…\]`, `$$…$$`, and `$…$` without spaces at its edges. */
const INLINE_FORMULA = new RegExp(
  [
    `\\$\\$([^$\\n]{1,${MAX_CHARACTERS}}?)\\$\\$`,
    `\\\\\\((.{1,${MAX_CHARACTERS}}?)\\\\\\)`,
    `\\\\\\[(.{1,${MAX_CHARACTERS}}?)\\\\\\]`,
    `\\$((?:[^\\s$\\\\]|\\\\.)(?:[^$\\n]{0,${MAX_CHARACTERS}}?[^\\s$\\\\])?)\\$(?!\\w)`,
  ].join("|"),
  "y",
);

/** Adds TeX formulas, as models write them, to a parser's syntax. */
export function addFormulas(markdown: MarkdownIt, print: PrintFormula): void {
  markdown.block.ruler.before("fence", "block_formula", readBlockFormula, {
    alt: ["paragraph", "reference", "blockquote", "list"],
  });
  // Runs before escapes, because `\(` is an escape.
  markdown.inline.ruler.before("escape", "inline_formula", readInlineFormula);
  const createRule =
    (display: Formula["display"]): RendererRule =>
    (tokens, index) =>
      print({ tex: tokens[index]?.content ?? "", display });
  markdown.renderer.rules.block_formula = createRule("block");
  markdown.renderer.rules.inline_formula = createRule("inline");
}

/** Parses a formula on separate lines: `$$…$$` or `\[…\]`. */
function readBlockFormula(
  state: StateBlock,
  startLine: number,
  endLine: number,
  isTest: boolean,
): boolean {
  const first = textOfLine(state, startLine);
  const closing = CLOSINGS.get(first.slice(0, 2));
  if (closing === undefined || indentOf(state, startLine) >= 4) return false;
  const lines: string[] = [];
  for (let line = startLine; line < Math.min(endLine, startLine + MAX_LINES); line++) {
    if (!state.isEmpty(line) && indentOf(state, line) < 0) return false;
    const text = line === startLine ? first.slice(2) : textOfLine(state, line);
    const end = text.indexOf(closing);
    if (end === -1) {
      lines.push(text);
      continue;
    }
    lines.push(text.slice(0, end));
    const tex = lines.join("\n").trim();
    if (tex === "" || text.slice(end + 2).trim() !== "") return false;
    if (isTest) return true;
    state.line = line + 1;
    const token = state.push("block_formula", "", 0);
    token.content = tex;
    token.map = [startLine, state.line];
    return true;
  }
  return false;
}

function readInlineFormula(state: StateInline, isTest: boolean): boolean {
  INLINE_FORMULA.lastIndex = state.pos;
  const [raw, ...groups] = INLINE_FORMULA.exec(state.src) ?? [];
  const tex = groups.find((group) => group !== undefined);
  if (raw === undefined || tex === undefined || state.pos + raw.length > state.posMax) return false;
  if (!isTest) state.push("inline_formula", "", 0).content = tex.trim();
  state.pos += raw.length;
  return true;
}

/** Returns a line without its indentation and the markers of the enclosing blocks. */
function textOfLine(state: StateBlock, line: number): string {
  const begin = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
  return state.src.slice(begin, state.eMarks[line]);
}

/**
 * Returns a line's indentation within its enclosing block, in columns; negative: the line is
 * outside that block.
 */
function indentOf(state: StateBlock, line: number): number {
  return (state.sCount[line] ?? 0) - state.blkIndent;
}
