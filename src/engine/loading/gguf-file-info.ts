import assert from "node:assert/strict";
import { closeSync, openSync, readSync } from "node:fs";
import { resolve } from "node:path";
import type { GgufFileInfo, GgufTensorInfo } from "node-llama-cpp";
import {
  type ByteRange,
  type GgufHeader,
  type HeaderValue,
  NUMBERS,
  type ScalarType,
} from "./gguf-header.js";
import type { CheckedPart } from "./model-file.js";

/** A metadata value. Integers are exact up to 2^53. */
type Value = string | number | boolean | Value[];
interface Group {
  [name: string]: Value | Group;
}

/** Vocabulary tables that only llama.cpp needs; they are as long as the vocabulary. */
const OMITTED_TABLES: readonly string[] = [
  "tokenizer.ggml.merges",
  "tokenizer.ggml.scores",
  "tokenizer.ggml.token_type",
];

/** Keys whose further dots do not separate groups. */
const UNGROUPED_KEYS: readonly string[] = ["general.license", "tokenizer.chat_template"];

/**
 * Builds the equivalent of node-llama-cpp's `readGgufFileInfo`, without the omitted tables, from
 * headers that were already read and checked. The library's own reader takes several times as long,
 * most of a second with current vocabularies.
 * @param parts the model's files, in order
 */
export function buildFileInfo(parts: readonly [CheckedPart, ...CheckedPart[]]): GgufFileInfo {
  const [first] = parts;
  const tensorsOfParts = parts.map(({ header }, index) => buildTensorInfos(header, index + 1));
  const metadata = readMetadata(first) as unknown as GgufFileInfo["metadata"];
  const { version, tensors, metadataBytes } = first.header;
  const sumParts = (measure: (header: GgufHeader) => number) =>
    parts.reduce((sum, { header }) => sum + measure(header), 0);
  return {
    version,
    tensorCount: tensors.size,
    metadata,
    metadataSize: metadataBytes,
    infoEndOffset: first.header.dataStart,
    architectureMetadata: architectureMetadataOf(metadata),
    tensorInfo: tensorsOfParts[0] ?? [],
    tensorInfoSize: countTensorInfoBytes(first.header),
    splicedParts: parts.length,
    totalTensorCount: sumParts((header) => header.tensors.size),
    totalMetadataSize: sumParts((header) => header.metadataBytes),
    totalTensorInfoSize: sumParts(countTensorInfoBytes),
    fullTensorInfo: tensorsOfParts.flat(),
    source: { type: "path", path: first.path },
    sourceData: parts.map(({ path, header }) => ({
      type: "path",
      path: resolve(path),
      length: header.dataStart,
    })),
  };
}

/** Reads the metadata of a file in node-llama-cpp's groups, without the omitted tables. */
export function readMetadata(part: CheckedPart): Readonly<Record<string, unknown>> {
  return groupValues(readValues(part));
}

function architectureMetadataOf(
  metadata: GgufFileInfo["metadata"],
): GgufFileInfo["architectureMetadata"] {
  const groups = metadata as unknown as Readonly<Record<string, object | undefined>>;
  return groups[metadata.general.architecture] ?? {};
}

function countTensorInfoBytes({ metadataBytes, headerBytes }: GgufHeader): number {
  return headerBytes - metadataBytes;
}

function buildTensorInfos({ tensors, dataStart }: GgufHeader, filePart: number): GgufTensorInfo[] {
  return Array.from(tensors.values(), ({ name, shape, typeId, offset }) => ({
    name,
    dimensions: [...shape],
    ggmlType: typeId,
    offset,
    fileOffset: dataStart + offset,
    filePart,
  }));
}

/** Returns all values of a file, in file order. */
function readValues({ path, header }: CheckedPart): Map<string, Value> {
  const descriptor = openSync(path, "r");
  const bytesAt = ({ from, to }: ByteRange): Buffer => {
    const bytes = Buffer.alloc(to - from);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, from));
  };
  try {
    const values = new Map<string, Value>();
    for (const [key, value] of header.metadata) {
      if (OMITTED_TABLES.includes(key)) continue;
      values.set(
        key,
        toValue(value, () => {
          const range = header.valueRanges.get(key);
          assert(range !== undefined, `the header has no position of ${key}`);
          return bytesAt(range);
        }),
      );
    }
    return values;
  } finally {
    closeSync(descriptor);
  }
}

function toValue(value: HeaderValue, bytes: () => Buffer): Value {
  switch (value.type) {
    case "array":
      return decodeElements(value, bytes());
    case "string":
      return value.text ?? bytes().toString("utf8");
    default:
      return value.value;
  }
}

function decodeElements(
  { element, length }: { readonly element: ScalarType; readonly length: number },
  bytes: Buffer,
): Value[] {
  switch (element) {
    case "string":
      return decodeTexts(bytes, length);
    case "bool":
      return Array.from({ length }, (_, index) => bytes[index] === 1);
    default: {
      const { bytes: size, read } = NUMBERS[element];
      return Array.from({ length }, (_, index) =>
        read(bytes.subarray(index * size, (index + 1) * size)),
      );
    }
  }
}

const LENGTH_BYTES = 8;

/** Decodes length-prefixed texts. */
function decodeTexts(bytes: Buffer, count: number): string[] {
  const texts: string[] = [];
  let textEnd = 0;
  for (let index = 0; index < count; index++) {
    const from = textEnd + LENGTH_BYTES;
    // Lengths were checked against the file size, so the upper four bytes are zero.
    textEnd = from + bytes.readUInt32LE(textEnd);
    texts.push(bytes.toString("utf8", from, textEnd));
  }
  return texts;
}

/**
 * Groups values by the dots of their keys. If one key extends another that has a value, the
 * dots between them are kept in the name.
 */
function groupValues(values: ReadonlyMap<string, Value>): Group {
  const root = newGroup();
  for (const [key, value] of values) insert(root, "", key, value);
  return root;
}

function insert(group: Group, path: string, key: string, value: Value): void {
  let end = key.indexOf(".");
  while (end >= 0) {
    const name = key.slice(0, end);
    const existingValue = group[name];
    if (
      !UNGROUPED_KEYS.includes(path + name) &&
      (existingValue === undefined || isGroup(existingValue))
    ) {
      const innerGroup = existingValue ?? newGroup();
      group[name] = innerGroup;
      insert(innerGroup, `${path}${name}.`, key.slice(end + 1), value);
      return;
    }
    end = key.indexOf(".", end + 1);
  }
  const replacedValue = group[key];
  if (replacedValue !== undefined && isGroup(replacedValue)) {
    for (const [name, one] of Object.entries(replacedValue)) group[`${key}.${name}`] = one;
  }
  group[key] = value;
}

/** Groups have no prototype, so that any key is an own property. */
function newGroup(): Group {
  return Object.create(null);
}

function isGroup(value: Value | Group): value is Group {
  return typeof value === "object" && !Array.isArray(value);
}
