/**
 * GPT-2's encoding of each byte as one visible character: printable Latin-1 characters map to
 * themselves, the other bytes to the code points from 256 on, in order. Indexed by byte.
 */
export const byteAlphabet: readonly string[] = buildAlphabet();

const bytes: ReadonlyMap<string, number> = new Map(
  byteAlphabet.map((character, byte) => [character, byte]),
);

/** The UTF-8 bytes of `value`, encoded in the {@link byteAlphabet}. */
export function toByteAlphabet(value: string): string[] {
  return Array.from(Buffer.from(value), (byte) => byteAlphabet[byte] ?? "");
}

/** Decodes the {@link byteAlphabet}; other characters become their UTF-8 bytes. */
export function fromByteAlphabet(text: string): Uint8Array {
  const decoded: number[] = [];
  for (const character of text) {
    const byte = bytes.get(character);
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
