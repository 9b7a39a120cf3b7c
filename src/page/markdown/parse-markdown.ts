import { Marked, type Token, type TokenizerAndRendererExtension } from "marked";

/** A formula in TeX. */
export interface Formula {
  readonly tex: string;
  readonly display: "block" | "inline";
}

/** Makes markup of a formula. */
export type PrintFormula = (formula: Formula) => string;

/** A part of a text that is shown by itself: a paragraph, a list, a table, a code block. */
export type Block = Token;

/** The text as models write formulas: `$$…$$`, `\[…\]`; within a line `\(…\)`, and `$…$` without spaces at its edges. */
const BLOCK_FORMULA = /^(?:\$\$([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\])(?:\n|$)/;
const INLINE_FORMULA =
  /^(?:\$\$([^$\n]+?)\$\$|\\\((.+?)\\\)|\\\[(.+?)\\\]|\$((?:[^\s$\\]|\\.)(?:[^$\n]*?[^\s$\\])?)\$(?![\d\w]))/;

/** Levels of headings that the page has above a text. */
const HEADINGS_ABOVE = 2;

/** An extension of Marked, which finds what prints a token by the token's type. */
function formulas(
  display: Formula["display"],
  { begin, whole, print }: { begin: RegExp; whole: RegExp; print: PrintFormula },
): TokenizerAndRendererExtension {
  const name = `${display}-formula`;
  return {
    name,
    level: display,
    start: (text) => begin.exec(text)?.index,
    tokenizer(text) {
      const [raw, ...groups] = whole.exec(text) ?? [];
      const tex = groups.find((group) => group !== undefined);
      return raw === undefined || tex === undefined
        ? undefined
        : { type: name, raw, tex: tex.trim() };
    },
    renderer: ({ tex }) => print({ tex, display }),
  };
}

export interface MarkdownParser {
  /** The blocks of a text. What has come of a text that goes on has the same blocks later, but for the last one. */
  blocksOf(text: string): readonly Block[];
  /** The markup of a block: not sanitised, but without any markup of the text itself. */
  markupOf(block: Block): string;
}

/** @param print see {@link PrintFormula} */
export function createMarkdownParser(print: PrintFormula): MarkdownParser {
  const marked = new Marked({
    gfm: true,
    extensions: [
      formulas("block", { begin: /\$\$|\\\[/, whole: BLOCK_FORMULA, print }),
      formulas("inline", { begin: /\$|\\[([]/, whole: INLINE_FORMULA, print }),
    ],
    renderer: {
      html: ({ text }) => escapeMarkup(text),
      // The page has headings of its own above those of a text.
      heading({ tokens, depth }) {
        const level = Math.min(depth + HEADINGS_ABOVE, 6);
        return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
      },
      checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
      // An image would be fetched from wherever a model says.
      image: ({ href, text }) =>
        `<a href="${escapeMarkup(href)}">${escapeMarkup(text === "" ? href : text)}</a>`,
    },
  });
  return {
    blocksOf: (text) => marked.lexer(text).filter(({ type }) => type !== "space" && type !== "def"),
    markupOf: (block) => marked.parser([block]),
  };
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text that stands for itself in markup. */
export function escapeMarkup(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
