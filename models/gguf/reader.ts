import { closeSync, openSync, readSync } from "node:fs";
import { InputError } from "../command-line/input-error.js";
import { ByteReader } from "./byte-reader.js";
import { elementCount, type GgufContent, type GgufTensor, rowLength } from "./content.js";
import { alignmentKey, alignUp, defaultAlignment, magic, version } from "./format.js";
import type { Metadata, MetadataValue } from "./metadata.js";
import { readMetadataValue } from "./metadata-codec.js";
import { decodeRows } from "./quantize.js";
import { bytesOf, type TensorType, tensorTypes } from "./tensor-types.js";

const chunkElements = 1 << 18;

interface TensorInfo {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: TensorType;
  readonly offset: number;
}

/**
 * Reads the header of a GGUF v3 file. Tensor values are read lazily when `rows()` is iterated, so the
 * file must not be moved or deleted before.
 *
 * @throws InputError when the file is not GGUF v3, or has a tensor type other than f32, f16 and q8_0
 */
export function readGguf(path: string): GgufContent {
  return withFile(path, (descriptor) => {
    const source = new ByteReader(descriptor, path);
    assertEqual(path, "magic", magic, source.utf8(magic.length));
    assertEqual(path, "version", version, source.number("u32"));
    const tensorCount = source.number("u64");
    const metadataCount = source.number("u64");
    const metadata = readMetadata(source, metadataCount);
    const infos = Array.from({ length: tensorCount }, () => readTensorInfo(source));
    const dataStart = alignUp(source.position, alignmentOf(metadata));
    return { metadata, tensors: infos.map((info) => toTensor(path, dataStart, info)) };
  });
}

function readMetadata(source: ByteReader, count: number): Metadata {
  const metadata = new Map<string, MetadataValue>();
  for (let index = 0; index < count; index += 1) {
    const key = source.text();
    metadata.set(key, readMetadataValue(source, key));
  }
  return metadata;
}

function readTensorInfo(source: ByteReader): TensorInfo {
  const name = source.text();
  const shape = Array.from({ length: source.number("u32") }, () => source.number("u64"));
  const typeId = source.number("u32");
  const type = (Object.keys(tensorTypes) as TensorType[]).find(
    (candidate) => tensorTypes[candidate].id === typeId,
  );
  if (type === undefined) {
    const supported = Object.entries(tensorTypes).map(([type, { id }]) => `${id} (${type})`);
    throw new InputError(`tensor ${name}: expected type ${supported.join(", ")}, got ${typeId}`);
  }
  return { name, shape, type, offset: source.number("u64") };
}

function toTensor(path: string, dataStart: number, info: TensorInfo): GgufTensor {
  const { name, shape, type, offset } = info;
  return { name, shape, type, rows: () => readRows(path, dataStart + offset, info) };
}

function* readRows(path: string, start: number, info: TensorInfo): Iterable<Float32Array> {
  const { shape, type } = info;
  const rowElements = rowLength(shape);
  const elements = elementCount(shape);
  const stepElements = Math.max(1, Math.floor(chunkElements / rowElements)) * rowElements;
  const descriptor = openSync(path, "r");
  try {
    for (let first = 0; first < elements; first += stepElements) {
      const bytes = Buffer.alloc(bytesOf(type, Math.min(stepElements, elements - first)));
      const read = readSync(descriptor, bytes, 0, bytes.length, start + bytesOf(type, first));
      assertEqual(path, `bytes of tensor ${info.name}`, bytes.length, read);
      yield decodeRows(type, bytes);
    }
  } finally {
    closeSync(descriptor);
  }
}

function alignmentOf(metadata: Metadata): number {
  const entry = metadata.get(alignmentKey);
  return entry?.type === "u32" ? entry.value : defaultAlignment;
}

function assertEqual<T extends string | number>(
  path: string,
  field: string,
  expected: T,
  actual: T,
): void {
  if (actual !== expected) {
    throw new InputError(`${path}: ${field}: expected ${expected}, got ${JSON.stringify(actual)}`);
  }
}

function withFile<T>(path: string, use: (descriptor: number) => T): T {
  const descriptor = openSync(path, "r");
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
