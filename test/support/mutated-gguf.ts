import { numberTypes, otherTypeIds } from "../../models/gguf/metadata.js";
import { RandomStream } from "../../models/random/random-stream.js";

/** Purpose of a header field. */
type FieldKind = "version" | "count" | "length" | "type" | "value" | "dimensions" | "offset";

interface Field {
  readonly kind: FieldKind;
  readonly of: string;
  readonly at: number;
  readonly bytes: number;
}

/** A GGUF file with one fault. */
export interface Mutation {
  readonly name: string;
  readonly file: Buffer;
}

/** Numbers at the limits of integer types, and of readers' allocations. */
const BORDERS = [0n, 1n, 2n, 3n, 7n, 64n, 0x7fffn, 0xffffn, 2n ** 24n, 0x7fff_ffffn, 0xffff_ffffn];
const WIDE_BORDERS = [2n ** 32n, 2n ** 53n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n];

/**
 * Files that differ from a sound one in one thing: a field of the header, its end, or random bytes. The same for the
 * same seed.
 */
export function mutationsOf(sound: Buffer, count: number, seed: number): Mutation[] {
  const random = new RandomStream(seed);
  const below = (limit: number) => (random.int32() >>> 0) % limit;
  const pick = <Value>(values: readonly Value[]): Value => {
    const value = values[below(values.length)];
    if (value === undefined) throw new Error("nothing to pick from");
    return value;
  };
  const { fields, headerBytes } = fieldsOf(sound);
  const kinds = [...new Set(fields.map(({ kind }) => kind))];
  const mutateField = (): Mutation => {
    // By kinds, as there are many lengths and few counts.
    const kind = pick(kinds);
    const { of, at, bytes } = pick(fields.filter((field) => field.kind === kind));
    const value = pick(bytes === 8 ? [...BORDERS, ...WIDE_BORDERS] : BORDERS);
    const file = Buffer.from(sound);
    const cut = Buffer.alloc(8);
    cut.writeBigUInt64LE(value);
    cut.copy(file, at, 0, bytes);
    return { name: `${kind} of ${of} = ${value}`, file };
  };
  const truncate = (): Mutation => {
    const length = below(2) === 0 ? below(headerBytes) : below(sound.length);
    return { name: `the first ${length} bytes`, file: sound.subarray(0, length) };
  };
  const scatter = (): Mutation => {
    const file = Buffer.from(sound);
    const places = Array.from({ length: 1 + below(4) }, () => below(headerBytes));
    for (const place of places) file[place] = below(256);
    return { name: `random bytes at ${places}`, file };
  };
  return Array.from({ length: count }, () => pick([mutateField, mutateField, truncate, scatter])());
}

/** The fields of the header of a sound file. Of long arrays the first few elements only. */
export function fieldsOf(file: Buffer): { fields: Field[]; headerBytes: number } {
  const fields: Field[] = [];
  let position = 4;
  const number = (kind: FieldKind, of: string, bytes: 4 | 8): number => {
    fields.push({ kind, of, at: position, bytes });
    position += bytes;
    return bytes === 4
      ? file.readUInt32LE(position - 4)
      : Number(file.readBigUInt64LE(position - 8));
  };
  const text = (of: string): string => {
    const length = number("length", of, 8);
    position += length;
    return file.toString("utf8", position - length, position);
  };
  const bytesOf = (typeId: number): 1 | 2 | 4 | 8 =>
    Object.values(numberTypes).find(({ id }) => id === typeId)?.bytes ?? 1;

  const array = (key: string): void => {
    const element = number("type", `elements of ${key}`, 4);
    const length = number("count", key, 8);
    if (element !== otherTypeIds.string) {
      position += length * bytesOf(element);
      return;
    }
    for (let index = 0; index < length; index++) {
      if (index < 3) text(`${key}[${index}]`);
      else position += 8 + Number(file.readBigUInt64LE(position));
    }
  };
  const value = (key: string, type: number): void => {
    if (type === otherTypeIds.array) array(key);
    else if (type === otherTypeIds.string) text(key);
    else {
      const bytes = bytesOf(type);
      fields.push({ kind: "value", of: key, at: position, bytes });
      position += bytes;
    }
  };

  number("version", "the format", 4);
  const tensors = number("count", "tensors", 8);
  const keys = number("count", "keys", 8);
  for (let index = 0; index < keys; index++) {
    const key = text(`key ${index}`);
    value(key, number("type", key, 4));
  }
  for (let index = 0; index < tensors; index++) {
    const name = text(`the name of tensor ${index}`);
    const dimensions = number("dimensions", name, 4);
    for (let dimension = 0; dimension < dimensions; dimension++) number("length", name, 8);
    number("type", name, 4);
    number("offset", name, 8);
  }
  return { fields, headerBytes: position };
}
