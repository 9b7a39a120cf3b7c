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

/** Beginning of a formula on separate lines. */
const BEGINNING = /^(?:\$\$|\\\[|\\begin\{([a-z]{2,12}\*?)\})/;

/** Line after which a formula follows. */
const OPENED = /^(?:\$\$|\\\[)\s*$/;

/** Environments that are formulas even without delimiters. */
const ENVIRONMENTS: ReadonlySet<string> = new Set([
  ...["align", "align*", "alignat", "alignat*", "aligned", "array", "cases", "eqnarray"],
  ...["equation", "equation*", "gather", "gather*", "gathered", "matrix", "multline", "multline*"],
  ...["bmatrix", "Bmatrix", "pmatrix", "vmatrix", "Vmatrix", "smallmatrix", "split"],
]);

/** Punctuation after a formula on separate lines. */
const PUNCTUATION = /^[.,;:!?]?$/;

/** Formulas in a sentence: `$$…$$` and `\[…\]` are displayed as blocks. */
const BLOCK_FORMULA = new RegExp(
  [`\\$\\$([^$]{1,${MAX_CHARACTERS}}?)\\$\\$`, `\\\\\\[([^]{1,${MAX_CHARACTERS}}?)\\\\\\]`].join(
    "|",
  ),
  "y",
);

/** Inline formulas: `\(…\)`, and `$…$` without spaces at its edges. */
const INLINE_FORMULA = new RegExp(
  [
    `\\\\\\(([^]{1,${MAX_CHARACTERS}}?)\\\\\\)`,
    `\\$((?:[^\\s$\\\\]|\\\\.)(?:[^$\\n]{0,${MAX_CHARACTERS}}?[^\\s$\\\\])?)\\$(?!\\w)`,
  ].join("|"),
  "y",
);

/** An amount of money and a word, as in "$5 for the book and 10$": not a formula. */
const AMOUNT = /^\d[\d.,]*[kKmMbB]?\s+[A-Za-z]{2}/;

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

/** Parses a formula on separate lines: `$$…$$`, `\[…\]` or `\begin{align}…\end{align}`. */
function readBlockFormula(
  state: StateBlock,
  startLine: number,
  endLine: number,
  isTest: boolean,
): boolean {
  const formula = findBlockFormula(state, startLine, endLine);
  if (formula === undefined) return false;
  // A formula that is still growing is one paragraph.
  if (isTest) return !OPENED.test(textOfLine(state, startLine - 1));
  state.line = formula.endLine;
  const token = state.push("block_formula", "", 0);
  token.content = formula.tex;
  token.map = [startLine, state.line];
  return true;
}

function findBlockFormula(state: StateBlock, startLine: number, endLine: number) {
  const first = textOfLine(state, startLine);
  const [opening, environment] = BEGINNING.exec(first) ?? [];
  if (opening === undefined || indentOf(state, startLine) >= 4) return undefined;
  if (environment !== undefined && !ENVIRONMENTS.has(environment)) return undefined;
  const closing = closingOf(opening, environment);
  const lines: string[] = [];
  let depth = 1;
  for (let line = startLine; line < Math.min(endLine, startLine + MAX_LINES); line++) {
    if (!state.isEmpty(line) && indentOf(state, line) < 0) return undefined;
    const text = line === startLine ? first.slice(opening.length) : textOfLine(state, line);
    lines.push(text);
    if (environment !== undefined) depth += countOf(opening, text);
    depth -= countOf(closing, text);
    if (depth > 0) continue;
    const [content = "", rest = ""] = splitAtLast(lines.join("\n"), closing);
    if (content === "" || !PUNCTUATION.test(rest) || depth < 0) return undefined;
    const tex = environment === undefined ? content : `${opening}${content}${closing}`;
    return { tex: tex + rest, endLine: line + 1 };
  }
  return undefined;
}

function countOf(part: string, text: string): number {
  return text.split(part).length - 1;
}

/** Returns the trimmed texts before and after the last occurrence of a separator. */
function splitAtLast(text: string, separator: string): readonly [string, string] {
  const index = text.lastIndexOf(separator);
  return [text.slice(0, index).trim(), text.slice(index + separator.length).trim()];
}

function closingOf(opening: string, environment: string | undefined): string {
  if (environment !== undefined) return `\\end{${environment}}`;
  return opening === "$$" ? "$$" : "\\]";
}

function readInlineFormula(state: StateInline, isTest: boolean): boolean {
  for (const [type, pattern] of [
    ["block_formula", BLOCK_FORMULA],
    ["inline_formula", INLINE_FORMULA],
  ] as const) {
    pattern.lastIndex = state.pos;
    const [raw, ...groups] = pattern.exec(state.src) ?? [];
    const tex = groups.find((group) => group !== undefined)?.trim();
    if (raw === undefined || !tex || state.pos + raw.length > state.posMax) continue;
    if (raw.startsWith("$") && AMOUNT.test(tex)) continue;
    if (!isTest) state.push(type, "", 0).content = tex;
    state.pos += raw.length;
    return true;
  }
  return false;
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
