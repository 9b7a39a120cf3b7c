/**
 * How a vocabulary encodes the bytes of its tokens: in GPT-2's byte alphabet, or as text with `▁`
 * for a space, like SentencePiece.
 */
export type TokenEncoding = "byte-alphabet" | "sentencepiece";

/** A vocabulary entry as encoded in the file. */
export interface EncodedToken {
  readonly text: string;
  /** `byte`: one byte as `<0xE2>`; `literal`: the text verbatim; `silent`: no text. */
  readonly kind: "normal" | "byte" | "literal" | "silent";
}

/**
 * Returns the bytes of a token, like llama.cpp's `llama_token_to_piece`.
 *
 * `llama_detokenize`, which node-llama-cpp exposes, is unsuitable: for many vocabularies it removes
 * spaces before punctuation, which corrupts code.
 */
export function decodeToken(
  { text, kind }: EncodedToken,
  tokenEncoding: TokenEncoding,
): Uint8Array {
  switch (kind) {
    case "silent":
      return new Uint8Array();
    case "literal":
      return Buffer.from(text);
    case "byte":
      return Uint8Array.of(Number.parseInt(text.slice("<0x".length), 16));
    case "normal":
      return tokenEncoding === "byte-alphabet"
        ? fromByteAlphabet(text)
        : Buffer.from(text.replaceAll("▁", " "));
  }
}

/**
 * GPT-2's encoding of each byte as one visible character: printable Latin-1 characters map to
 * themselves, the other bytes to the code points from 256 on, in order. Indexed by byte.
 */
export const byteAlphabet: readonly string[] = buildAlphabet();

const byteOfCharacter: ReadonlyMap<string, number> = new Map(
  byteAlphabet.map((character, byte) => [character, byte]),
);

/** Encodes the UTF-8 bytes of `value` in the {@link byteAlphabet}. */
export function toByteAlphabet(value: string): string[] {
  return Array.from(Buffer.from(value), (byte) => byteAlphabet[byte] ?? "");
}

/** Decodes the {@link byteAlphabet}; other characters become their UTF-8 bytes. */
function fromByteAlphabet(text: string): Uint8Array {
  const decoded: number[] = [];
  for (const character of text) {
    const byte = byteOfCharacter.get(character);
    if (byte === undefined) decoded.push(...Buffer.from(character));
    else decoded.push(byte);
  }
  return Buffer.from(decoded);
}

function buildAlphabet(): string[] {
  let substitutes = 0;
  return Array.from({ length: 256 }, (_, byte) => {
    if (isPrintable(byte)) return String.fromCodePoint(byte);
    substitutes += 1;
    return String.fromCodePoint(255 + substitutes);
  });
}

function isPrintable(byte: number): boolean {
  const softHyphen = 0xad;
  return (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== softHyphen);
}
