/** A set of bytes, as 256 bits. Equal sets are the same object within one {@link ByteSets}. */
export interface ByteSet {
  /** Different for each set of one {@link ByteSets}. */
  readonly id: number;
  readonly bits: Uint32Array;
  readonly size: number;
}

/** Whether a set contains a byte. */
export function hasByte({ bits }: ByteSet, byte: number): boolean {
  return (((bits[byte >>> 5] as number) >>> (byte & 31)) & 1) === 1;
}

/** The bytes of a set, in ascending order. */
export function bytesOf(set: ByteSet): number[] {
  const bytes: number[] = [];
  for (let byte = 0; byte < 256; byte++) if (hasByte(set, byte)) bytes.push(byte);
  return bytes;
}

/** Creates byte sets, each of them once. */
export class ByteSets {
  readonly #sets = new Map<string, ByteSet>();
  readonly #ranges = new Map<number, ByteSet>();
  readonly none = this.#intern(new Uint32Array(8));
  readonly all = this.#intern(new Uint32Array(8).fill(0xffff_ffff));
  readonly digits = this.range(0x30, 0x39);

  of(bytes: Iterable<number>): ByteSet {
    const bits = new Uint32Array(8);
    for (const byte of bytes) addTo(bits, byte);
    return this.#intern(bits);
  }

  /** All bytes from `first` to `last`. */
  range(first: number, last: number): ByteSet {
    const key = first * 256 + last;
    let range = this.#ranges.get(key);
    if (range === undefined) {
      const bits = new Uint32Array(8);
      for (let byte = first; byte <= last; byte++) addTo(bits, byte);
      range = this.#intern(bits);
      this.#ranges.set(key, range);
    }
    return range;
  }

  union(a: ByteSet, b: ByteSet): ByteSet {
    if (a === b || b === this.none) return a;
    if (a === this.none) return b;
    return this.#intern(a.bits.map((word, index) => word | (b.bits[index] as number)));
  }

  intersection(a: ByteSet, b: ByteSet): ByteSet {
    if (a === b || b === this.all) return a;
    if (a === this.all) return b;
    return this.#intern(a.bits.map((word, index) => word & (b.bits[index] as number)));
  }

  #intern(bits: Uint32Array): ByteSet {
    const key = Buffer.from(bits.buffer).toString("latin1");
    let set = this.#sets.get(key);
    if (set === undefined) {
      set = { id: this.#sets.size, bits, size: bits.reduce((sum, word) => sum + ones(word), 0) };
      this.#sets.set(key, set);
    }
    return set;
  }
}

function addTo(bits: Uint32Array, byte: number): void {
  bits[byte >>> 5] = (bits[byte >>> 5] as number) | (1 << (byte & 31));
}

function ones(word: number): number {
  let count = 0;
  for (let rest = word; rest !== 0; rest &= rest - 1) count++;
  return count;
}
