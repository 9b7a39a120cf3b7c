import { isDeepStrictEqual } from "node:util";
import { isLosslessNumber } from "lossless-json";
import { isJsonObject } from "../../src/core/json.js";
import { isArray, type LosslessJson, membersOf, plainValue } from "./lossless-json.js";

export type Schema = Readonly<Record<string, unknown>>;

/** Resolves a schema reference. */
export type Resolve = (reference: string) => unknown;

/** Maximum depth to which references and combinations are followed. */
const MAX_DEPTH = 8;

/**
 * Whether a value may satisfy a schema, judging by types, enumerated values, patterns and property
 * names. This is enough to find the branch of a schema that an instance was written for.
 */
export function couldSatisfy(
  value: LosslessJson,
  schema: unknown,
  resolve: Resolve,
  depth = 0,
): boolean {
  if (schema === false) return false;
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return true;
  const could = (part: unknown) => couldSatisfy(value, part, resolve, depth + 1);
  const { $ref, allOf, anyOf, oneOf } = schema;
  return (
    hasType(value, schema) &&
    isListed(value, schema) &&
    matchesPattern(value, schema) &&
    hasNames(value, schema) &&
    membersCould(value, schema, resolve, depth) &&
    (typeof $ref !== "string" || could(resolve($ref))) &&
    partsOf(allOf).every(could) &&
    [anyOf, oneOf].every((list) => list === undefined || partsOf(list).some(could))
  );
}

function partsOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}

function hasType(value: LosslessJson, { type }: Schema): boolean {
  if (type === undefined) return true;
  return (Array.isArray(type) ? type : [type]).includes(typeOf(value)) || isInteger(value, type);
}

function typeOf(value: LosslessJson): string {
  if (value === null) return "null";
  if (isArray(value)) return "array";
  if (isLosslessNumber(value)) return "number";
  return typeof value;
}

function isInteger(value: LosslessJson, type: unknown): boolean {
  const isAsked = Array.isArray(type) ? type.includes("integer") : type === "integer";
  return isAsked && isLosslessNumber(value) && Number.isInteger(Number(value.value));
}

function isListed(value: LosslessJson, schema: Schema): boolean {
  const plain = plainValue(value);
  const { enum: list } = schema;
  if (Array.isArray(list) && !list.some((one) => isDeepStrictEqual(one, plain))) return false;
  return schema.const === undefined || isDeepStrictEqual(schema.const, plain);
}

function matchesPattern(value: LosslessJson, { pattern }: Schema): boolean {
  return typeof value !== "string" || typeof pattern !== "string" || matches(pattern, value);
}

function hasNames(value: LosslessJson, schema: Schema): boolean {
  const members = membersOf(value);
  if (members === undefined) return true;
  const names = members.map(([name]) => name);
  const { required, properties, patternProperties, additionalProperties } = schema;
  if (Array.isArray(required) && !required.every((name) => names.includes(name))) return false;
  if (additionalProperties !== false) return true;
  const patterns = Object.keys(isJsonObject(patternProperties) ? patternProperties : {});
  return names.every(
    (name) =>
      (isJsonObject(properties) && Object.hasOwn(properties, name)) ||
      patterns.some((pattern) => matches(pattern, name)),
  );
}

function membersCould(
  value: LosslessJson,
  { properties }: Schema,
  resolve: Resolve,
  depth: number,
): boolean {
  if (!isJsonObject(properties)) return true;
  return (membersOf(value) ?? []).every(
    ([name, member]) =>
      !Object.hasOwn(properties, name) ||
      couldSatisfy(member, properties[name], resolve, depth + 1),
  );
}

/** Whether a pattern occurs in a text; false for an invalid pattern. */
export function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return false;
  }
}
