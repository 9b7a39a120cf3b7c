import {
  type Dictionary,
  formatValue,
  isNumber,
  Namespace,
  NumberLiteral,
  TemplateError,
  typeNameOf,
  type Value,
} from "./value.js";

/** Options of `tojson`, as in Python's `json.dumps`. */
export interface JsonStyle {
  /** Spaces per level; absent for a single line. */
  readonly indent?: number;
  readonly itemSeparator?: string;
  readonly keySeparator?: string;
  readonly ensureAscii?: boolean;
  readonly sortKeys?: boolean;
}

/**
 * Serialises a value as JSON. Numbers are printed as they were written.
 * @throws {TemplateError} for a function
 */
export function toJson(value: Value, style: JsonStyle = {}, depth = 0): string {
  if (value === undefined || value === null) return "null";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "string") return encodeString(value, style);
  if (isNumber(value)) return formatValue(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => toJson(item, style, depth + 1));
    return encloseItems("[", items, "]", style, depth);
  }
  const entries = value instanceof Namespace ? value.attributes : value;
  if (!(entries instanceof Map)) throw new TemplateError(`${typeNameOf(value)} is not JSON`);
  const members = [...entries].map(([key, item]) => ({ key: toKeyText(key), item }));
  if (style.sortKeys) members.sort((a, b) => (a.key < b.key ? -1 : 1));
  const printedMembers = members.map(
    ({ key, item }) =>
      encodeString(key, style) + (style.keySeparator ?? ": ") + toJson(item, style, depth + 1),
  );
  return encloseItems("{", printedMembers, "}", style, depth);
}

/** Converts a key to text: keys that are not strings are printed as JSON first. */
function toKeyText(key: Value): string {
  return key === null || typeof key === "boolean" ? String(key) : formatValue(key);
}

function encodeString(text: string, { ensureAscii }: JsonStyle): string {
  const json = JSON.stringify(text);
  if (!ensureAscii) return json;
  return json.replace(/[\u007f-\uffff]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function encloseItems(
  open: string,
  items: readonly string[],
  close: string,
  { indent, itemSeparator }: JsonStyle,
  depth: number,
): string {
  if (items.length === 0) return open + close;
  if (indent === undefined) return open + items.join(itemSeparator ?? ", ") + close;
  const line = `\n${" ".repeat(indent * depth)}`;
  const inner = line + " ".repeat(indent);
  return open + inner + items.join((itemSeparator ?? ",") + inner) + line + close;
}

/** Creates a number that prints as it was written. */
export function createNumber(text: string): number | NumberLiteral {
  const value = Number(text);
  return Number.isSafeInteger(value) && String(value) === text
    ? value
    : new NumberLiteral(value, text);
}

/** A structural character, the opening quote of a string, a number or a keyword. */
const TOKEN = /[\s]*(?:([[\]{},:"])|(-?\d[\d.eE+-]*)|(true|false|null))/y;

/**
 * Parses JSON. Unlike with `JSON.parse`, numbers keep their text and members their order. The
 * caller must bound the nesting.
 * @param mapText applied to every string and key
 * @throws {SyntaxError} the text is not JSON
 */
export function parseJson(json: string, mapText: (text: string) => string): Value {
  // Throws on invalid JSON, because `JsonReader` only reads valid JSON.
  JSON.parse(json);
  return new JsonReader(json, mapText).readValue();
}

/** Reads valid JSON. */
class JsonReader {
  readonly #json: string;
  readonly #mapText: (text: string) => string;
  #position = 0;

  constructor(json: string, mapText: (text: string) => string) {
    this.#json = json;
    this.#mapText = mapText;
  }

  readValue(): Value {
    return this.#parseToken(this.#readToken());
  }

  #parseToken(token: string): Value {
    switch (token) {
      case "[":
        return this.#readItems();
      case "{":
        return this.#readMembers();
      case '"':
        return this.#readText();
      case "null":
        return null;
      case "true":
      case "false":
        return token === "true";
      default:
        return createNumber(token);
    }
  }

  #readItems(): Value[] {
    const items: Value[] = [];
    for (let token = this.#readToken(); token !== "]"; token = this.#readToken()) {
      items.push(token === "," ? this.readValue() : this.#parseToken(token));
    }
    return items;
  }

  #readMembers(): Dictionary {
    const members: Dictionary = new Map();
    for (let token = this.#readToken(); token !== "}"; token = this.#readToken()) {
      if (token === ",") this.#readToken();
      const key = this.#readText();
      this.#readToken();
      members.set(key, this.readValue());
    }
    return members;
  }

  #readToken(): string {
    TOKEN.lastIndex = this.#position;
    const [, mark, number, word] = TOKEN.exec(this.#json) ?? [];
    this.#position = TOKEN.lastIndex;
    return mark ?? number ?? word ?? "";
  }

  /** Reads a string whose opening quote has been consumed. */
  #readText(): string {
    const start = this.#position;
    let end = this.#json.indexOf('"', start);
    while (isEscaped(this.#json, start, end)) end = this.#json.indexOf('"', end + 1);
    this.#position = end + 1;
    const text = this.#json.slice(start, end);
    return this.#mapText(text.includes("\\") ? String(JSON.parse(`"${text}"`)) : text);
  }
}

/** Returns whether an odd number of backslashes precedes a position. */
function isEscaped(json: string, start: number, position: number): boolean {
  let backslashes = 0;
  while (position - backslashes > start && json[position - backslashes - 1] === "\\") backslashes++;
  return backslashes % 2 === 1;
}

/**
 * Converts plain data to a template value.
 * @param mapText applied to every string and key
 */
export function toValue(data: unknown, mapText: (text: string) => string): Value {
  if (typeof data === "string") return mapText(data);
  if (typeof data === "number") return createNumber(String(data));
  if (typeof data === "boolean" || data === null) return data;
  if (Array.isArray(data)) return data.map((item) => toValue(item, mapText));
  if (typeof data !== "object") return undefined;
  return new Map(Object.entries(data).map(([key, item]) => [mapText(key), toValue(item, mapText)]));
}
