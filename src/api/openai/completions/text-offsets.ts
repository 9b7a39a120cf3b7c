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
