/** The bytes of a token; none for control tokens. */
export type BytesOfToken = (token: number) => Uint8Array;

/**
 * Decodes tokens to text incrementally. A character whose bytes span several tokens is held back
 * until it is complete; invalid UTF-8 is decoded as U+FFFD.
 */
export class Detokenizer {
  readonly #bytesOf: BytesOfToken;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });

  constructor(bytesOf: BytesOfToken) {
    this.#bytesOf = bytesOf;
  }

  /** Decodes the next token; returns the text that is complete, often `""`. */
  push(token: number): string {
    return this.#decoder.decode(this.#bytesOf(token), { stream: true });
  }

  /** Ends the text: returns what was held back. */
  flush(): string {
    return this.#decoder.decode();
  }
}
