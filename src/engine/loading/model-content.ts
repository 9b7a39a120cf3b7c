import { createHash, type Hash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { readGgufFileInfo } from "node-llama-cpp";
import type { ByteRange } from "./gguf-header.js";

/** Bytes hashed per sampled block of a tensor. */
const BLOCK_BYTES = 4096;
/** Maximum distance between sampled blocks; all experts of a layer are one tensor. */
const MAX_STRIDE_BYTES = 16 * 2 ** 20;
const MIN_BLOCKS = 3;

/** Properties of a model's content that determine the states it computes. */
export interface ModelContent {
  /** SHA-256, in hexadecimal digits. */
  readonly hash: string;
  /**
   * Whether a token's state depends on the length of the context, because there are two sets of
   * RoPE frequencies.
   */
  readonly hasLongRope: boolean;
}

/**
 * Identifies a model by its content: everything before the weights (hyperparameters, vocabulary,
 * and each tensor's name, shape and type), and of each tensor the first and last block and at least
 * one every 16 MiB in between. Training, merging and quantising change whole tensors. Reading all
 * of a large file would take longer than loading the model.
 * @param path path of the GGUF file, or of the first part of a split model
 */
export async function readModelContent(path: string): Promise<ModelContent> {
  const info = await readGgufFileInfo(path, { sourceType: "filesystem", logWarnings: false });
  const tensors = info.fullTensorInfo ?? [];
  const hash = createHash("sha256");
  for (const [index, source] of info.sourceData.entries()) {
    const offsets = tensors
      .filter(({ filePart }) => filePart === index + 1)
      .map(({ fileOffset }) => Number(fileOffset));
    const file = await open(source.type === "path" ? source.path : path);
    try {
      await hashPart(file, offsets, hash);
    } finally {
      await file.close();
    }
  }
  return {
    hash: hash.digest("hex"),
    hasLongRope: tensors.some(({ name }) => name.includes("rope_factors_long")),
  };
}

async function hashPart(file: FileHandle, tensorOffsets: number[], hash: Hash): Promise<void> {
  const { size } = await file.stat();
  const [first = size, ...others] = tensorOffsets.toSorted((a, b) => a - b);
  hash.update(`${size}\n`);
  await hashRange(file, { from: 0, to: first }, hash);
  let from = first;
  for (const to of [...others, size]) {
    for (const block of selectBlocks({ from, to })) await hashRange(file, block, hash);
    from = to;
  }
}

/** Returns the ranges of a tensor that are hashed: the whole tensor if it is small. */
export function selectBlocks({ from, to }: ByteRange): ByteRange[] {
  const bytes = to - from;
  const count = Math.max(MIN_BLOCKS, Math.ceil(bytes / MAX_STRIDE_BYTES) + 1);
  if (bytes <= count * BLOCK_BYTES) return [{ from, to }];
  const stride = (bytes - BLOCK_BYTES) / (count - 1);
  return Array.from({ length: count }, (_, index) => {
    const begin = from + Math.round(index * stride);
    return { from: begin, to: begin + BLOCK_BYTES };
  });
}

async function hashRange(file: FileHandle, { from, to }: ByteRange, hash: Hash): Promise<void> {
  const bytes = Buffer.alloc(to - from);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
  hash.update(bytes.subarray(0, bytesRead));
}
