import { fromFloat16Bits, toFloat16Bits } from "./float16.js";
import { bytesOf, type TensorType, tensorTypes } from "./tensor-types.js";

const maxQuant = 127;

/**
 * Encodes whole rows in the little-endian layout of a GGUF file.
 * @param values a multiple of the type's block size.
 */
export function encodeRows(type: TensorType, values: Float32Array): Uint8Array {
  switch (type) {
    case "f32":
      return toF32(values);
    case "f16":
      return toF16(values);
    case "q8_0":
      return toQ8_0(values);
  }
}

/** Decodes the output of {@link encodeRows}. */
export function decodeRows(type: TensorType, bytes: Uint8Array): Float32Array {
  switch (type) {
    case "f32":
      return fromF32(bytes);
    case "f16":
      return fromF16(bytes);
    case "q8_0":
      return fromQ8_0(bytes);
  }
}

/**
 * Quantises to blocks of 32: a half `d`, then 32 signed bytes `q`; each value is `d * q`.
 *
 * The algorithm of ggml's `quantize_row_q8_0_ref`, all steps in single precision: `d` is the maximum
 * magnitude / 127, `q` is `x * (1 / d)` rounded half away from zero. `q` is computed with the
 * unrounded `d`; the file stores `d` rounded to a half.
 */
export function toQ8_0(values: Float32Array): Uint8Array {
  const { blockElements } = tensorTypes.q8_0;
  const bytes = new Uint8Array(bytesOf("q8_0", values.length));
  const view = viewOf(bytes);
  const quants = new Int8Array(bytes.buffer);
  let offset = 0;
  for (let start = 0; start < values.length; start += blockElements) {
    const end = start + blockElements;
    const scale = Math.fround(maxMagnitude(values, start, end) / maxQuant);
    const inverse = scale === 0 ? 0 : Math.fround(1 / scale);
    view.setUint16(offset, toFloat16Bits(scale), true);
    offset += 2;
    for (let index = start; index < end; index += 1) {
      quants[offset] = roundHalfAwayFromZero(Math.fround((values[index] ?? 0) * inverse));
      offset += 1;
    }
  }
  return bytes;
}

/** Dequantises Q8_0 blocks; each value is rounded to single precision. */
export function fromQ8_0(bytes: Uint8Array): Float32Array {
  const { blockElements, blockBytes } = tensorTypes.q8_0;
  const view = viewOf(bytes);
  const blocks = bytes.length / blockBytes;
  const values = new Float32Array(blocks * blockElements);
  for (let block = 0; block < blocks; block += 1) {
    const offset = block * blockBytes;
    const scale = fromFloat16Bits(view.getUint16(offset, true));
    for (let index = 0; index < blockElements; index += 1) {
      values[block * blockElements + index] = scale * view.getInt8(offset + 2 + index);
    }
  }
  return values;
}

/** Rounds each value to the nearest half, ties to even. */
export function toF16(values: Float32Array): Uint8Array {
  const bytes = new Uint8Array(bytesOf("f16", values.length));
  const view = viewOf(bytes);
  let offset = 0;
  for (const value of values) {
    view.setUint16(offset, toFloat16Bits(value), true);
    offset += 2;
  }
  return bytes;
}

function fromF16(bytes: Uint8Array): Float32Array {
  const view = viewOf(bytes);
  return Float32Array.from({ length: bytes.length / 2 }, (_, index) =>
    fromFloat16Bits(view.getUint16(index * 2, true)),
  );
}

function toF32(values: Float32Array): Uint8Array {
  const bytes = new Uint8Array(bytesOf("f32", values.length));
  const view = viewOf(bytes);
  let offset = 0;
  for (const value of values) {
    view.setFloat32(offset, value, true);
    offset += 4;
  }
  return bytes;
}

function fromF32(bytes: Uint8Array): Float32Array {
  const view = viewOf(bytes);
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) =>
    view.getFloat32(index * 4, true),
  );
}

function maxMagnitude(values: Float32Array, start: number, end: number): number {
  let maximum = 0;
  for (let index = start; index < end; index += 1) {
    maximum = Math.max(maximum, Math.abs(values[index] ?? 0));
  }
  return maximum;
}

function roundHalfAwayFromZero(value: number): number {
  return Math.trunc(value + (value < 0 ? -0.5 : 0.5));
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
