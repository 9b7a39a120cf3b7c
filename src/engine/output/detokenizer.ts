/** The bytes that a token stands for; none for control tokens. */
export type BytesOfToken = (token: number) => Uint8Array;

/**
 * Turns tokens into text one by one. A character whose bytes spread over several tokens is held
 * back until it is complete; bytes that never become a character come out as U+FFFD.
 */
export class Detokenizer {
  readonly #bytesOf: BytesOfToken;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });

  constructor(bytesOf: BytesOfToken) {
    this.#bytesOf = bytesOf;
  }

  /** Takes the next token; returns the text that is certain by now, often `""`. */
  push(token: number): string {
    return this.#decoder.decode(this.#bytesOf(token), { stream: true });
  }

  /** No token follows: returns what was held back. */
  flush(): string {
    return this.#decoder.decode();
  }
}
