import { isJsonObject } from "./json-object.js";
import { LazyList } from "./lazy-list.js";

/** Texts of parsed objects. What JavaScript's numbers cannot hold is only there. */
const texts = new WeakMap<object, string>();

/** Keeps the JSON text that an object was parsed from. */
export function keepText(object: object, text: string): void {
  texts.set(object, text);
}

/** Whether the text of an object was kept. */
export function hasText(object: object): boolean {
  return texts.has(object);
}

/** The JSON text of an object: the one that it was written in, if that was kept. */
export function writtenText(object: object): string {
  return texts.get(object) ?? JSON.stringify(object);
}

/**
 * Parses an object that is printed as it was written: integers beyond 2^53 and spellings such as `1.0`.
 * @returns `undefined`: the text is not the whole of one object
 */
export function writtenObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value)) return undefined;
    keepText(value, text);
    return value;
  } catch {
    return undefined;
  }
}

/** Line breaks outside strings; those inside are escaped. */
const LINE_BREAKS = /[\n\r]/g;

/** Prints a value as JSON in one line, and objects inside it whose text was kept as they were written. */
export function printWritten(value: unknown): string {
  if (value instanceof LazyList) return printWritten(value.toJSON());
  if (Array.isArray(value)) return `[${value.map(printWritten).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const text = texts.get(value);
  if (text !== undefined) return text.replaceAll(LINE_BREAKS, " ");
  const members = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${printWritten(item)}`).join(",")}}`;
}
