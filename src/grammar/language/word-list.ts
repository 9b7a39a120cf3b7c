/** Texts in ascending order of their bytes. */
export interface WordList {
  readonly id: number;
  readonly words: readonly Uint8Array[];
}

/** Some words that have so many first bytes in common: those from `from` to before `to`. */
export interface WordRange {
  readonly list: WordList;
  readonly from: number;
  readonly to: number;
  readonly depth: number;
}

/** The words of a range that go on with a byte. */
export function wordsWith({ list, from, to, depth }: WordRange, byte: number): WordRange {
  const begin = firstIndex(from, to, (index) => byteAt(list, index, depth) >= byte);
  const end = firstIndex(begin, to, (index) => byteAt(list, index, depth) > byte);
  return { list, from: begin, to: end, depth: depth + 1 };
}

/** The bytes that words of a range go on with, in ascending order. */
export function nextBytes({ list, from, to, depth }: WordRange): readonly number[] {
  const bytes: number[] = [];
  for (let index = from; index < to; ) {
    const byte = byteAt(list, index, depth);
    if (byte >= 0) bytes.push(byte);
    index = firstIndex(index, to, (other) => byteAt(list, other, depth) > byte);
  }
  return bytes;
}

/** −1 behind the end of a word: it is before all longer ones. */
function byteAt({ words }: WordList, index: number, depth: number): number {
  return words[index]?.[depth] ?? -1;
}

/** The first index in a sorted range that satisfies a condition; `to` if none does. */
function firstIndex(from: number, to: number, satisfies: (index: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (satisfies(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
