/** Set of integers below a limit. */
export class BitSet {
  readonly #words: Uint32Array;

  constructor(limit: number) {
    this.#words = new Uint32Array(Math.ceil(limit / 32));
  }

  get byteLength(): number {
    return this.#words.byteLength;
  }

  has(value: number): boolean {
    return (((this.#words[value >>> 5] as number) >>> (value & 31)) & 1) === 1;
  }

  add(value: number): void {
    const word = value >>> 5;
    this.#words[word] = (this.#words[word] as number) | (1 << (value & 31));
  }

  /** Adds the numbers from `from` to before `to`. */
  addRange(from: number, to: number): void {
    for (let value = from; value < to; value++) this.add(value);
  }

  /** Adds the numbers of another set that are from `from` to before `to`. */
  addRangeOf(other: BitSet, from: number, to: number): void {
    let value = from;
    while (value < to) {
      const word = value >>> 5;
      const bits = wordMask(value & 31, Math.min(32, to - word * 32));
      this.#words[word] = (this.#words[word] as number) | ((other.#words[word] as number) & bits);
      value = (word + 1) * 32;
    }
  }

  /** Number of elements. */
  get size(): number {
    let size = 0;
    for (let index = 0; index < this.#words.length; index++) {
      size += countOnes(this.#words[index] as number);
    }
    return size;
  }

  /** Calls back with each number, in ascending order. */
  forEach(callback: (value: number) => void): void {
    this.#forEachWord((word, base) => forEachBit(word, base, callback));
  }

  /** Calls back with each number that is in exactly one of the two sets. */
  forEachDifference(other: BitSet, callback: (value: number) => void): void {
    this.#forEachWord((word, base) =>
      forEachBit(word ^ (other.#words[base >>> 5] as number), base, callback),
    );
  }

  #forEachWord(callback: (word: number, base: number) => void): void {
    for (let index = 0; index < this.#words.length; index++) {
      callback(this.#words[index] as number, index * 32);
    }
  }
}

/** Counts the set bits of a word by adding them in pairs, in fours and so on. */
function countOnes(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555);
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

function forEachBit(word: number, base: number, callback: (value: number) => void): void {
  for (let bits = word; bits !== 0; bits &= bits - 1)
    callback(base + 31 - Math.clz32(bits & -bits));
}

/** Returns a mask of the bits from `first` to before `end`. */
function wordMask(first: number, end: number): number {
  const below = end === 32 ? 0xffff_ffff : (1 << end) - 1;
  return below & ~((1 << first) - 1);
}
