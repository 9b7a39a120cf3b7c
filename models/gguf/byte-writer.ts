import { type NumberType, numberTypes } from "./metadata.js";

/** Appends little-endian values to a growing buffer. */
export class ByteWriter {
  #buffer = Buffer.alloc(1 << 16);
  #length = 0;

  /** The bytes written so far. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Appends a number; the caller has checked its range. */
  number(type: NumberType, value: number): void {
    const offset = this.#reserve(numberTypes[type].bytes);
    switch (type) {
      case "u8":
        this.#buffer.writeUInt8(value, offset);
        break;
      case "i8":
        this.#buffer.writeInt8(value, offset);
        break;
      case "u16":
        this.#buffer.writeUInt16LE(value, offset);
        break;
      case "i16":
        this.#buffer.writeInt16LE(value, offset);
        break;
      case "u32":
        this.#buffer.writeUInt32LE(value, offset);
        break;
      case "i32":
        this.#buffer.writeInt32LE(value, offset);
        break;
      case "f32":
        this.#buffer.writeFloatLE(value, offset);
        break;
      case "u64":
        this.#buffer.writeBigUInt64LE(BigInt(value), offset);
        break;
      case "i64":
        this.#buffer.writeBigInt64LE(BigInt(value), offset);
        break;
      case "f64":
        this.#buffer.writeDoubleLE(value, offset);
        break;
    }
  }

  /** Appends a GGUF string: its UTF-8 length as u64, then the bytes. */
  text(value: string): void {
    this.number("u64", Buffer.byteLength(value));
    this.ascii(value);
  }

  /** Appends the bytes of a string without a length. */
  ascii(value: string): void {
    const offset = this.#reserve(Buffer.byteLength(value));
    this.#buffer.write(value, offset);
  }

  /** Pads with zeros to a multiple of `alignment` bytes. */
  padTo(alignment: number): void {
    const excess = this.#length % alignment;
    if (excess > 0) this.#reserve(alignment - excess);
  }

  #reserve(bytes: number): number {
    const offset = this.#length;
    this.#length += bytes;
    if (this.#length > this.#buffer.length) {
      const grown = Buffer.alloc(Math.max(this.#length, this.#buffer.length * 2));
      this.#buffer.copy(grown, 0, 0, offset);
      this.#buffer = grown;
    }
    return offset;
  }
}
