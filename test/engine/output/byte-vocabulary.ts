import type { BytesOfToken } from "../../../src/engine/output/detokenizer.js";

/** A vocabulary whose tokens are stretches of bytes, as byte-level BPE has them. */
export class ByteVocabulary {
  readonly #stretches: Uint8Array[] = [];

  /** A new token for these bytes. */
  token(bytes: Uint8Array | readonly number[]): number {
    return this.#stretches.push(Uint8Array.from(bytes)) - 1;
  }

  readonly bytesOf: BytesOfToken = (token) => this.#stretches[token] ?? new Uint8Array();
}

/** Bytes as text; U+FFFD stands for what is no UTF-8. */
export function decode(bytes: Iterable<number>): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes));
}

export function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Bytes at the end of a text in UTF-8 that belong to a character whose end is missing. */
export function openBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes.at(-back) ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return characterLength(byte) > back ? back : 0;
  }
  return 0;
}

function characterLength(firstByte: number): number {
  if (firstByte >= 0xf0) return 4;
  return firstByte >= 0xe0 ? 3 : 2;
}
