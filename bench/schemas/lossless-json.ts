import { isLosslessNumber, type LosslessNumber } from "lossless-json";

/** A JSON value whose numbers are kept as they are written. */
export type LosslessJson =
  | null
  | boolean
  | string
  | LosslessNumber
  | readonly LosslessJson[]
  | { readonly [name: string]: LosslessJson }
  /** Members in an order of their own: JavaScript's objects begin with names like `404`. */
  | ReadonlyMap<string, LosslessJson>;

/** The members of an object in their order; `undefined`: the value is none. */
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

/** The value as `JSON.parse` returns it. */
export function plainValue(value: LosslessJson): unknown {
  if (isLosslessNumber(value)) return Number(value.value);
  if (isArray(value)) return value.map(plainValue);
  const members = membersOf(value);
  if (members === undefined) return value;
  return Object.fromEntries(members.map(([name, member]) => [name, plainValue(member)]));
}
