import assert from "node:assert/strict";
import { type FileHandle, open } from "node:fs/promises";
import type { BlockOfType } from "../native/tensor-blocks.js";
import type { GgufHeader, TensorInfo } from "./gguf-header.js";

/** Bytes read and checked at once, in about a millisecond. A multiple of the word size. */
const CHUNK_BYTES = 2 ** 20;

/** Returns whether all numbers of a tensor's blocks are finite. */
type Check = (blocks: Buffer, blockBytes: number) => boolean;

/** Bits of infinity; a number with larger bits is NaN. */
const F16_INFINITY = 0x7c00;
const BF16_INFINITY = 0x7f80;
const F32_INFINITY = 0x7f80_0000;

// Index loops, because iterators and callbacks take four to eight times as long.
function areFiniteFloats(blocks: Buffer): boolean {
  const words = viewAsWords(blocks);
  for (let index = 0; index < words.length; index++) {
    if (((words[index] ?? 0) & 0x7fff_ffff) >= F32_INFINITY) return false;
  }
  return true;
}

/** Checks two 16-bit numbers at once: an exponent of infinity or NaN carries into the sign bit. */
const areFiniteHalves = (infinity: number): Check => {
  const carry = (0x8000 - infinity) * 0x1_0001;
  return (blocks) => {
    const words = viewAsWords(blocks);
    for (let index = 0; index < words.length; index++) {
      if (((((words[index] ?? 0) & 0x7fff_7fff) + carry) & 0x8000_8000) !== 0) return false;
    }
    return true;
  };
};

/** Checks blocks that contain F16 numbers at some offsets and integers elsewhere. */
const haveFiniteScales = (...scaleOffsets: readonly number[]): Check => {
  return (blocks, blockBytes) => {
    assert(Math.max(...scaleOffsets) + 2 <= blockBytes, "a scale exceeds the block");
    for (let block = 0; block < blocks.length; block += blockBytes) {
      for (const place of scaleOffsets) {
        if ((blocks.readUInt16LE(block + place) & 0x7fff) >= F16_INFINITY) return false;
      }
    }
    return true;
  };
};

const startsWithScale = haveFiniteScales(0);
const startsWithTwoScales = haveFiniteScales(0, 2);

/** Checks by ggml type id, as in `ggml_validate_row_data` in ggml-quants.c. */
const CHECKS: ReadonlyMap<number, Check> = new Map([
  [0, areFiniteFloats],
  [1, areFiniteHalves(F16_INFINITY)],
  [30, areFiniteHalves(BF16_INFINITY)],
  // Q4_0, Q5_0, Q8_0, Q1_0, Q2_0
  ...[2, 6, 8, 41, 42].map((id) => [id, startsWithScale] as const),
  // IQ2_XXS, IQ2_XS, IQ3_XXS, IQ1_S, IQ4_NL, IQ3_S, IQ2_S, IQ4_XS
  ...[16, 17, 18, 19, 20, 21, 22, 23].map((id) => [id, startsWithScale] as const),
  // Q4_1, Q5_1, Q4_K, Q5_K
  ...[3, 7, 12, 13].map((id) => [id, startsWithTwoScales] as const),
  // Q2_K, Q3_K, Q6_K, TQ1_0, TQ2_0
  [10, haveFiniteScales(80, 82)],
  [11, haveFiniteScales(108)],
  [14, haveFiniteScales(208)],
  [34, haveFiniteScales(52)],
  [35, haveFiniteScales(64)],
]);

/**
 * Reads all weights of a GGUF file once, in chunks, and checks that they are finite. llama.cpp
 * would load an adapter with NaN or infinite weights, and every answer with it would fail.
 * @throws {Error} names the first tensor with such a weight, or with a type that has no check
 */
export async function expectFiniteWeights(
  path: string,
  { tensors, dataStart }: Pick<GgufHeader, "tensors" | "dataStart">,
  blockOf: BlockOfType,
): Promise<void> {
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(CHUNK_BYTES);
    for (const tensor of tensors.values()) {
      await expectFiniteTensor({ file, buffer, dataStart, blockOf }, tensor);
    }
  } finally {
    await file.close();
  }
}

interface WeightsReader {
  readonly file: FileHandle;
  readonly buffer: Buffer;
  readonly dataStart: number;
  readonly blockOf: BlockOfType;
}

async function expectFiniteTensor(
  { file, buffer, dataStart, blockOf }: WeightsReader,
  { name, shape, typeId, offset }: TensorInfo,
): Promise<void> {
  const check = CHECKS.get(typeId);
  const block = blockOf(typeId);
  if (check === undefined || block === undefined) {
    const expected = "F32, F16, BF16 or a quantised type with F16 scales";
    throw new Error(`tensor ${JSON.stringify(name)}: expected ${expected}, got type ${typeId}`);
  }
  const blocks = shape.reduce((product, length) => product * length, 1) / block.elements;
  const chunkBytes = CHUNK_BYTES - (CHUNK_BYTES % block.bytes);
  const end = dataStart + offset + blocks * block.bytes;
  for (let begin = dataStart + offset; begin < end; begin += chunkBytes) {
    const length = Math.min(chunkBytes, end - begin);
    const { bytesRead } = await file.read(buffer, 0, length, begin);
    if (bytesRead < length) throw new Error(`expected ${end} bytes, got ${begin + bytesRead}`);
    // An odd number of 16-bit numbers ends in the middle of a word.
    buffer.fill(0, length, Math.min(length + 2, CHUNK_BYTES));
    const isWhole = block.elements > 1 || length % 4 === 0;
    if (check(buffer.subarray(0, isWhole ? length : length + 2), block.bytes)) continue;
    const got = "NaN or an infinity";
    throw new Error(`tensor ${JSON.stringify(name)}: expected finite weights, got ${got}`);
  }
}

function viewAsWords(bytes: Buffer): Int32Array {
  return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}
