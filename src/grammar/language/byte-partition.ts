import { type ByteSet, hasByte } from "./byte-set.js";
import { pairKey } from "./pair-key.js";

/** Classes of bytes. Equal partitions are the same object within one {@link BytePartitions}. */
export interface BytePartition {
  /** Different for each partition of one {@link BytePartitions}. */
  readonly id: number;
  /** The number of each byte's class. */
  readonly classOf: Uint8Array;
  /** The first byte of each class. */
  readonly representatives: readonly number[];
}

/** The first byte of a byte's class. */
export function representativeOf(partition: BytePartition, byte: number): number {
  return partition.representatives[partition.classOf[byte] as number] as number;
}

/** Creates partitions, each of them once. */
export class BytePartitions {
  readonly #partitions = new Map<string, BytePartition>();
  readonly #bySet = new Map<ByteSet, BytePartition>();
  readonly #apart = new Map<ByteSet, BytePartition>();
  readonly #meets = new Map<number, BytePartition>();
  /** All bytes are alike. */
  readonly whole = this.#by(1, () => 0);

  /** The bytes of a set and the others. */
  of(set: ByteSet): BytePartition {
    let partition = this.#bySet.get(set);
    if (partition === undefined) {
      partition = this.#by(2, (byte) => (hasByte(set, byte) ? 1 : 0));
      this.#bySet.set(set, partition);
    }
    return partition;
  }

  /** Each byte of a set by itself, and the others. */
  apart(set: ByteSet): BytePartition {
    let partition = this.#apart.get(set);
    if (partition === undefined) {
      partition = this.#by(257, (byte) => (hasByte(set, byte) ? byte + 1 : 0));
      this.#apart.set(set, partition);
    }
    return partition;
  }

  /** Bytes that are alike in two partitions. */
  meet(a: BytePartition, b: BytePartition): BytePartition {
    if (a === b || b === this.whole) return a;
    if (a === this.whole) return b;
    const key = pairKey(Math.min(a.id, b.id), Math.max(a.id, b.id));
    let partition = this.#meets.get(key);
    if (partition === undefined) {
      const [rows, columns] = [a.representatives.length, b.representatives.length];
      partition = this.#by(
        rows * columns,
        (byte) => (a.classOf[byte] as number) * columns + (b.classOf[byte] as number),
      );
      this.#meets.set(key, partition);
    }
    return partition;
  }

  /** @param labelOf below `labels`: the same for the bytes of a class */
  #by(labels: number, labelOf: (byte: number) => number): BytePartition {
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
