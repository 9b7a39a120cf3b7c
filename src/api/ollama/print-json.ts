import { isJsonObject } from "../../core/json-object.js";

const JSON_TEXT = Symbol("JSON text");

/** A JSON object that is printed as the text that it was written in. */
export interface WrittenObject {
  readonly [JSON_TEXT]: string;
}

/**
 * Keeps an object's text as it is: numbers that JavaScript has no number for, and their spelling.
 * @returns `undefined`: the text is not the whole of one object
 */
export function writtenObject(text: string): (WrittenObject & Record<string, unknown>) | undefined {
  try {
    return isJsonObject(JSON.parse(text)) ? { [JSON_TEXT]: text } : undefined;
  } catch {
    return undefined;
  }
}

/** Line breaks outside strings; those inside are escaped. */
const LINE_BREAKS = /[\n\r]/g;
/** What some clients' libraries take for a line break, too: Python's `splitlines`. */
const OTHER_LINE_BREAKS = /[\u0085\u2028\u2029]/g;

/** Prints a value as JSON in one line. Written objects are in the text that they were written in. */
export function printJson(value: object): string {
  return print(value).replaceAll(OTHER_LINE_BREAKS, escaped);
}

function print(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(print).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  if (JSON_TEXT in value) return String(value[JSON_TEXT]).replaceAll(LINE_BREAKS, " ");
  const members = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${print(item)}`).join(",")}}`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
