import assert from "node:assert/strict";
/** A source of known size that is read in chunks, such as a file. */
export interface ByteSource {
  readonly sizeBytes: number;
  /** Reads bytes, which must lie within the size. The next call may overwrite the result. */
  read(offset: number, length: number): Buffer;
}

/**
 * A file violates its format. The message states the location, and the expected and the actual
 * value.
 */
export class MalformedFileError extends Error {
  override readonly name = "MalformedFileError";
}

/** Usual cause of a file shorter than its header states. */
export const INCOMPLETE_HINT = "it is incomplete, or its header is damaged";

/** Bytes read at once. No stored value is longer. */
const WINDOW_BYTES = 64 * 1024;

/**
 * Reads little-endian values in sequence, in memory that is independent of the file's contents:
 * lengths are checked against the rest of the file, and unneeded bytes are skipped without being
 * read.
 */
export class HeaderReader {
  readonly #source: ByteSource;
  readonly #limitBytes: number;
  /** Description of the value being read, for errors. */
  #subject = "the header";
  #window: Buffer = Buffer.alloc(0);
  #windowStart = 0;
  #position = 0;

  /** @param limitBytes maximum offset at which the header may end */
  constructor(source: ByteSource, limitBytes: number) {
    this.#source = source;
    this.#limitBytes = Math.min(limitBytes, source.sizeBytes);
  }

  /** Offset of the next value. */
  get position(): number {
    return this.#position;
  }

  /** Bytes left in the file after the last value. */
  get remainingBytes(): number {
    return this.#source.sizeBytes - this.#position;
  }

  /** Sets the description of the values read next, for errors. */
  setSubject(subject: string): void {
    this.#subject = subject;
  }

  /** Creates an error about the value being read. */
  createError(expected: string, actual: unknown): MalformedFileError {
    return new MalformedFileError(`${this.#subject}: expected ${expected}, got ${actual}`);
  }

  readU8(): number {
    return this.#take(1).readUInt8();
  }

  readU32(): number {
    return this.#take(4).readUInt32LE();
  }

  /**
   * Reads a number of elements or bytes. Values beyond 2^53, which exceed any file, lose their last
   * digits.
   */
  readU64(): number {
    return Number(this.#take(8).readBigUInt64LE());
  }

  /** Reads up to 64 KiB. The result is valid until the next read. */
  readBytes(length: number): Buffer {
    return this.#take(length);
  }

  /** Reads a length-prefixed text. */
  readText(limits: { readonly minBytes: number; readonly maxBytes: number }): string {
    const { minBytes, maxBytes } = limits;
    assert(maxBytes <= WINDOW_BYTES, `cannot read a text of ${maxBytes} bytes at once`);
    const length = this.readU64();
    if (length < minBytes || length > maxBytes) {
      throw this.createError(`a length of ${minBytes} to ${maxBytes} bytes`, length);
    }
    return this.#take(length).toString("utf8");
  }

  /** Skips bytes without reading them. */
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
      throw new MalformedFileError(`${this.#subject}: the file was truncated while it was read`);
    }
    return this.#window.subarray(0, length);
  }

  #assertLeft(length: number): void {
    const left = this.#limitBytes - this.#position;
    if (length <= left) return;
    throw this.#limitBytes < this.#source.sizeBytes
      ? this.createError(
          `to end within the first ${this.#limitBytes} bytes`,
          `${length} more at ${this.#position}`,
        )
      : this.createError(
          `${length} bytes at ${this.#position}`,
          `${left} up to the end of the file: ${INCOMPLETE_HINT}`,
        );
  }
}
