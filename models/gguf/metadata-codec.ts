import { InputError } from "../command-line/input-error.js";
import type { ByteReader } from "./byte-reader.js";
import type { ByteWriter } from "./byte-writer.js";
import {
  type MetadataArray,
  type MetadataValue,
  type NumberType,
  numberTypes,
  otherTypeIds,
} from "./metadata.js";

type ScalarType = NumberType | "bool" | "string";

const scalarTypesById = new Map<number, ScalarType>([
  ...numberTypeNames().map((name) => [numberTypes[name].id, name] as const),
  [otherTypeIds.bool, "bool"],
  [otherTypeIds.string, "string"],
]);

/**
 * Appends the type and the value of an entry.
 * @throws InputError naming the key when a number does not fit its type.
 */
export function writeMetadataValue(out: ByteWriter, key: string, entry: MetadataValue): void {
  if (entry.type === "array") {
    out.number("u32", otherTypeIds.array);
    out.number("u32", typeId(entry.element));
    out.number("u64", entry.values.length);
    for (const value of entry.values) writeScalar(out, key, entry.element, value);
  } else {
    out.number("u32", typeId(entry.type));
    writeScalar(out, key, entry.type, entry.value);
  }
}

/**
 * Reads the type and the value of an entry.
 * @throws InputError naming the key when the type is not supported.
 */
export function readMetadataValue(source: ByteReader, key: string): MetadataValue {
  const id = source.number("u32");
  if (id === otherTypeIds.array) return readArray(source, key);
  const type = scalarType(key, id);
  switch (type) {
    case "bool":
      return { type, value: readBool(source) };
    case "string":
      return { type, value: source.text() };
    default:
      return { type, value: source.number(type) };
  }
}

function readArray(source: ByteReader, key: string): MetadataArray {
  const type = "array";
  const element = scalarType(key, source.number("u32"));
  const length = source.number("u64");
  switch (element) {
    case "bool":
      return { type, element, values: repeat(length, () => readBool(source)) };
    case "string":
      return { type, element, values: repeat(length, () => source.text()) };
    default:
      return { type, element, values: repeat(length, () => source.number(element)) };
  }
}

function writeScalar(
  out: ByteWriter,
  key: string,
  type: ScalarType,
  value: number | boolean | string,
): void {
  if (typeof value === "string") {
    out.text(value);
  } else if (typeof value === "boolean") {
    out.number("u8", Number(value));
  } else {
    const numberType = type as NumberType;
    assertFits(key, numberType, value);
    out.number(numberType, value);
  }
}

function assertFits(key: string, type: NumberType, value: number): void {
  const range = numberTypes[type];
  if ("min" in range && !(Number.isInteger(value) && value >= range.min && value <= range.max)) {
    throw new InputError(
      `metadata ${key}: expected an integer from ${range.min} to ${range.max} (${type}), got ${value}`,
    );
  }
}

function typeId(type: ScalarType): number {
  return type === "bool" || type === "string" ? otherTypeIds[type] : numberTypes[type].id;
}

function scalarType(key: string, id: number): ScalarType {
  const type = scalarTypesById.get(id);
  if (type === undefined) {
    const supported = [...scalarTypesById.keys()].join(", ");
    throw new InputError(`metadata ${key}: expected a type id among ${supported}, got ${id}`);
  }
  return type;
}

function numberTypeNames(): NumberType[] {
  return Object.keys(numberTypes) as NumberType[];
}

function readBool(source: ByteReader): boolean {
  return source.number("u8") !== 0;
}

function repeat<T>(count: number, read: () => T): T[] {
  return Array.from({ length: count }, read);
}
