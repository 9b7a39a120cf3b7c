import type { Env, Token } from "markdown-it/browser";
import { type Definition, findDefinitions, footnoteLabels } from "./footnotes.js";
import { startsWithTask } from "./task-lists.js";

/** A block of a text, with the blocks in it. */
export type Block = CodeBlock | MarkupBlock | ContainerBlock | FootnoteList;

interface CodeBlock {
  readonly type: "code";
  /** Source text of the block. */
  readonly raw: string;
  readonly code: string;
  /** Language as named in the text; empty: none. */
  readonly language: string;
}

/** A paragraph, heading, table, rule or formula. */
export interface MarkupBlock {
  readonly type: "markup";
  /** Source text of the block. */
  readonly raw: string;
  /** `tight`: the text of an item of a list whose items are not separated. */
  readonly kind: "table" | "text" | "tight";
  readonly tokens: readonly Token[];
  /** Link definitions and footnotes of the whole text. */
  readonly env: Env;
  /** Text of the link definitions and footnotes, which identifies them; empty if the block cannot refer to any. */
  readonly definitions: string;
}

/** A list, an item of a list, or a quote. */
interface ContainerBlock {
  readonly type: "container";
  /** Source text of the block. */
  readonly raw: string;
  readonly tag: ContainerTag;
  /** Number of the first item of a list. */
  readonly start: number | undefined;
  /** Whether an item starts with the checkbox of a task list. */
  readonly isTask: boolean;
  readonly blocks: readonly Block[];
}

type ContainerTag = "blockquote" | "li" | "ol" | "ul";

/** All footnotes, at the end of a text. */
interface FootnoteList {
  readonly type: "footnotes";
  readonly raw: "";
  /** Blocks of each footnote, in the order of their numbers. */
  readonly notes: readonly (readonly Block[])[];
}

const CONTAINERS: ReadonlyMap<string, ContainerTag> = new Map([
  ["blockquote_open", "blockquote"],
  ["bullet_list_open", "ul"],
  ["list_item_open", "li"],
  ["ordered_list_open", "ol"],
]);

interface Context {
  readonly tokens: readonly Token[];
  /** Source lines of the tokens. */
  readonly lines: readonly string[];
  readonly env: Env;
  /** Link definitions and footnotes as a text. */
  readonly definitions: string;
}

/** @param lines source lines of the tokens */
export function toBlocks(
  tokens: readonly Token[],
  lines: readonly string[],
  env: Env,
): readonly Block[] {
  const definitions = JSON.stringify([env.references, footnoteLabels(env)]);
  const context: Context = { tokens, lines, env, definitions };
  const blocks = readBlocks(context, 0, tokens.length);
  const notes = findDefinitions(tokens);
  if (notes.size === 0) return blocks;
  const labels = new Set([...footnoteLabels(env), ...notes.keys()]);
  const ranges = [...labels].map((label) => notes.get(label));
  return [...blocks, { type: "footnotes", raw: "", notes: ranges.map(readNote) }];

  function readNote(range: Definition | undefined) {
    return range === undefined ? [] : readBlocks(context, range.from, range.to);
  }
}

function readBlocks(context: Context, from: number, to: number): readonly Block[] {
  const blocks: Block[] = [];
  let start = from;
  while (start < to) {
    const end = endOf(context.tokens, start);
    // Footnotes are shown at the end of the text.
    if (context.tokens[start]?.type !== "footnote_reference_open") {
      blocks.push(readBlock(context, start, end));
    }
    start = end;
  }
  return blocks;
}

/** Returns the index after the last token of a block. */
export function endOf(tokens: readonly Token[], start: number): number {
  const opening = tokens[start];
  if (opening?.nesting !== 1) return start + 1;
  let end = start + 1;
  while (end < tokens.length) {
    const token = tokens[end++];
    if (token?.nesting === -1 && token.level === opening.level) break;
  }
  return end;
}

function readBlock(context: Context, start: number, end: number): Block {
  const { tokens, lines, env } = context;
  const { type, content, info, map, attrs, hidden } = tokenAt(tokens, start);
  const [from, to] = map ?? [0, 0];
  const raw = lines.slice(from, to).join("\n").trimEnd();
  if (type === "fence" || type === "code_block") {
    return { type: "code", raw, code: content.replace(/\n$/, ""), language: info.trim() };
  }
  const tag = CONTAINERS.get(type);
  if (tag !== undefined) {
    return {
      type: "container",
      raw,
      tag,
      start: attrs?.flatMap(([name, value]) => (name === "start" ? [Number(value)] : []))[0],
      isTask: tag === "li" && startsWithTask(tokens[start + 2]),
      blocks: readBlocks(context, start + 1, end - 1),
    };
  }
  const kind = type === "table_open" ? "table" : hidden ? "tight" : "text";
  const definitions = raw.includes("[") ? context.definitions : "";
  return { type: "markup", raw, kind, tokens: tokens.slice(start, end), env, definitions };
}

/** Whether two blocks are rendered identically. Definitions may change while a text grows. */
export function areEqual(one: Block, other: Block): boolean {
  if (one.type === "code") return other.type === "code" && one.raw === other.raw;
  return (
    one.type === "markup" &&
    other.type === "markup" &&
    one.raw === other.raw &&
    one.kind === other.kind &&
    one.definitions === other.definitions &&
    one.tokens[0]?.tag === other.tokens[0]?.tag
  );
}

export function tokenAt(tokens: readonly Token[], index: number): Token {
  const token = tokens[index];
  if (token === undefined) throw new Error(`expected a token at ${index}`);
  return token;
}
