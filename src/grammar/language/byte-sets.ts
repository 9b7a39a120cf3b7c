import assert from "node:assert/strict";

/** Set of bytes, as 256 bits. Equal sets are the same object within one {@link ByteSets}. */
export interface ByteSet {
  /** Unique within one {@link ByteSets}. */
  readonly id: number;
  readonly bits: Uint32Array;
  readonly size: number;
}

export function hasByte({ bits }: ByteSet, byte: number): boolean {
  return (((bits[byte >>> 5] as number) >>> (byte & 31)) & 1) === 1;
}

/** Returns the bytes of a set, in ascending order. */
export function listBytes(set: ByteSet): number[] {
  const bytes: number[] = [];
  for (let byte = 0; byte < 256; byte++) if (hasByte(set, byte)) bytes.push(byte);
  return bytes;
}

/** Creates byte sets; equal sets are created once. */
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

  /** Returns the set of bytes from `first` to `last`, inclusive. */
  range(first: number, last: number): ByteSet {
    assert(first >= 0 && first <= last && last <= 0xff, `bytes from ${first} to ${last}`);
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
      set = {
        id: this.#sets.size,
        bits,
        size: bits.reduce((sum, word) => sum + countOnes(word), 0),
      };
      this.#sets.set(key, set);
    }
    return set;
  }
}

function addTo(bits: Uint32Array, byte: number): void {
  bits[byte >>> 5] = (bits[byte >>> 5] as number) | (1 << (byte & 31));
}

function countOnes(word: number): number {
  let count = 0;
  for (let rest = word; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/**
 * Partition of the bytes into classes. Equal partitions are the same object within one
 * {@link BytePartitions}.
 */
export interface BytePartition {
  /** Unique within one {@link BytePartitions}. */
  readonly id: number;
  /** Class number of each byte. */
  readonly classOf: Uint8Array;
  /** First byte of each class. */
  readonly representatives: readonly number[];
}

/** Returns the first byte of a byte's class. */
export function representativeOf(partition: BytePartition, byte: number): number {
  return partition.representatives[partition.classOf[byte] as number] as number;
}

/** Creates byte partitions; equal partitions are created once. */
export class BytePartitions {
  readonly #partitions = new Map<string, BytePartition>();
  readonly #bySet = new Map<ByteSet, BytePartition>();
  readonly #splitPartitions = new Map<ByteSet, BytePartition>();
  readonly #meets = new Map<number, BytePartition>();
  /** Partition with a single class. */
  readonly whole = this.#partitionBy(1, () => 0);

  /** Partition into the bytes of a set and all others. */
  of(set: ByteSet): BytePartition {
    let partition = this.#bySet.get(set);
    if (partition === undefined) {
      partition = this.#partitionBy(2, (byte) => (hasByte(set, byte) ? 1 : 0));
      this.#bySet.set(set, partition);
    }
    return partition;
  }

  /** Partition into one class per byte of a set, and one for all others. */
  splitEach(set: ByteSet): BytePartition {
    let partition = this.#splitPartitions.get(set);
    if (partition === undefined) {
      partition = this.#partitionBy(257, (byte) => (hasByte(set, byte) ? byte + 1 : 0));
      this.#splitPartitions.set(set, partition);
    }
    return partition;
  }

  /** Coarsest common refinement: bytes share a class if they do in both partitions. */
  meet(a: BytePartition, b: BytePartition): BytePartition {
    if (a === b || b === this.whole) return a;
    if (a === this.whole) return b;
    const key = pairKey(Math.min(a.id, b.id), Math.max(a.id, b.id));
    let partition = this.#meets.get(key);
    if (partition === undefined) {
      const [rows, columns] = [a.representatives.length, b.representatives.length];
      partition = this.#partitionBy(
        rows * columns,
        (byte) => (a.classOf[byte] as number) * columns + (b.classOf[byte] as number),
      );
      this.#meets.set(key, partition);
    }
    return partition;
  }

  /** @param labelOf returns a label below `labels`; bytes with equal labels form a class */
  #partitionBy(labels: number, labelOf: (byte: number) => number): BytePartition {
    const classes = new Int16Array(labels).fill(-1);
    const representatives: number[] = [];
    const classOf = new Uint8Array(256);
    for (let byte = 0; byte < classOf.length; byte++) {
      const label = labelOf(byte);
      let known = classes[label] as number;
      if (known < 0) {
        known = representatives.push(byte) - 1;
        classes[label] = known;
      }
      classOf[byte] = known;
    }
    const key = Buffer.from(classOf.buffer).toString("latin1");
    let partition = this.#partitions.get(key);
    if (partition === undefined) {
      partition = { id: this.#partitions.size, classOf, representatives };
      this.#partitions.set(key, partition);
    }
    return partition;
  }
}

/** Upper bound of ids, so that a pair of them fits into one exact number. */
const ID_RANGE = 2 ** 26;

/** Maps each ordered pair of ids to a unique number. */
export function pairKey(first: number, second: number): number {
  return first * ID_RANGE + second;
}
