import createMarkdownIt, {
  type Env,
  type Renderer,
  type StateBlock,
  type StateCore,
  type Token,
} from "markdown-it/browser";
import { addFormulas, type PrintFormula } from "./formula-syntax.js";

/**
 * A top-level block of a text: a code block, or anything else, such as a paragraph, a list or a
 * table.
 */
export type Block = CodeBlock | MarkupBlock;

interface CodeBlock {
  readonly type: "code";
  /** Source text of the block. */
  readonly raw: string;
  readonly code: string;
  /** Language as named in the text; empty: none. */
  readonly language: string;
}

export interface MarkupBlock {
  readonly type: "markup";
  /** Source text of the block. */
  readonly raw: string;
  readonly tokens: readonly Token[];
  /** Link definitions of the whole text. */
  readonly env: Env;
}

/** Number of heading levels that the page itself uses; headings in Markdown start below them. */
const HEADINGS_ABOVE = 2;

/**
 * Maximum nesting of quotes and lists, in markdown-it's levels: a quote is one level, a list two.
 * Deeper text is shown as source. Browsers nest at most 512 elements, and each level of quotes
 * scans all of its lines again.
 */
const MAX_LEVEL = 40;

/** Maximum nesting of emphasis; deeper emphasis is shown as source. */
const MAX_INLINE_LEVEL = 20;

/**
 * Maximum length of a paragraph, heading or cell that is parsed for emphasis, links and formulas.
 */
const MAX_INLINE_CHARACTERS = 50_000;

/** Marks a text that is shown as source. */
const PLAIN_MARK: Token["meta"] = { plain: true };

export interface MarkdownParser {
  /** Splits a text into blocks. When the text grows, all blocks but the last stay the same. */
  parseBlocks(text: string): readonly Block[];
  /** Converts a block to markup: not sanitised, but with the text's own markup escaped. */
  renderMarkup(block: MarkupBlock): string;
}

/** @param print see {@link PrintFormula} */
export function createMarkdownParser(print: PrintFormula): MarkdownParser {
  const markdown = createMarkdownIt({ html: false, linkify: true });
  // File names such as README.md are not links.
  markdown.linkify.set({ fuzzyLink: false });
  // Blocks are parsed immediately, their contents when they are rendered.
  markdown.core.ruler.disable(["normalize", "block"]);
  markdown.core.ruler.at("inline", readContents);
  markdown.block.ruler.before("table", "too_deep", readTooDeep);
  addFormulas(markdown, print);
  setRenderer(markdown.renderer);
  return {
    parseBlocks(text) {
      const source = text.replaceAll(/\r\n?/g, "\n").replaceAll("\0", "\u{FFFD}");
      const [tokens, env]: [Token[], Env] = [[], {}];
      markdown.block.parse(source, markdown, env, tokens);
      return toBlocks(tokens, source.split("\n"), env);
    },
    renderMarkup({ tokens, env }) {
      const state = new markdown.core.State("", markdown, env);
      state.tokens = [...tokens];
      markdown.core.process(state);
      return markdown.renderer.render(state.tokens, markdown.options, env);
    },
  };
}

/** @param lines source lines of the tokens */
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

/** Parses quotes and lists that are nested too deeply as one plain paragraph. */
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
  text.meta = PLAIN_MARK;
  state.push("paragraph_close", "p", -1);
  return true;
}

/** Parses emphasis, links and other inline syntax of the blocks. */
function readContents({ tokens, md, env, Token }: StateCore): void {
  for (const [index, token] of tokens.entries()) {
    if (token.type !== "inline") continue;
    if (token.meta === PLAIN_MARK || token.content.length > MAX_INLINE_CHARACTERS) {
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

/** Converts a delimiter such as an asterisk to text if it is nested too deeply. */
function unmarkTooDeep(token: Token): void {
  if (token.nesting === 0 || token.level < MAX_INLINE_LEVEL) return;
  token.content = token.markup;
  token.type = "text";
  token.tag = "";
  token.nesting = 0;
}

/** Replaces the checkbox of GitHub's task lists in the first text of a list item. */
function withTask(text: string): string {
  return text.replace(/^\[([ xX])\](?=\s)/, (_, mark) => (mark === " " ? "☐" : "☑"));
}

function setRenderer({ rules }: Renderer): void {
  // Headings of a text are below the page's own headings.
  const headingOf = ({ tag }: Token) => `h${Math.min(Number(tag.slice(1)) + HEADINGS_ABOVE, 6)}`;
  rules.heading_open = (tokens, index) => `<${headingOf(tokenAt(tokens, index))}>`;
  rules.heading_close = (tokens, index) => `</${headingOf(tokenAt(tokens, index))}>\n`;
  // The page's content security policy forbids style attributes.
  rules.th_open = (tokens, index) => openCell(tokenAt(tokens, index));
  rules.td_open = rules.th_open;
  // Images are not rendered, because a model could make the page fetch from any host.
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

/** Escapes a text for use in markup. */
export function escapeMarkup(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
