import assert from "node:assert/strict";
/** Bytes of known number that are read in pieces, such as a file. */
export interface ByteSource {
  readonly sizeBytes: number;
  /** Reads bytes that lie within the size. The result may be overwritten by the next call. */
  read(offset: number, length: number): Buffer;
}

/** A file is not what its format demands. The message says where, what was expected and what came. */
export class MalformedFileError extends Error {
  override readonly name = "MalformedFileError";
}

/** The usual cause of a file that has less than its header says. */
export const INCOMPLETE = "it is incomplete, or its header damaged";

/** What is read at once. No value that is kept is longer. */
const WINDOW_BYTES = 64 * 1024;

/**
 * Reads little-endian values one after another, in memory that does not depend on what the file says: lengths are
 * compared with what is left of the file, and what is not needed is passed over without being read.
 */
export class HeaderReader {
  readonly #source: ByteSource;
  readonly #limitBytes: number;
  /** What the value is that is read now, for errors. */
  #subject = "the header";
  #window: Buffer = Buffer.alloc(0);
  #windowStart = 0;
  #position = 0;

  /** @param limitBytes where the header has to end at the latest */
  constructor(source: ByteSource, limitBytes: number) {
    this.#source = source;
    this.#limitBytes = Math.min(limitBytes, source.sizeBytes);
  }

  /** The offset of the next value. */
  get position(): number {
    return this.#position;
  }

  /** Bytes of the file after the last value. */
  get remainingBytes(): number {
    return this.#source.sizeBytes - this.#position;
  }

  /** Names what is read from now on. */
  about(subject: string): void {
    this.#subject = subject;
  }

  /** An error about what is read now. */
  malformed(expected: string, actual: unknown): MalformedFileError {
    return new MalformedFileError(`${this.#subject}: expected ${expected}, got ${actual}`);
  }

  u8(): number {
    return this.#take(1).readUInt8();
  }

  u32(): number {
    return this.#take(4).readUInt32LE();
  }

  /** A number of elements or bytes; those beyond 2^53, which no file holds, lose their last digits. */
  u64(): number {
    return Number(this.#take(8).readBigUInt64LE());
  }

  /** The next bytes, at most 64 KiB. Valid until the next value is read. */
  bytes(length: number): Buffer {
    return this.#take(length);
  }

  /** A length-prefixed text. */
  text(limits: { readonly minBytes: number; readonly maxBytes: number }): string {
    const { minBytes, maxBytes } = limits;
    assert(maxBytes <= WINDOW_BYTES, `a text of ${maxBytes} bytes is read at once`);
    const length = this.u64();
    if (length < minBytes || length > maxBytes) {
      throw this.malformed(`a length of ${minBytes} to ${maxBytes} bytes`, length);
    }
    return this.#take(length).toString("utf8");
  }

  /** Passes over bytes that are not needed. */
  skip(length: number): void {
    this.#assertLeft(length);
    this.#position += length;
  }

  #take(length: number): Buffer {
    this.#assertLeft(length);
    const start = this.#position - this.#windowStart;
    const end = start + length;
    this.#position += length;
    if (start >= 0 && end <= this.#window.length) return this.#window.subarray(start, end);
    this.#windowStart = this.#position - length;
    const left = this.#source.sizeBytes - this.#windowStart;
    this.#window = this.#source.read(this.#windowStart, Math.min(WINDOW_BYTES, left));
    if (this.#window.length < length) {
      throw new MalformedFileError(
        `${this.#subject}: the file has become shorter while it was read`,
      );
    }
    return this.#window.subarray(0, length);
  }

  #assertLeft(length: number): void {
    const left = this.#limitBytes - this.#position;
    if (length <= left) return;
    throw this.#limitBytes < this.#source.sizeBytes
      ? this.malformed(
          `to end within the first ${this.#limitBytes} bytes`,
          `${length} more at ${this.#position}`,
        )
      : this.malformed(
          `${length} bytes at ${this.#position}`,
          `${left} up to the end of the file: ${INCOMPLETE}`,
        );
  }
}
