import type { TokenText } from "../../../core/generation-event.js";

/** The characters of a text: code points, as in Python. */
export function characterCount(text: string): number {
  return [...text].length;
}

/** Where the tokens of a text begin, one after the other, in characters that are complete before them. */
export class TextOffsets {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #length: number;

  /** @param begin characters before the first token */
  constructor(begin: number) {
    this.#length = begin;
  }

  /** Where the next token begins. */
  next({ bytes, controlText }: TokenText): number {
    // No character spans a control token.
    if (controlText !== undefined) this.#length += characterCount(this.#decoder.decode());
    const begin = this.#length;
    const text = this.#decoder.decode(Uint8Array.from(bytes), { stream: true });
    this.#length += characterCount(text);
    return begin;
  }
}

/** How far ahead a token is searched for after one whose text is unknown. */
const MAX_SKIPPED_BYTES = 64;

const SPACE = " ".charCodeAt(0);

/**
 * Where the tokens of a prompt begin in its text, in characters (code points) that are complete before them. A
 * token that is not in the text, such as a BOS that was added to it, begins where the next one does.
 */
export function promptOffsets(tokens: readonly TokenText[], text: string): readonly number[] {
  const bytes = Buffer.from(text);
  const characters = new CompleteCharacters(bytes);
  let position = 0;
  return tokens.map((token) => {
    const found = find(token, bytes, position) ?? { begin: position, end: position };
    position = found.end;
    return characters.before(found.begin);
  });
}

interface FoundToken {
  readonly begin: number;
  readonly end: number;
}

/** In bytes. `undefined`: it is not in the text. */
function find(
  { bytes, controlText }: TokenText,
  text: Buffer,
  position: number,
): FoundToken | undefined {
  const written = controlText === undefined ? Buffer.from(bytes) : Buffer.from(controlText);
  const at = (begin: number, token: Buffer) =>
    text.subarray(begin, begin + token.length).equals(token)
      ? { begin, end: begin + token.length }
      : undefined;
  const exact = at(position, written);
  if (exact !== undefined || controlText !== undefined || written.length === 0) return exact;
  // Some vocabularies put a space before texts.
  if (position === 0 && written[0] === SPACE) {
    const bare = at(0, written.subarray(1));
    if (bare !== undefined) return bare;
  }
  const ahead = text.subarray(position, position + MAX_SKIPPED_BYTES + written.length);
  const skipped = ahead.indexOf(written);
  return skipped < 0 ? undefined : at(position + skipped, written);
}

/** Counts the characters of a text, from its beginning to its end. */
class CompleteCharacters {
  readonly #text: Buffer;
  #position = 0;
  #count = 0;

  constructor(text: Buffer) {
    this.#text = text;
  }

  /** @param position in bytes, in ascending order */
  before(position: number): number {
    for (; this.#position < position; this.#position++) {
      if (this.#isBoundary(this.#position + 1)) this.#count++;
    }
    return this.#count;
  }

  /** UTF-8: bytes within a character are 10xxxxxx. */
  #isBoundary(position: number): boolean {
    return ((this.#text[position] ?? 0) & 0xc0) !== 0x80;
  }
}
