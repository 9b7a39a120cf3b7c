import type { Vocabulary } from "./vocabulary.js";

/**
 * For each token in which one of the searched texts begins: the sequences of tokens that complete one.
 * A token that contains one has the empty sequence.
 */
type SequenceBreakers = ReadonlyMap<number, readonly (readonly number[])[]>;

/** Searches that are remembered: most requests have the same texts. */
const REMEMBERED_SEARCHES = 16;

/** llama.cpp compares no more tokens after the one in which a text begins. */
const REST_TOKENS_MAX = 20;

/**
 * A search for texts in a vocabulary's tokens, by the rules of llama.cpp's DRY sampler
 * (`get_overlapping_token_sequences`). The first one reads the whole vocabulary.
 */
export function sequenceBreakerSearch(
  vocabulary: Pick<Vocabulary, "size" | "controlTextOf" | "tokenize" | "bytesOf">,
): (texts: readonly string[]) => SequenceBreakers {
  const remembered = new Map<string, SequenceBreakers>();
  let tokens: readonly Uint8Array[] | undefined;
  return (texts) => {
    const key = JSON.stringify(texts);
    const known = remembered.get(key);
    if (known !== undefined) return known;
    tokens ??= readTokens(vocabulary);
    const found = search(tokens, texts, (text) => vocabulary.tokenize(text, "literal"));
    const [oldest] = remembered.keys();
    if (oldest !== undefined && remembered.size >= REMEMBERED_SEARCHES) remembered.delete(oldest);
    remembered.set(key, found);
    return found;
  };
}

/** The bytes of all tokens by their ids; of control tokens those of their texts. */
function readTokens({
  size,
  controlTextOf,
  bytesOf,
}: Parameters<typeof sequenceBreakerSearch>[0]): readonly Uint8Array[] {
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
  const found = new Map<number, readonly (readonly number[])[]>();
  const sequences = new SharedSequences();
  const searchedByFirstByte = byFirstByte(
    texts.map(
      (text) =>
        new SearchedText(text, (rest) => sequences.shared(rest === "" ? [] : tokenize(rest))),
    ),
  );
  for (const [token, bytes] of tokens.entries()) {
    const rests = restsAfter(bytes, searchedByFirstByte);
    if (rests.length > 0) found.set(token, [...new Set(rests)]);
  }
  return found;
}

function byFirstByte(searched: readonly SearchedText[]): readonly SearchedText[][] {
  const grouped: SearchedText[][] = [];
  for (const text of searched) {
    grouped[text.firstByte] = [...(grouped[text.firstByte] ?? []), text];
  }
  return grouped;
}

/** The sequences that complete any of the texts after a token. */
function restsAfter(
  token: Uint8Array,
  searchedByFirstByte: readonly (readonly SearchedText[])[],
): readonly (readonly number[])[] {
  const rests: (readonly number[])[] = [];
  for (let start = 0; start < token.length; start++) {
    const byte = token[start] ?? 0;
    const searched = searchedByFirstByte[byte];
    if (searched === undefined || occursBefore(start, byte, token)) continue;
    for (const text of searched) text.addRestsAfter(token, start, rests);
  }
  return rests;
}

function occursBefore(end: number, byte: number, token: Uint8Array): boolean {
  for (let index = 0; index < end; index++) if (token[index] === byte) return true;
  return false;
}

/** Equal sequences are one. */
class SharedSequences {
  readonly #byContent = new Map<string, readonly number[]>();

  shared(tokens: readonly number[]): readonly number[] {
    const compared = tokens.slice(0, REST_TOKENS_MAX);
    const key = compared.join();
    const known = this.#byContent.get(key);
    if (known === undefined) this.#byContent.set(key, compared);
    return known ?? compared;
  }
}

class SearchedText {
  readonly #bytes: Buffer;
  readonly #tokenize: (text: string) => readonly number[];
  readonly #rests = new Map<number, readonly (readonly number[])[]>();

  /** @param text not empty */
  constructor(text: string, tokenize: (text: string) => readonly number[]) {
    this.#bytes = Buffer.from(text);
    this.#tokenize = tokenize;
  }

  get firstByte(): number {
    return this.#bytes.readUInt8();
  }

  /**
   * Adds the sequences that complete the text after a token; of a token that contains it, the empty one.
   * @param first where the text's first byte occurs first
   */
  addRestsAfter(token: Uint8Array, first: number, rests: (readonly number[])[]): void {
    for (let start = first; start < token.length; start++) {
      const length = this.#matchFrom(token, start);
      if (length > 0) rests.push(...this.#restFrom(length));
      if (length === this.#bytes.length) return;
    }
  }

  /** Bytes of the text that the token has from `start` to its end; 0 where they differ. */
  #matchFrom(token: Uint8Array, start: number): number {
    const length = Math.min(this.#bytes.length, token.length - start);
    for (let index = 0; index < length; index++) {
      if (token[start + index] !== this.#bytes[index]) return 0;
    }
    return length;
  }

  /**
   * The tokens of the text from a byte on. None where that divides a character: the library tokenises
   * text, not bytes.
   */
  #restFrom(start: number): readonly (readonly number[])[] {
    const known = this.#rests.get(start);
    if (known !== undefined) return known;
    const rest = isContinuation(this.#bytes[start])
      ? []
      : [this.#tokenize(this.#bytes.toString("utf8", start))];
    this.#rests.set(start, rest);
    return rest;
  }
}

/** Whether a byte continues a character of UTF-8. */
function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}
