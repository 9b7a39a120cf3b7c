import type { BytesOfToken } from "../../../../src/engine/text/output/generated-text.js";

/** A vocabulary whose tokens are arbitrary byte strings, as in byte-level BPE. */
export class ByteVocabulary {
  readonly #tokens: Uint8Array[] = [];

  /** Adds a token for these bytes. */
  token(bytes: Uint8Array | readonly number[]): number {
    return this.#tokens.push(Uint8Array.from(bytes)) - 1;
  }

  readonly bytesOf: BytesOfToken = (token) => this.#tokens[token] ?? new Uint8Array();
}

/** Decodes UTF-8; invalid bytes become U+FFFD. */
export function decode(bytes: Iterable<number>): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes));
}

export function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Number of bytes at the end that belong to an incomplete UTF-8 character. */
export function incompleteBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes.at(-back) ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return characterBytes(byte) > back ? back : 0;
  }
  return 0;
}

function characterBytes(firstByte: number): number {
  if (firstByte >= 0xf0) return 4;
  return firstByte >= 0xe0 ? 3 : 2;
}
