import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { InputError } from "../command-line/input-error.js";
import {
  assertStorable,
  elementCount,
  type GgufContent,
  type GgufTensor,
  rowLength,
} from "./content.js";
import { alignmentKey, alignUp, defaultAlignment } from "./format.js";
import { encodeHeader } from "./header.js";
import { encodeRows } from "./quantize.js";
import { bytesOf, tensorTypes } from "./tensor-types.js";

/** The progress of writing tensor data. */
export interface WriteProgress {
  readonly writtenBytes: number;
  readonly totalBytes: number;
}

/**
 * Writes a GGUF v3 file, little-endian, tensor data aligned to 32 bytes. The same content gives the
 * same bytes. Tensor data is streamed one chunk of rows at a time. The complete file replaces `path`
 * by an atomic rename, so that two processes may write the same path concurrently.
 *
 * @returns the size of the file in bytes
 * @throws InputError when the content cannot be represented; no file is left behind
 */
export function writeGguf(
  path: string,
  content: GgufContent,
  onProgress: (progress: WriteProgress) => void = () => {},
): number {
  const header = checkedHeader(content);
  mkdirSync(dirname(path), { recursive: true });
  const partialPath = `${path}.${randomUUID()}.partial`;
  try {
    const descriptor = openSync(partialPath, "wx");
    try {
      writeAll(descriptor, header);
      writeTensors(descriptor, content.tensors, onProgress);
    } finally {
      closeSync(descriptor);
    }
    renameSync(partialPath, path);
  } finally {
    rmSync(partialPath, { force: true });
  }
  return header.length + dataBytes(content.tensors);
}

/** @throws InputError when the content cannot be represented */
function checkedHeader({ metadata, tensors }: GgufContent): Uint8Array {
  if (metadata.has(alignmentKey)) {
    throw new InputError(`metadata ${alignmentKey}: expected none, files are always aligned to 32`);
  }
  const names = new Set<string>();
  for (const tensor of tensors) {
    assertStorable(tensor);
    if (names.has(tensor.name)) {
      throw new InputError(`tensor ${tensor.name}: expected one of this name, got two`);
    }
    names.add(tensor.name);
  }
  return encodeHeader(
    metadata,
    tensors.map((tensor) => ({
      name: tensor.name,
      shape: tensor.shape,
      typeId: tensorTypes[tensor.type].id,
      dataBytes: storedBytes(tensor),
    })),
  );
}

function writeTensors(
  descriptor: number,
  tensors: readonly GgufTensor[],
  onProgress: (progress: WriteProgress) => void,
): void {
  const totalBytes = dataBytes(tensors);
  let writtenBytes = 0;
  for (const tensor of tensors) {
    for (const rows of checkedRows(tensor)) {
      writtenBytes += writeAll(descriptor, encodeRows(tensor.type, rows));
      onProgress({ writtenBytes, totalBytes });
    }
    const padding = alignUp(writtenBytes, defaultAlignment) - writtenBytes;
    writtenBytes += writeAll(descriptor, new Uint8Array(padding));
  }
}

function* checkedRows(tensor: GgufTensor): Iterable<Float32Array> {
  const expected = elementCount(tensor.shape);
  let actual = 0;
  for (const rows of tensor.rows()) {
    if (rows.length % rowLength(tensor.shape) !== 0) {
      throw new InputError(
        `tensor ${tensor.name}: expected whole rows of ${rowLength(tensor.shape)} elements, ` +
          `got a chunk of ${rows.length}`,
      );
    }
    actual += rows.length;
    yield rows;
  }
  if (actual !== expected) {
    throw new InputError(`tensor ${tensor.name}: expected ${expected} elements, got ${actual}`);
  }
}

function dataBytes(tensors: readonly GgufTensor[]): number {
  return tensors.reduce((sum, tensor) => sum + storedBytes(tensor), 0);
}

function storedBytes({ type, shape }: GgufTensor): number {
  return alignUp(bytesOf(type, elementCount(shape)), defaultAlignment);
}

function writeAll(descriptor: number, bytes: Uint8Array): number {
  let written = 0;
  while (written < bytes.length) written += writeSync(descriptor, bytes, written);
  return written;
}
