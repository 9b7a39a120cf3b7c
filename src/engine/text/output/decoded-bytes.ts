/** Text and where it is in the bytes that it was decoded from. */
export interface DecodedBytes {
  readonly text: string;
  /** For each character (UTF-16 unit) of the text: the offset behind its bytes. */
  readonly ends: readonly number[];
}

/** Decodes UTF-8 as the detokenizer does: what is invalid, or incomplete at the end, is U+FFFD. */
export function decodeBytes(bytes: Uint8Array): DecodedBytes {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  const ends: number[] = [];
  const append = (decoded: string, end: number) => {
    text += decoded;
    for (let unit = 0; unit < decoded.length; unit++) ends.push(end);
  };
  for (const [offset, byte] of bytes.entries()) {
    const decoded = decoder.decode(Uint8Array.of(byte), { stream: true });
    // What a byte shows to be invalid ends before it; the last character, unless it has only begun, with it.
    const own = beginsCharacter(byte) ? "" : ([...decoded].at(-1) ?? "");
    append(decoded.slice(0, decoded.length - own.length), offset);
    append(own, offset + 1);
  }
  append(decoder.decode(), bytes.length);
  return { text, ends };
}

/** Whether a byte is the first of several of a character. */
function beginsCharacter(byte: number): boolean {
  return byte >= 0xc2 && byte <= 0xf4;
}
