import { InputError } from "../command-line/input-error.js";

/** Numeric metadata types with their id and size in the file, and the range of the integers. */
export const numberTypes = {
  u8: { id: 0, bytes: 1, min: 0, max: 0xff },
  i8: { id: 1, bytes: 1, min: -0x80, max: 0x7f },
  u16: { id: 2, bytes: 2, min: 0, max: 0xffff },
  i16: { id: 3, bytes: 2, min: -0x8000, max: 0x7fff },
  u32: { id: 4, bytes: 4, min: 0, max: 0xffff_ffff },
  i32: { id: 5, bytes: 4, min: -0x8000_0000, max: 0x7fff_ffff },
  f32: { id: 6, bytes: 4 },
  u64: { id: 10, bytes: 8, min: 0, max: Number.MAX_SAFE_INTEGER },
  i64: { id: 11, bytes: 8, min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER },
  f64: { id: 12, bytes: 8 },
} as const;

/** The GGUF specification's type ids of non-numeric values. */
export const otherTypeIds = { bool: 7, string: 8, array: 9 } as const;

/** A numeric metadata type, e.g. `"u32"`. */
export type NumberType = keyof typeof numberTypes;

/** A number, boolean or string. */
export type MetadataScalar =
  | { readonly type: NumberType; readonly value: number }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "string"; readonly value: string };

/** An array with one element type. Nested arrays, which GGUF also supports, are not needed here. */
export type MetadataArray =
  | { readonly type: "array"; readonly element: NumberType; readonly values: readonly number[] }
  | { readonly type: "array"; readonly element: "bool"; readonly values: readonly boolean[] }
  | { readonly type: "array"; readonly element: "string"; readonly values: readonly string[] };

/** The value of a metadata key, tagged with its type in the file. */
export type MetadataValue = MetadataScalar | MetadataArray;

/** Metadata in file order. */
export type Metadata = ReadonlyMap<string, MetadataValue>;

/** An unsigned 32-bit integer: the usual type of counts, lengths and token ids. */
export const u32 = (value: number): MetadataValue => ({ type: "u32", value });

/** A single-precision number. */
export const f32 = (value: number): MetadataValue => ({ type: "f32", value });

/** A boolean. */
export const bool = (value: boolean): MetadataValue => ({ type: "bool", value });

/** A string, stored as UTF-8. */
export const text = (value: string): MetadataValue => ({ type: "string", value });

/** An array of strings, e.g. the tokens of a vocabulary. */
export const texts = (values: readonly string[]): MetadataValue => ({
  type: "array",
  element: "string",
  values,
});

/** An array of signed 32-bit integers, e.g. token types. */
export const u32s = (values: readonly number[]): MetadataValue => ({
  type: "array",
  element: "u32",
  values,
});

/** An array of signed 32-bit integers. */
export const i32s = (values: readonly number[]): MetadataValue => ({
  type: "array",
  element: "i32",
  values,
});

/** An array of single-precision numbers, e.g. token scores. */
export const f32s = (values: readonly number[]): MetadataValue => ({
  type: "array",
  element: "f32",
  values,
});

/**
 * The string array at a key.
 * @throws {InputError} naming the key and the type of its value.
 */
export function stringArrayAt(metadata: Metadata, key: string): readonly string[] {
  const value = metadata.get(key);
  if (value?.type === "array" && value.element === "string") return value.values;
  throw new InputError(`${key}: expected an array of string, got ${kindOf(value)}`);
}

/** Describes the type of a value. */
export function kindOf(value: MetadataValue | undefined): string {
  if (value === undefined) return "nothing";
  return value.type === "array" ? `an array of ${value.element}` : value.type;
}
