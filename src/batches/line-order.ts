import { EMPTY_HASH, hashText } from "../core/hash-text.js";

/** Properties of a line that decide its position. */
export interface LineFacts {
  readonly model: string;
  readonly adapter: string;
  /** See {@link fingerprintPrompt}. */
  readonly prefixes: ArrayLike<number>;
  /** Length of the prompt in characters. */
  readonly length: number;
}

/** Number of hashed prefixes. */
export const PREFIX_COUNT = 25;

const SHORTEST_PREFIX = 64;

/**
 * Lengths of the hashed prefixes in characters, from 64 to 262,144. Each is √2 times the previous
 * one, so that neighbours in the order share at least 71 % of the longest beginning that a prompt
 * shares with any other.
 */
const PREFIX_CHARS = Array.from({ length: PREFIX_COUNT }, (_, level) =>
  Math.round(SHORTEST_PREFIX * 2 ** (level / 2)),
);

/**
 * Hashes the beginnings of a prompt, of 64 to 262,144 characters. Lines are ordered by these
 * hashes instead of the texts, which stay on disk. A prompt shorter than a beginning has the hash
 * of its whole text there.
 */
export function fingerprintPrompt(text: string): Uint32Array {
  const hashes = new Uint32Array(PREFIX_COUNT);
  let hash = EMPTY_HASH;
  let start = 0;
  for (const [level, chars] of PREFIX_CHARS.entries()) {
    const end = Math.min(chars, text.length);
    hash = hashText(text, hash, start, end);
    hashes[level] = hash;
    start = end;
  }
  return hashes;
}

/**
 * Order of lines: by model and adapter, so that a model is loaded and an adapter is used once; then
 * by common prefix, so that prompts with a shared header follow each other and identical ones are
 * adjacent; then by length.
 */
export function compareLines(one: LineFacts, other: LineFacts): number {
  return (
    compareTexts(one.model, other.model) ||
    compareTexts(one.adapter, other.adapter) ||
    comparePrefixes(one.prefixes, other.prefixes) ||
    one.length - other.length
  );
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function comparePrefixes(one: ArrayLike<number>, other: ArrayLike<number>): number {
  for (let level = 0; level < PREFIX_COUNT; level++) {
    const difference = (one[level] ?? 0) - (other[level] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Body fields in the order in which templates render them. */
const PROMPT_FIELDS = [
  "tools",
  "system",
  "instructions",
  "messages",
  "prompt",
  "query",
  "input",
  "documents",
] as const;

/** Text whose beginning lines with a shared header have in common. */
export function promptTextOf(body: Readonly<Record<string, unknown>>): string {
  return PROMPT_FIELDS.map((field) => {
    const value = body[field];
    if (value === undefined) return "";
    return typeof value === "string" ? value : JSON.stringify(value);
  }).join("\n");
}
