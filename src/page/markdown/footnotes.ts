import type { Env, MarkdownIt, Token } from "markdown-it/browser";
import footnotes from "markdown-it-footnote";

/** State of markdown-it-footnote. */
interface FootnoteState {
  /** Footnotes in the order of their first reference. */
  readonly list?: readonly { readonly label: string }[];
}

/** Range of the tokens of a footnote's text. */
export interface Definition {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** Adds the syntax of footnotes: references such as `[^1]`, and definitions such as `[^1]: Text`. */
export function addFootnotes(markdown: MarkdownIt): void {
  (footnotes as unknown as (markdown: MarkdownIt) => void)(markdown);
  // Models do not write footnotes inside sentences (`^[Text]`), and nested ones take quadratic time.
  markdown.inline.ruler.disable("footnote_inline");
  // Footnotes are listed once at the end of a text, not at the end of each block.
  markdown.core.ruler.disable("footnote_tail");
  markdown.renderer.rules.footnote_ref = (tokens, index, _options, env) => {
    const number = Number(tokens[index]?.meta?.id) + 1;
    const href = `#${footnoteId(String(env?.messageId), number)}`;
    return `<sup class="footnote-reference"><a href="${href}">[${number}]</a></sup>`;
  };
}

/**
 * Id of a footnote's element.
 * @param messageId unique in the page
 * @param number from 1
 */
export function footnoteId(messageId: string, number: number): string {
  return `${messageId}-footnote-${number}`;
}

/** Returns the labels of the footnotes in the order of their numbers. */
export function footnoteLabels({ footnotes: state }: Env): readonly string[] {
  return ((state as FootnoteState | undefined)?.list ?? []).map(({ label }) => label);
}

/**
 * Numbers the footnotes in the order of their references.
 * @param parse parses the inline syntax of a token that contains references
 */
export function numberFootnotes(
  tokens: readonly Token[],
  env: Env,
  parse: (tokens: readonly Token[], index: number) => void,
): void {
  const definitions = findDefinitions(tokens);
  if (definitions.size === 0) return;
  const parseRange = ({ from, to }: Definition) => {
    for (let index = from; index < to; index++) {
      const { type, content } = tokens[index] ?? {};
      if (type === "inline" && content?.includes("[^")) parse(tokens, index);
    }
  };
  let from = 0;
  for (const definition of definitions.values()) {
    parseRange({ from, to: definition.from });
    from = definition.to;
  }
  parseRange({ from, to: tokens.length });
  // Footnotes may refer to other footnotes, which are numbered after those of the text.
  const unread = new Map(definitions);
  for (let number = 0; unread.size > 0; number++) {
    const label = footnoteLabels(env)[number] ?? unread.keys().next().value ?? "";
    const definition = unread.get(label);
    if (definition !== undefined) parseRange(definition);
    unread.delete(label);
  }
}

/** Finds the footnotes of a text by their labels; of those with the same label, the last one. */
export function findDefinitions(tokens: readonly Token[]): ReadonlyMap<string, Definition> {
  const definitions = new Map<string, Definition>();
  const open: { readonly label: string; readonly from: number }[] = [];
  for (const [index, { type, meta }] of tokens.entries()) {
    if (type === "footnote_reference_open") {
      open.push({ label: String(meta?.label), from: index + 1 });
    }
    if (type !== "footnote_reference_close") continue;
    const { label, from } = open.pop() ?? { label: "", from: index };
    definitions.set(label, { from, to: index });
  }
  return definitions;
}
