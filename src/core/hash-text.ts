/** Hash of the empty text: the offset basis of FNV-1a. */
export const EMPTY_HASH = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * Hashes a part of a text by FNV-1a over UTF-16 code units, in 32 bits, for estimates and checks
 * that no client can profit from defeating.
 * @param hash hash of the text before the part; the result is the hash of both
 */
export function hashText(text: string, hash: number, start = 0, end = text.length): number {
  let result = hash;
  for (let index = start; index < end; index++) {
    result = Math.imul(result ^ text.charCodeAt(index), FNV_PRIME);
  }
  return result;
}
