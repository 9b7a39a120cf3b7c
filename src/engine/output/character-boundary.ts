/** Bytes of the longest character in UTF-8. */
export const LONGEST_CHARACTER_BYTES = 4;

/** Whether bytes of UTF-8 end within a character, which further bytes may complete. */
export function endsInsideCharacter(bytes: readonly number[]): boolean {
  for (let count = 1; count < LONGEST_CHARACTER_BYTES; count++) {
    const byte = bytes.at(-count);
    if (byte === undefined || byte < 0x80) return false;
    if (byte >= 0xc0) return characterBytes(byte) > count;
  }
  return false;
}

function characterBytes(first: number): number {
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}
