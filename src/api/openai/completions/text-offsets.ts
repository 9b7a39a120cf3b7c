import type { TokenText } from "../../../core/generation-event.js";

/** Counts the characters of a text as code points, like Python. */
export function countCharacters(text: string): number {
  return [...text].length;
}

/** Offsets of successive tokens of a text, in complete characters before each token. */
export class TextOffsets {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #length: number;

  /** @param begin characters before the first token */
  constructor(begin: number) {
    this.#length = begin;
  }

  /** Returns the offset of the next token, and advances. */
  next({ bytes, controlText }: TokenText): number {
    // No character spans a control token.
    if (controlText !== undefined) this.#length += countCharacters(this.#decoder.decode());
    const begin = this.#length;
    const text = this.#decoder.decode(Uint8Array.from(bytes), { stream: true });
    this.#length += countCharacters(text);
    return begin;
  }
}

/** Search distance for the next token after a token whose text is unknown. */
const MAX_SKIPPED_BYTES = 64;

const SPACE = " ".charCodeAt(0);

/**
 * Computes the offsets of a prompt's tokens in its text, in complete characters (code points)
 * before each token. A token that is not in the text, such as an added BOS, has the offset of the
 * next one.
 */
export function computePromptOffsets(
  tokens: readonly TokenText[],
  text: string,
): readonly number[] {
  const bytes = Buffer.from(text);
  const characters = new CompleteCharacters(bytes);
  let position = 0;
  return tokens.map((token) => {
    const found = findToken(token, bytes, position) ?? { begin: position, end: position };
    position = found.end;
    return characters.countBefore(found.begin);
  });
}

interface FoundToken {
  readonly begin: number;
  readonly end: number;
}

/** Finds the byte position of a token. `undefined`: not in the text. */
function findToken(
  { bytes, controlText }: TokenText,
  text: Buffer,
  position: number,
): FoundToken | undefined {
  const tokenBytes = controlText === undefined ? Buffer.from(bytes) : Buffer.from(controlText);
  const matchAt = (begin: number, token: Buffer) =>
    text.subarray(begin, begin + token.length).equals(token)
      ? { begin, end: begin + token.length }
      : undefined;
  const exact = matchAt(position, tokenBytes);
  if (exact !== undefined || controlText !== undefined || tokenBytes.length === 0) return exact;
  // Some vocabularies prepend a space to texts.
  if (position === 0 && tokenBytes[0] === SPACE) {
    const bare = matchAt(0, tokenBytes.subarray(1));
    if (bare !== undefined) return bare;
  }
  const searchWindow = text.subarray(position, position + MAX_SKIPPED_BYTES + tokenBytes.length);
  const skippedBytes = searchWindow.indexOf(tokenBytes);
  return skippedBytes < 0 ? undefined : matchAt(position + skippedBytes, tokenBytes);
}

/** Counts the complete characters of a text before ascending positions. */
class CompleteCharacters {
  readonly #text: Buffer;
  #position = 0;
  #count = 0;

  constructor(text: Buffer) {
    this.#text = text;
  }

  /**
   * Returns the number of complete characters before a position.
   * @param position offset in bytes, at least that of the previous call
   */
  countBefore(position: number): number {
    for (; this.#position < position; this.#position++) {
      if (this.#isBoundary(this.#position + 1)) this.#count++;
    }
    return this.#count;
  }

  /** Whether a byte begins a character: in UTF-8, the other bytes of a character are 10xxxxxx. */
  #isBoundary(position: number): boolean {
    return ((this.#text[position] ?? 0) & 0xc0) !== 0x80;
  }
}
