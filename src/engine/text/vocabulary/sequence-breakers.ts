import type { Vocabulary } from "./vocabulary.js";

/**
 * For each token in which a searched text begins, the token sequences that complete it. A token
 * that contains a whole text has the empty sequence.
 */
type SequenceBreakers = ReadonlyMap<number, readonly (readonly number[])[]>;

/** Number of cached searches; most requests have the same texts. */
const MAX_CACHED_SEARCHES = 16;

/** llama.cpp compares at most this many tokens after the one in which a text begins. */
const MAX_COMPLETION_TOKENS = 20;

/**
 * Creates a search for texts in a vocabulary's tokens, by the rules of llama.cpp's DRY sampler
 * (`get_overlapping_token_sequences`). The first search reads the whole vocabulary.
 */
export function createBreakerSearch(
  vocabulary: Pick<Vocabulary, "size" | "controlTextOf" | "tokenize" | "bytesOf">,
): (texts: readonly string[]) => SequenceBreakers {
  const cachedSearches = new Map<string, SequenceBreakers>();
  let tokens: readonly Uint8Array[] | undefined;
  return (texts) => {
    const key = JSON.stringify(texts);
    const known = cachedSearches.get(key);
    if (known !== undefined) return known;
    tokens ??= readTokens(vocabulary);
    const breakers = search(tokens, texts, (text) => vocabulary.tokenize(text, "literal"));
    const [oldest] = cachedSearches.keys();
    if (oldest !== undefined && cachedSearches.size >= MAX_CACHED_SEARCHES)
      cachedSearches.delete(oldest);
    cachedSearches.set(key, breakers);
    return breakers;
  };
}

/** Returns the bytes of all tokens by id; for control tokens, those of their texts. */
function readTokens({
  size,
  controlTextOf,
  bytesOf,
}: Parameters<typeof createBreakerSearch>[0]): readonly Uint8Array[] {
  return Array.from({ length: size }, (_, token) => {
    const controlText = controlTextOf(token);
    return controlText === undefined ? bytesOf(token) : Buffer.from(controlText);
  });
}

function search(
  tokens: readonly Uint8Array[],
  texts: readonly string[],
  tokenize: (text: string) => number[],
): SequenceBreakers {
  const breakersByToken = new Map<number, readonly (readonly number[])[]>();
  const sequences = new SharedSequences();
  const searchedByFirstByte = groupByFirstByte(
    texts.map(
      (text) =>
        new SearchedText(text, (rest) => sequences.deduplicate(rest === "" ? [] : tokenize(rest))),
    ),
  );
  for (const [token, bytes] of tokens.entries()) {
    const completions = findCompletions(bytes, searchedByFirstByte);
    if (completions.length > 0) breakersByToken.set(token, [...new Set(completions)]);
  }
  return breakersByToken;
}

function groupByFirstByte(searched: readonly SearchedText[]): readonly SearchedText[][] {
  const groups: SearchedText[][] = [];
  for (const text of searched) {
    groups[text.firstByte] = [...(groups[text.firstByte] ?? []), text];
  }
  return groups;
}

/** Returns the sequences that complete any of the texts after a token. */
function findCompletions(
  token: Uint8Array,
  searchedByFirstByte: readonly (readonly SearchedText[])[],
): readonly (readonly number[])[] {
  const sequencesAfter: (readonly number[])[] = [];
  for (let start = 0; start < token.length; start++) {
    const byte = token[start] ?? 0;
    const searched = searchedByFirstByte[byte];
    if (searched === undefined || occursBefore(start, byte, token)) continue;
    for (const text of searched) text.addCompletions(token, start, sequencesAfter);
  }
  return sequencesAfter;
}

function occursBefore(end: number, byte: number, token: Uint8Array): boolean {
  for (let index = 0; index < end; index++) if (token[index] === byte) return true;
  return false;
}

/** Deduplicates sequences. */
class SharedSequences {
  readonly #byContent = new Map<string, readonly number[]>();

  deduplicate(tokens: readonly number[]): readonly number[] {
    const prefix = tokens.slice(0, MAX_COMPLETION_TOKENS);
    const key = prefix.join();
    const known = this.#byContent.get(key);
    if (known === undefined) this.#byContent.set(key, prefix);
    return known ?? prefix;
  }
}

class SearchedText {
  readonly #bytes: Buffer;
  readonly #tokenize: (text: string) => readonly number[];
  readonly #completions = new Map<number, readonly (readonly number[])[]>();

  /** @param text must not be empty */
  constructor(text: string, tokenize: (text: string) => readonly number[]) {
    this.#bytes = Buffer.from(text);
    this.#tokenize = tokenize;
  }

  get firstByte(): number {
    return this.#bytes.readUInt8();
  }

  /**
   * Adds the sequences that complete the text after a token, or the empty sequence if the token
   * contains it.
   * @param first index at which the text's first byte first occurs
   */
  addCompletions(token: Uint8Array, first: number, rests: (readonly number[])[]): void {
    for (let start = first; start < token.length; start++) {
      const length = this.#matchFrom(token, start);
      if (length > 0) rests.push(...this.#completionFrom(length));
      if (length === this.#bytes.length) return;
    }
  }

  /**
   * Returns how many bytes of the text the token contains from `start` to its end; 0 if they
   * differ.
   */
  #matchFrom(token: Uint8Array, start: number): number {
    const length = Math.min(this.#bytes.length, token.length - start);
    for (let index = 0; index < length; index++) {
      if (token[start + index] !== this.#bytes[index]) return 0;
    }
    return length;
  }

  /**
   * Returns the tokens of the text from a byte on; none if that splits a character, because the
   * library tokenizes text, not bytes.
   */
  #completionFrom(start: number): readonly (readonly number[])[] {
    const known = this.#completions.get(start);
    if (known !== undefined) return known;
    const rest = isContinuation(this.#bytes[start])
      ? []
      : [this.#tokenize(this.#bytes.toString("utf8", start))];
    this.#completions.set(start, rest);
    return rest;
  }
}

/** Returns whether a byte continues a UTF-8 character. */
function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}
