import { isLosslessNumber, type LosslessNumber } from "lossless-json";

/** JSON value that keeps the notation of its numbers. */
export type LosslessJson =
  | null
  | boolean
  | string
  | LosslessNumber
  | readonly LosslessJson[]
  | { readonly [name: string]: LosslessJson }
  /** Members in document order; a JavaScript object would move names like `404` to the front. */
  | ReadonlyMap<string, LosslessJson>;

/** Members of an object in their order; `undefined` if the value is not an object. */
export function membersOf(
  value: LosslessJson,
): readonly (readonly [name: string, value: LosslessJson])[] | undefined {
  if (value === null || typeof value !== "object") return undefined;
  if (isArray(value) || isLosslessNumber(value)) return undefined;
  return value instanceof Map ? [...value] : Object.entries(value);
}

export function isArray(value: LosslessJson): value is readonly LosslessJson[] {
  return Array.isArray(value);
}

/** Converts a value to the result of `JSON.parse`. */
export function plainValue(value: LosslessJson): unknown {
  if (isLosslessNumber(value)) return Number(value.value);
  if (isArray(value)) return value.map(plainValue);
  const members = membersOf(value);
  if (members === undefined) return value;
  return Object.fromEntries(members.map(([name, member]) => [name, plainValue(member)]));
}
