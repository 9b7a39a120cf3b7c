/** Whether a parsed JSON value is an object: neither null nor an array. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A list whose items are created one by one as they are printed, so that a long list is never in
 * memory as a whole. An item may be created more than once. Printed as a JSON array.
 */
export class LazyList<Item> {
  readonly length: number;
  readonly itemAt: (index: number) => Item;

  constructor(length: number, itemAt: (index: number) => Item) {
    this.length = length;
    this.itemAt = itemAt;
  }

  /** Maps another list, lazily. */
  static from<Source, Item>(
    sources: ArrayLike<Source>,
    toItem: (source: Source, index: number) => Item,
  ): LazyList<Item> {
    return new LazyList(sources.length, (index) => toItem(sources[index] as Source, index));
  }

  toJSON(): Item[] {
    return Array.from({ length: this.length }, (_, index) => this.itemAt(index));
  }
}

/**
 * Source texts of parsed objects. Numbers that JavaScript cannot represent are intact only there.
 */
const texts = new WeakMap<object, string>();

/** Keeps the JSON text that an object was parsed from. */
export function keepText(object: object, text: string): void {
  texts.set(object, text);
}

/** Whether the source text of an object was kept. */
export function hasText(object: object): boolean {
  return texts.has(object);
}

/** Returns the JSON text of an object: its source text if that was kept, else its serialisation. */
export function toJsonText(object: object): string {
  return texts.get(object) ?? JSON.stringify(object);
}

/**
 * Parses an object and keeps its source text, which preserves integers beyond 2^53 and spellings
 * such as `1.0`.
 * @returns `undefined` if the text is not exactly one object
 */
export function parseKeepingText(text: string): Record<string, unknown> | undefined {
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

/** Puts a JSON text on one line. */
export function toOneLine(json: string): string {
  return json.replaceAll(LINE_BREAKS, " ");
}

/**
 * Prints a value as one line of JSON, using the source text of nested objects where it was kept.
 */
export function printJsonLine(value: unknown): string {
  if (value instanceof LazyList) return printJsonLine(value.toJSON());
  if (Array.isArray(value)) return `[${value.map(printJsonLine).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const text = texts.get(value);
  if (text !== undefined) return toOneLine(text);
  const members = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${printJsonLine(item)}`).join(",")}}`;
}

/**
 * Further characters that some client libraries, such as Python's `splitlines`, treat as line
 * breaks; JSON already escapes the other ones.
 */
const OTHER_LINE_BREAKS = /[\u0085\u2028\u2029]/g;

/** Escapes everything in a JSON text that any client may treat as a line break. */
export function escapeLineBreaks(json: string): string {
  return json.replaceAll(OTHER_LINE_BREAKS, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
