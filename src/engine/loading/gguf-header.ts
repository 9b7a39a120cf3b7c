import { escapeHiddenCharacters } from "../../core/hidden-characters.js";
import type { BlockOfType } from "../native/tensor-blocks.js";
import {
  type ByteSource,
  HeaderReader,
  INCOMPLETE_HINT,
  MalformedFileError,
} from "./header-reader.js";

/** A metadata value, reduced to what is needed before llama.cpp reads the file. */
export type HeaderValue =
  | { readonly type: NumberType; readonly value: number }
  | { readonly type: "bool"; readonly value: boolean }
  /** `text` is `undefined` if the string is longer than any name. */
  | { readonly type: "string"; readonly text: string | undefined }
  | { readonly type: "array"; readonly element: ScalarType; readonly length: number };

/** A byte range of a file. */
export interface ByteRange {
  readonly from: number;
  /** Exclusive end. */
  readonly to: number;
}

/** A tensor's entry in the header. */
export interface TensorInfo {
  readonly name: string;
  readonly shape: readonly number[];
  readonly typeId: number;
  /** Offset of the tensor's data from the start of all tensor data. */
  readonly offset: number;
}

/** A validated header. */
export interface GgufHeader {
  readonly version: number;
  readonly metadata: ReadonlyMap<string, HeaderValue>;
  /** File ranges of the bytes of strings and the elements of arrays. */
  readonly valueRanges: ReadonlyMap<string, ByteRange>;
  readonly tensors: ReadonlyMap<string, TensorInfo>;
  /** Offset where the metadata end and the tensor entries begin. */
  readonly metadataBytes: number;
  /** Offset where the tensor entries end. */
  readonly headerBytes: number;
  /** Offset where the tensor data begin. */
  readonly dataStart: number;
}

export type NumberType =
  | "u8"
  | "i8"
  | "u16"
  | "i16"
  | "u32"
  | "i32"
  | "f32"
  | "u64"
  | "i64"
  | "f64";
export type ScalarType = NumberType | "bool" | "string";

/** The format's value types, indexed by their ids. */
const VALUE_TYPES = [
  "u8",
  "i8",
  "u16",
  "i16",
  "u32",
  "i32",
  "f32",
  "bool",
  "string",
  "array",
  "u64",
  "i64",
  "f64",
] as const satisfies readonly HeaderValue["type"][];

/** Size and decoder of each number type. */
export const NUMBERS: Readonly<
  Record<NumberType, { readonly bytes: number; readonly read: (bytes: Buffer) => number }>
> = {
  u8: { bytes: 1, read: (bytes) => bytes.readUInt8() },
  i8: { bytes: 1, read: (bytes) => bytes.readInt8() },
  u16: { bytes: 2, read: (bytes) => bytes.readUInt16LE() },
  i16: { bytes: 2, read: (bytes) => bytes.readInt16LE() },
  u32: { bytes: 4, read: (bytes) => bytes.readUInt32LE() },
  i32: { bytes: 4, read: (bytes) => bytes.readInt32LE() },
  f32: { bytes: 4, read: (bytes) => bytes.readFloatLE() },
  u64: { bytes: 8, read: (bytes) => Number(bytes.readBigUInt64LE()) },
  i64: { bytes: 8, read: (bytes) => Number(bytes.readBigInt64LE()) },
  f64: { bytes: 8, read: (bytes) => bytes.readDoubleLE() },
};

const MAGIC = "GGUF";
/** Version 1 has other length fields, and llama.cpp no longer reads it. */
const VERSIONS: readonly number[] = [2, 3];
const DEFAULT_ALIGNMENT = 32;

/**
 * Limits beyond those of the format, each several times what the largest models need: a vocabulary
 * of 262,144 tokens with its merges has 1.3 million elements in 20 MB, and a mixture of experts
 * whose tensors are not merged has 13,000 tensors. llama.cpp compares each name with all others,
 * and node-llama-cpp creates an object for each element.
 */
const MAX_HEADER_BYTES = 128 * 1024 * 1024;
const MAX_KEYS = 4096;
const MAX_TENSORS = 16_384;
const MAX_ARRAY_ELEMENTS = 2 ** 22;
const MAX_KEY_BYTES = 1024;
/** Maximum length of stored texts. */
const MAX_TEXT_BYTES = 256;
/** ggml's `GGML_MAX_NAME`, which includes the terminating byte, and `GGML_MAX_DIMS`. */
const MAX_TENSOR_NAME_BYTES = 63;
const MAX_DIMENSIONS = 4;

/** Bytes before a value: its type, and its length or the type and number of its elements. */
const PREFIX_BYTES = { string: 4 + 8, array: 4 + 4 + 8 } as const;

/** Minimum size of a metadata entry: a key of one byte, a type, and a one-byte value. */
const MIN_ENTRY_BYTES = 8 + 1 + 4 + 1;
/** Minimum size of a tensor entry: a name of one byte, no dimensions, type and offset. */
const MIN_TENSOR_BYTES = 8 + 1 + 4 + 4 + 8;

/**
 * Reads the header of a GGUF file strictly: each count, length, type and offset is checked against
 * the format and the file size before use, so that the limits above bound time and memory for any
 * input. A validated header can be passed to readers that trust it.
 * https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 * @throws {MalformedFileError} names the first error
 */
export function readGgufHeader(source: ByteSource, blockOf: BlockOfType): GgufHeader {
  if (source.sizeBytes === 0) throw new MalformedFileError("it is empty");
  const reader = new HeaderReader(source, MAX_HEADER_BYTES);
  reader.setSubject("the beginning");
  const magic = reader.readBytes(MAGIC.length).toString("latin1");
  if (magic !== MAGIC) throw reader.createError(`"${MAGIC}"`, printed(magic));
  reader.setSubject("the version of the format");
  const version = reader.readU32();
  if (!VERSIONS.includes(version)) throw reader.createError(VERSIONS.join(" or "), version);
  reader.setSubject("the number of tensors");
  const tensorCount = readCount(reader, MAX_TENSORS, MIN_TENSOR_BYTES);
  reader.setSubject("the number of metadata keys");
  const keyCount = readCount(reader, MAX_KEYS, MIN_ENTRY_BYTES);

  const { metadata, valueRanges } = readMetadata(reader, keyCount);
  const metadataBytes = reader.position;
  const alignment = readAlignment(metadata);
  const { tensors, dataBytes } = readTensors(reader, tensorCount, { alignment, blockOf });
  const headerBytes = reader.position;
  const dataStart = alignUp(headerBytes, alignment);
  const expectedBytes = dataStart + dataBytes;
  if (tensors.size > 0 && source.sizeBytes < expectedBytes) {
    throw new MalformedFileError(
      `the data of its ${tensors.size} tensors: expected a file of at least ${expectedBytes} bytes, ` +
        `got ${source.sizeBytes}: ${INCOMPLETE_HINT}`,
    );
  }
  return { version, metadata, valueRanges, tensors, metadataBytes, headerBytes, dataStart };
}

/** Describes a value for errors. */
export function describeValue(value: HeaderValue | undefined): string {
  if (value === undefined) return "nothing";
  switch (value.type) {
    case "array":
      return `an array of ${value.length} ${value.element}`;
    case "string":
      return value.text === undefined ? "a long string" : printed(value.text);
    default:
      return `${value.value} (${value.type})`;
  }
}

function readCount(reader: HeaderReader, max: number, minBytesOfEach: number): number {
  const count = reader.readU64();
  const maxCount = Math.min(max, Math.floor(reader.remainingBytes / minBytesOfEach));
  if (count > maxCount) throw reader.createError(`at most ${maxCount}`, count);
  return count;
}

function readMetadata(
  reader: HeaderReader,
  count: number,
): Pick<GgufHeader, "metadata" | "valueRanges"> {
  const metadata = new Map<string, HeaderValue>();
  const valueRanges = new Map<string, ByteRange>();
  let elements = 0;
  for (let index = 0; index < count; index++) {
    reader.setSubject(`metadata key ${index + 1} of ${count}`);
    const key = readName(reader, MAX_KEY_BYTES);
    if (metadata.has(key)) throw reader.createError("a unique key", `${printed(key)} twice`);
    reader.setSubject(`metadata ${printed(key)}`);
    const start = reader.position;
    const value = readValue(reader, MAX_ARRAY_ELEMENTS - elements);
    if (value.type === "array") elements += value.length;
    metadata.set(key, value);
    if (value.type === "string" || value.type === "array") {
      valueRanges.set(key, { from: start + PREFIX_BYTES[value.type], to: reader.position });
    }
  }
  return { metadata, valueRanges };
}

function readValue(reader: HeaderReader, maxElements: number): HeaderValue {
  const type = readType(reader);
  switch (type) {
    case "array":
      return readArray(reader, maxElements);
    case "string":
      return { type, text: readText(reader) };
    case "bool":
      return { type, value: readBool(reader) };
    default:
      return { type, value: NUMBERS[type].read(reader.readBytes(NUMBERS[type].bytes)) };
  }
}

function readArray(reader: HeaderReader, maxElements: number): HeaderValue {
  const element = readType(reader);
  if (element === "array") throw reader.createError("no array within an array", "one");
  const length = reader.readU64();
  if (length > maxElements) {
    throw reader.createError(`an array of at most ${maxElements} elements`, length);
  }
  switch (element) {
    case "string":
      for (let index = 0; index < length; index++) reader.skip(reader.readU64());
      break;
    case "bool":
      for (let index = 0; index < length; index++) readBool(reader);
      break;
    default:
      reader.skip(length * NUMBERS[element].bytes);
  }
  return { type: "array", element, length };
}

function readType(reader: HeaderReader): HeaderValue["type"] {
  const id = reader.readU32();
  const type = VALUE_TYPES[id];
  if (type === undefined)
    throw reader.createError(`a type from 0 to ${VALUE_TYPES.length - 1}`, id);
  return type;
}

function readBool(reader: HeaderReader): boolean {
  const byte = reader.readU8();
  if (byte > 1) throw reader.createError("0 or 1 for a bool", byte);
  return byte === 1;
}

function readText(reader: HeaderReader): string | undefined {
  const length = reader.readU64();
  if (length <= MAX_TEXT_BYTES) return reader.readBytes(length).toString("utf8");
  reader.skip(length);
  return undefined;
}

/** Reads a key or a tensor's name, without control characters: C code ends it at the first NUL. */
function readName(reader: HeaderReader, maxBytes: number): string {
  const name = reader.readText({ minBytes: 1, maxBytes });
  if (/\p{Cc}/u.test(name))
    throw reader.createError("a name without control characters", printed(name));
  return name;
}

/** @throws {MalformedFileError} */
function readAlignment(metadata: ReadonlyMap<string, HeaderValue>): number {
  const value = metadata.get("general.alignment");
  if (value === undefined) return DEFAULT_ALIGNMENT;
  if (value.type === "u32" && Number.isInteger(Math.log2(value.value))) return value.value;
  throw new MalformedFileError(
    `metadata "general.alignment": expected a power of 2 (u32), got ${describeValue(value)}`,
  );
}

interface TensorRules {
  readonly alignment: number;
  readonly blockOf: BlockOfType;
}

interface TensorInfos {
  readonly tensors: GgufHeader["tensors"];
  /** Bytes from the start of the first tensor's data to the end of the last one's. */
  readonly dataBytes: number;
}

function readTensors(
  reader: HeaderReader,
  count: number,
  { alignment, blockOf }: TensorRules,
): TensorInfos {
  const tensors = new Map<string, TensorInfo>();
  let dataBytes = 0;
  for (let index = 0; index < count; index++) {
    reader.setSubject(`the name of tensor ${index + 1} of ${count}`);
    const name = readName(reader, MAX_TENSOR_NAME_BYTES);
    if (tensors.has(name)) throw reader.createError("a unique name", `${printed(name)} twice`);
    reader.setSubject(`tensor ${printed(name)}`);
    const shape = readShape(reader);
    const typeId = reader.readU32();
    const bytes = computeDataBytes({ shape, typeId }, reader, blockOf);
    const offset = reader.readU64();
    // llama.cpp requires the data of all tensors to be contiguous.
    const expectedOffset = alignUp(dataBytes, alignment);
    if (offset !== expectedOffset)
      throw reader.createError(`an offset of ${expectedOffset}`, offset);
    tensors.set(name, { name, shape, typeId, offset });
    dataBytes = offset + bytes;
  }
  return { tensors, dataBytes };
}

function readShape(reader: HeaderReader): number[] {
  const dimensions = reader.readU32();
  if (dimensions > MAX_DIMENSIONS) {
    throw reader.createError(`at most ${MAX_DIMENSIONS} dimensions`, dimensions);
  }
  const shape: number[] = [];
  for (let index = 0; index < dimensions; index++) {
    const length = reader.readU64();
    if (!Number.isSafeInteger(length)) throw reader.createError("lengths below 2^53", length);
    shape.push(length);
  }
  return shape;
}

/** Returns the size of a tensor's data, which must not exceed the rest of the file. */
function computeDataBytes(
  { shape, typeId }: Pick<TensorInfo, "shape" | "typeId">,
  reader: HeaderReader,
  blockOf: BlockOfType,
): number {
  const block = blockOf(typeId);
  // ggml keeps the ids of removed types, with empty blocks.
  if (block === undefined || block.elements === 0)
    throw reader.createError("a type that llama.cpp knows", typeId);
  const row = shape[0] ?? 1;
  if (row % block.elements !== 0) {
    throw reader.createError(
      `rows of a multiple of ${block.elements} elements (type ${typeId})`,
      row,
    );
  }
  const elements = shape.reduce((product, length) => product * length, 1);
  const bytes = (elements / block.elements) * block.bytes;
  if (bytes > reader.remainingBytes) {
    throw reader.createError(
      `data of at most ${reader.remainingBytes} bytes, as many as the file has left`,
      `${bytes} (${shape.join(" × ")} elements): ${INCOMPLETE_HINT}`,
    );
  }
  return bytes;
}

/**
 * Quotes a text on one line, truncated to 64 characters and without terminal control characters.
 */
function printed(text: string): string {
  const quoted = JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);
  return escapeHiddenCharacters(quoted);
}

function alignUp(offset: number, alignment: number): number {
  return Math.ceil(offset / alignment) * alignment;
}
