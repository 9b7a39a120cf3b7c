/** Splitting rule of llama.cpp's `qwen2` pre-tokenizer, in which each digit is separate. */
const rule =
  /'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD]|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu;

/** Splits a text into the pieces within which merges apply. */
export function preTokens(text: string): string[] {
  return text.match(rule) ?? [];
}

/** GPT-2's printable stand-ins for the 256 bytes. */
export const byteSymbols: readonly string[] = (() => {
  const printable = (b: number): boolean =>
    (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || (b >= 174 && b <= 255);
  let next = 256;
  return Array.from({ length: 256 }, (_, b) => String.fromCodePoint(printable(b) ? b : next++));
})();

const encoder = new TextEncoder();

/** A piece as printable byte symbols, one character per byte. */
export function symbolsOf(piece: string): string[] {
  return Array.from(encoder.encode(piece), (byte) => byteSymbols[byte] ?? "");
}
