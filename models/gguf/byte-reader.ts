import { fstatSync, readSync } from "node:fs";
import { InputError } from "../command-line/input-error.js";
import { type NumberType, numberTypes } from "./metadata.js";

const minChunkBytes = 1 << 20;

/** Reads little-endian values sequentially from an open file, in chunks. */
export class ByteReader {
  readonly #descriptor: number;
  readonly #path: string;
  readonly #fileBytes: number;
  #chunk = Buffer.alloc(0);
  #chunkStart = 0;
  #cursor = 0;

  constructor(descriptor: number, path: string) {
    this.#descriptor = descriptor;
    this.#path = path;
    this.#fileBytes = fstatSync(descriptor).size;
  }

  /** The offset of the next value in the file. */
  get position(): number {
    return this.#chunkStart + this.#cursor;
  }

  number(type: NumberType): number {
    const offset = this.#take(numberTypes[type].bytes);
    switch (type) {
      case "u8":
        return this.#chunk.readUInt8(offset);
      case "i8":
        return this.#chunk.readInt8(offset);
      case "u16":
        return this.#chunk.readUInt16LE(offset);
      case "i16":
        return this.#chunk.readInt16LE(offset);
      case "u32":
        return this.#chunk.readUInt32LE(offset);
      case "i32":
        return this.#chunk.readInt32LE(offset);
      case "f32":
        return this.#chunk.readFloatLE(offset);
      case "u64":
        return this.#safe(this.#chunk.readBigUInt64LE(offset));
      case "i64":
        return this.#safe(this.#chunk.readBigInt64LE(offset));
      case "f64":
        return this.#chunk.readDoubleLE(offset);
    }
  }

  /** Reads a length-prefixed string. */
  text(): string {
    return this.utf8(this.number("u64"));
  }

  /** Reads `bytes` bytes as UTF-8. */
  utf8(bytes: number): string {
    const offset = this.#take(bytes);
    return this.#chunk.toString("utf8", offset, offset + bytes);
  }

  /** Makes the next `bytes` bytes contiguous in the chunk and returns their offset in it. */
  #take(bytes: number): number {
    if (this.#cursor + bytes > this.#chunk.length) this.#refill(bytes);
    const offset = this.#cursor;
    this.#cursor += bytes;
    return offset;
  }

  #refill(bytes: number): void {
    const position = this.position;
    const remainingBytes = this.#fileBytes - position;
    if (remainingBytes < bytes) {
      throw new InputError(
        `${this.#path}: expected ${bytes} bytes at offset ${position}, the file has ${remainingBytes} left`,
      );
    }
    const chunk = Buffer.alloc(Math.min(remainingBytes, Math.max(bytes, minChunkBytes)));
    const read = readSync(this.#descriptor, chunk, 0, chunk.length, position);
    this.#chunk = chunk.subarray(0, read);
    this.#chunkStart = position;
    this.#cursor = 0;
  }

  #safe(value: bigint): number {
    const number = Number(value);
    if (!Number.isSafeInteger(number)) {
      throw new InputError(
        `${this.#path}: expected a 64-bit integer within ±2^53 before ${this.position}, got ${value}`,
      );
    }
    return number;
  }
}
