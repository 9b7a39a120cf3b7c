import createMarkdownIt, {
  type Env,
  type Renderer,
  type StateBlock,
  type StateCore,
  type Token,
} from "markdown-it/browser";
import { addFormulas, type PrintFormula } from "./formula-syntax.js";

/** A top-level block of a text: a code block, or anything else, such as a paragraph, a list or a table. */
export type Block = CodeBlock | MarkupBlock;

interface CodeBlock {
  readonly type: "code";
  /** The block as it is written. */
  readonly raw: string;
  readonly code: string;
  /** What the text says of the code's language; empty: nothing. */
  readonly language: string;
}

export interface MarkupBlock {
  readonly type: "markup";
  /** The block as it is written. */
  readonly raw: string;
  readonly tokens: readonly Token[];
  /** The definitions of links in the whole text. */
  readonly env: Env;
}

/** Levels of headings that the page has above a text. */
const HEADINGS_ABOVE = 2;

/**
 * Deepest nesting of quotes and lists, in markdown-it's levels: a quote is one, a list two. Deeper text is shown as it is
 * written. Browsers nest 512 elements at most, and each level of quotes reads all of its lines again.
 */
const MAX_LEVEL = 40;

/** Deepest nesting of emphasis in a text, likewise. */
const MAX_INLINE_LEVEL = 20;

/** Longest text of a paragraph, heading or cell that is searched for emphasis, links and formulas. */
const MAX_INLINE_CHARACTERS = 50_000;

/** Marks a text that is shown as it is written. */
const PLAIN: Token["meta"] = { plain: true };

export interface MarkdownParser {
  /** The blocks of a text. What has come of a text that goes on has the same blocks later, but for the last one. */
  blocksOf(text: string): readonly Block[];
  /** The markup of a block: not sanitised, but without any markup of the text itself. */
  markupOf(block: MarkupBlock): string;
}

/** @param print see {@link PrintFormula} */
export function createMarkdownParser(print: PrintFormula): MarkdownParser {
  const markdown = createMarkdownIt({ html: false, linkify: true });
  // Names of files such as README.md are no links.
  markdown.linkify.set({ fuzzyLink: false });
  // Blocks are found at once, the contents of a block when it is shown.
  markdown.core.ruler.disable(["normalize", "block"]);
  markdown.core.ruler.at("inline", readContents);
  markdown.block.ruler.before("table", "too_deep", readTooDeep);
  addFormulas(markdown, print);
  setRenderer(markdown.renderer);
  return {
    blocksOf(text) {
      const source = text.replaceAll(/\r\n?/g, "\n").replaceAll("\0", "\u{FFFD}");
      const [tokens, env]: [Token[], Env] = [[], {}];
      markdown.block.parse(source, markdown, env, tokens);
      return toBlocks(tokens, source.split("\n"), env);
    },
    markupOf({ tokens, env }) {
      const state = new markdown.core.State("", markdown, env);
      state.tokens = [...tokens];
      markdown.core.process(state);
      return markdown.renderer.render(state.tokens, markdown.options, env);
    },
  };
}

/** @param lines of the text that the tokens are of */
function toBlocks(tokens: readonly Token[], lines: readonly string[], env: Env): readonly Block[] {
  const blocks: Block[] = [];
  let start = 0;
  for (const [index, { type, level, nesting, content, info }] of tokens.entries()) {
    if (level > 0 || nesting === 1) continue;
    const [from, to] = tokens[start]?.map ?? [0, 0];
    const raw = lines.slice(from, to).join("\n").trimEnd();
    blocks.push(
      type === "fence" || type === "code_block"
        ? { type: "code", raw, code: content.replace(/\n$/, ""), language: info.trim() }
        : { type: "markup", raw, tokens: tokens.slice(start, index + 1), env },
    );
    start = index + 1;
  }
  return blocks;
}

/** Reads quotes and lists that are nested too deeply as one paragraph without markup. */
function readTooDeep(
  state: StateBlock,
  startLine: number,
  endLine: number,
  isTest: boolean,
): boolean {
  if (state.level < MAX_LEVEL || isTest) return false;
  let line = startLine;
  while (line < endLine && (state.isEmpty(line) || (state.sCount[line] ?? 0) >= state.blkIndent)) {
    line++;
  }
  state.line = line;
  state.push("paragraph_open", "p", 1);
  const text = state.push("inline", "", 0);
  text.content = state.getLines(startLine, line, state.blkIndent, false).trim();
  text.meta = PLAIN;
  state.push("paragraph_close", "p", -1);
  return true;
}

/** Finds emphasis, links and so on in the texts of blocks. */
function readContents({ tokens, md, env, Token }: StateCore): void {
  for (const [index, token] of tokens.entries()) {
    if (token.type !== "inline") continue;
    if (token.meta === PLAIN || token.content.length > MAX_INLINE_CHARACTERS) {
      const plain = new Token("text", "", 0);
      plain.content = token.content;
      token.children = [plain];
      continue;
    }
    token.children = [];
    const isFirstOfItem = tokens[index - 2]?.type === "list_item_open";
    const text = isFirstOfItem ? withTask(token.content) : token.content;
    md.inline.parse(text, md, env, token.children);
    token.children.forEach(unmarkTooDeep);
  }
}

/** Makes text of an asterisk or the like that is nested too deeply. */
function unmarkTooDeep(token: Token): void {
  if (token.nesting === 0 || token.level < MAX_INLINE_LEVEL) return;
  token.content = token.markup;
  token.type = "text";
  token.tag = "";
  token.nesting = 0;
}

/** The first text of a list's item, with what GitHub's task lists have instead of a field. */
function withTask(text: string): string {
  return text.replace(/^\[([ xX])\](?=\s)/, (_, mark) => (mark === " " ? "☐" : "☑"));
}

function setRenderer({ rules }: Renderer): void {
  // The page has headings of its own above those of a text.
  const headingOf = ({ tag }: Token) => `h${Math.min(Number(tag.slice(1)) + HEADINGS_ABOVE, 6)}`;
  rules.heading_open = (tokens, index) => `<${headingOf(tokenAt(tokens, index))}>`;
  rules.heading_close = (tokens, index) => `</${headingOf(tokenAt(tokens, index))}>\n`;
  // The policy of the page allows no styles in elements.
  rules.th_open = (tokens, index) => openCell(tokenAt(tokens, index));
  rules.td_open = rules.th_open;
  // An image would be fetched from wherever a model says.
  rules.image = (tokens, index, options, env, renderer) => {
    const { attrs, children } = tokenAt(tokens, index);
    const href = attributeOf("src", attrs);
    const text = renderer.renderInlineAsText(children ?? [], options, env);
    return `<a href="${escapeMarkup(href)}">${escapeMarkup(text === "" ? href : text)}</a>`;
  };
}

function openCell({ tag, attrs }: Token): string {
  const [, align] = /^text-align:(\w+)$/.exec(attributeOf("style", attrs)) ?? [];
  return align === undefined ? `<${tag}>` : `<${tag} align="${align}">`;
}

function attributeOf(name: string, attrs: Token["attrs"]): string {
  return String(attrs?.find(([one]) => one === name)?.[1] ?? "");
}

function tokenAt(tokens: readonly Token[], index: number): Token {
  const token = tokens[index];
  if (token === undefined) throw new Error(`expected a token at ${index}`);
  return token;
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
