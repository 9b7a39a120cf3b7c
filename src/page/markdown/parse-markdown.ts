import createMarkdownIt, {
  type Env,
  type Renderer,
  type StateBlock,
  type StateCore,
  type StateInline,
  type Token,
} from "markdown-it/browser";
import { type Block, type MarkupBlock, toBlocks, tokenAt } from "./blocks.js";
import { escapeMarkup } from "./escape-markup.js";
import { addFootnotes, numberFootnotes } from "./footnotes.js";
import { addFormulas, type PrintFormula } from "./formula-syntax.js";
import { setHeadingLevels } from "./heading-levels.js";
import { replaceTasks } from "./task-lists.js";

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
/** Marks a text whose inline syntax is parsed. */
const PARSED_MARK: Token["meta"] = { parsed: true };

/** Line breaks in table cells, which Markdown has no syntax for. */
const BREAK_TAG = /<br\s*\/?>/iy;

export interface MarkdownParser {
  /** Splits a text into blocks. When the text grows, all blocks but the last stay the same. */
  parseBlocks(text: string): readonly Block[];
  /**
   * Converts a block to markup: not sanitised, but with the text's own markup escaped.
   * @param messageId prefix of the ids of the text's footnotes
   */
  renderMarkup(block: MarkupBlock, messageId: string): string;
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
  markdown.inline.ruler.before("autolink", "cell_break", readCellBreak);
  addFormulas(markdown, print);
  addFootnotes(markdown);
  setRenderer(markdown.renderer);
  return {
    parseBlocks(text) {
      const source = text.replaceAll(/\r\n?/g, "\n").replaceAll("\0", "\u{FFFD}");
      const [tokens, env]: [Token[], Env] = [[], {}];
      markdown.block.parse(source, markdown, env, tokens);
      replaceTasks(tokens);
      setHeadingLevels(tokens);
      numberFootnotes(tokens, env, (all, index) =>
        readContent(new markdown.core.State("", markdown, env), all, index),
      );
      return toBlocks(tokens, source.split("\n"), env);
    },
    renderMarkup({ tokens, env }, messageId) {
      const scoped = { ...env, messageId };
      const state = new markdown.core.State("", markdown, scoped);
      state.tokens = [...tokens];
      markdown.core.process(state);
      return markdown.renderer.render(state.tokens, markdown.options, scoped).trim();
    },
  };
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
function readContents(state: StateCore): void {
  for (const index of state.tokens.keys()) readContent(state, state.tokens, index);
}

function readContent({ md, env, Token }: StateCore, tokens: readonly Token[], index: number): void {
  const token = tokenAt(tokens, index);
  if (token.type !== "inline" || token.meta === PARSED_MARK) return;
  if (token.meta === PLAIN_MARK || token.content.length > MAX_INLINE_CHARACTERS) {
    const plain = new Token("text", "", 0);
    plain.content = token.content;
    token.children = [plain];
    return;
  }
  const isCell = token.content.includes("<") && /^t[hd]_open$/.test(tokens[index - 1]?.type ?? "");
  token.children = [];
  md.inline.parse(token.content, md, isCell ? { ...env, isCell } : env, token.children);
  token.children.forEach(unmarkTooDeep);
  // References to footnotes are counted, so they are parsed only once.
  if (token.children.some(({ type }) => type === "footnote_ref")) token.meta = PARSED_MARK;
}

/** Converts a delimiter such as an asterisk to text if it is nested too deeply. */
function unmarkTooDeep(token: Token): void {
  if (token.nesting === 0 || token.level < MAX_INLINE_LEVEL) return;
  token.content = token.markup;
  token.type = "text";
  token.tag = "";
  token.nesting = 0;
}

/** Parses `<br>` in a table cell as a line break. */
function readCellBreak(state: StateInline, isTest: boolean): boolean {
  if (state.env.isCell !== true) return false;
  BREAK_TAG.lastIndex = state.pos;
  const [tag] = BREAK_TAG.exec(state.src) ?? [];
  if (tag === undefined) return false;
  if (!isTest) state.push("hardbreak", "br", 0);
  state.pos += tag.length;
  return true;
}

function setRenderer({ rules }: Renderer): void {
  // The page's content security policy forbids style attributes.
  rules.th_open = (tokens, index) => openCell(tokenAt(tokens, index));
  rules.td_open = rules.th_open;
  // Code does not determine the direction of the text around it.
  rules.code_inline = (tokens, index) =>
    `<code dir="ltr">${escapeMarkup(tokenAt(tokens, index).content)}</code>`;
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
