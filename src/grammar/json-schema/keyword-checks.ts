import { UnsupportedGrammar } from "../errors.js";
import { isJsonObject, type SchemaPlace } from "./schema-document.js";

/** Keywords that constrain values but are not supported. */
const UNSUPPORTED: ReadonlySet<string> = new Set([
  "$dynamicRef",
  "$recursiveRef",
  "disallow",
  "divisibleBy",
  "extends",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/**
 * Rejects unsupported keywords. Unknown ones are annotations and are ignored.
 * @throws {UnsupportedGrammar}
 */
export function checkKeywords(place: SchemaPlace, schema: Readonly<Record<string, unknown>>): void {
  for (const keyword of Object.keys(schema)) {
    if (UNSUPPORTED.has(keyword)) throw createKeywordError(place, keyword);
  }
}

export function createKeywordError({ path }: SchemaPlace, keyword: string): UnsupportedGrammar {
  return new UnsupportedGrammar([...path, keyword], "this keyword is not supported");
}

/** @throws {UnsupportedGrammar} */
export function expectObject({ schema, path }: SchemaPlace): Readonly<Record<string, unknown>> {
  if (isJsonObject(schema)) return schema;
  throw new UnsupportedGrammar(path, `expected a schema, got ${JSON.stringify(schema)}`);
}

/** @throws {UnsupportedGrammar} */
export function expectArray(
  place: SchemaPlace,
  keyword: string,
  value: unknown,
): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw createValueError(place, keyword, "an array", value);
}

/** @throws {UnsupportedGrammar} */
export function expectRecord(
  place: SchemaPlace,
  keyword: string,
  value: unknown,
): Readonly<Record<string, unknown>> {
  if (isJsonObject(value)) return value;
  throw createValueError(place, keyword, "an object", value);
}

/** @throws {UnsupportedGrammar} */
export function expectStrings(
  place: SchemaPlace,
  keyword: string,
  value: unknown,
): readonly string[] {
  const list = expectArray(place, keyword, value);
  const strings = list.filter((item) => typeof item === "string");
  if (strings.length === list.length) return strings;
  throw createValueError(place, keyword, "an array of strings", value);
}

/** @throws {UnsupportedGrammar} */
export function expectString(place: SchemaPlace, keyword: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw createValueError(place, keyword, "a string", value);
}

/**
 * Reads a count; `undefined` if the keyword is absent.
 * @throws {UnsupportedGrammar}
 */
export function parseCount(
  place: SchemaPlace,
  schema: Readonly<Record<string, unknown>>,
  keyword: string,
): number | undefined {
  const value = schema[keyword];
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw createValueError(place, keyword, "a non-negative integer", value);
}

export function createValueError(
  { path }: SchemaPlace,
  keyword: string,
  expected: string,
  got: unknown,
): UnsupportedGrammar {
  const gotText = JSON.stringify(got) ?? String(got);
  const shortText = gotText.length > 60 ? `${gotText.slice(0, 60)}…` : gotText;
  return new UnsupportedGrammar([...path, keyword], `expected ${expected}, got ${shortText}`);
}
