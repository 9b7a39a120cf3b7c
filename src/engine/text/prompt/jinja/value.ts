/** A number with a text, for floats printed as in Python and numbers printed as written. */
export class NumberLiteral {
  readonly value: number;
  readonly text: string;

  constructor(value: number, text: string) {
    this.value = value;
    this.text = text;
  }
}

/** Python's `dict`, in order of insertion. */
export interface Dictionary extends Map<Value, Value> {}

/** The result of `namespace()`: the only object whose attributes templates can assign. */
export class Namespace {
  readonly attributes: Dictionary;

  constructor(attributes: Dictionary) {
    this.attributes = attributes;
  }
}

/** Evaluated arguments of a call. */
export interface Arguments {
  readonly positional: readonly Value[];
  readonly keywords: ReadonlyMap<string, Value>;
}

export type Callable = (args: Arguments) => Value;

/**
 * `undefined` is Jinja's undefined, `null` is Python's `None`, and a JavaScript number is an
 * integer.
 */
export type Value =
  | undefined
  | null
  | boolean
  | string
  | number
  | NumberLiteral
  | Value[]
  | Dictionary
  | Namespace
  | Callable;

/** The template cannot be rendered with these variables, or raised an exception. */
export class TemplateError extends Error {}

export const NO_ARGUMENTS: Arguments = { positional: [], keywords: new Map() };

/** Returns an argument by position or, if there are fewer positional ones, by name. */
export function getArgument(args: Arguments, index: number, name: string): Value {
  return index < args.positional.length ? args.positional[index] : args.keywords.get(name);
}

export function isTruthy(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Map) return value.size > 0;
  if (value instanceof NumberLiteral) return value.value !== 0;
  return Boolean(value);
}

export function isNumber(value: Value): value is number | NumberLiteral {
  return typeof value === "number" || value instanceof NumberLiteral;
}

/** Returns whether a value is an integer. Unlike in Python, booleans are not. */
export function isInteger(value: Value): boolean {
  if (value instanceof NumberLiteral) return /^-?\d+$/.test(value.text);
  return typeof value === "number";
}

export function numberOf(value: number | NumberLiteral): number {
  return typeof value === "number" ? value : value.value;
}

/** Converts a boolean to a number, as Python does. */
export function withBooleanAsNumber(value: Value): Value {
  return typeof value === "boolean" ? Number(value) : value;
}

/** Creates a float that prints as in Python. */
export function float(value: number): NumberLiteral {
  return new NumberLiteral(value, formatFloat(value));
}

/**
 * Formats a float like Python, with an exponent in the same range: `2.0`, `-0.0`, `1e-05`, `1e+16`,
 * `inf`.
 */
function formatFloat(value: number): string {
  if (!Number.isFinite(value)) return String(value).toLowerCase().replace("infinity", "inf");
  if (Object.is(value, -0)) return "-0.0";
  const size = Math.abs(value);
  if (size >= 1e16 || (size < 1e-4 && size > 0)) {
    return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  }
  const text = String(value);
  return text.includes(".") ? text : `${text}.0`;
}

export function isEqual(a: Value, b: Value): boolean {
  const [left, right] = [withBooleanAsNumber(a), withBooleanAsNumber(b)];
  if (isNumber(left) && isNumber(right)) {
    return haveSameText(left, right) || numberOf(left) === numberOf(right);
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => isEqual(item, right[index]));
  }
  if (left instanceof Map && right instanceof Map) {
    if (left.size !== right.size) return false;
    return [...left].every(([key, item]) => right.has(key) && isEqual(item, right.get(key)));
  }
  return left === right;
}

function haveSameText(left: number | NumberLiteral, right: number | NumberLiteral): boolean {
  const bothWritten = left instanceof NumberLiteral && right instanceof NumberLiteral;
  return bothWritten && left.text === right.text;
}

/** @throws {TemplateError} the values have no order */
export function compare(left: Value, right: Value, caseSensitive: boolean): number {
  if (isNumber(left) && isNumber(right)) return numberOf(left) - numberOf(right);
  if (typeof left !== "string" || typeof right !== "string") {
    throw new TemplateError(`${typeNameOf(left)} and ${typeNameOf(right)} cannot be compared`);
  }
  const [a, b] = caseSensitive ? [left, right] : [left.toLowerCase(), right.toLowerCase()];
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Returns Python's name of a value's type, for messages. */
export function typeNameOf(value: Value): string {
  if (value === undefined) return "undefined";
  if (value === null) return "None";
  if (Array.isArray(value)) return "list";
  if (value instanceof Map) return "dict";
  if (value instanceof Namespace) return "namespace";
  if (isNumber(value)) return isInteger(value) ? "int" : "float";
  if (typeof value === "boolean") return "bool";
  return typeof value === "string" ? "str" : "function";
}

/** Returns the items that a template iterates over; none for undefined, as in Jinja. */
export function itemsOf(value: Value): Value[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  if (value instanceof Map) return [...value.keys()];
  if (typeof value === "string") return [...value];
  throw new TemplateError(`${typeNameOf(value)} is not iterable`);
}

/** Returns the output of `{{ value }}`, as Python's `str`. */
export function formatValue(value: Value): string {
  if (typeof value === "string") return value;
  return value === undefined ? "" : formatRepr(value);
}

/** Returns Python's `repr`, used for members of lists and dictionaries. */
function formatRepr(value: Value): string {
  if (typeof value === "string") return quoteText(value);
  if (value === undefined) return "Undefined";
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (isNumber(value)) return typeof value === "number" ? String(value) : value.text;
  if (Array.isArray(value)) return `[${value.map(formatRepr).join(", ")}]`;
  if (value instanceof Map) return formatMapRepr(value);
  return value instanceof Namespace ? formatMapRepr(value.attributes) : "<function>";
}

function formatMapRepr(entries: ReadonlyMap<Value, Value>): string {
  const pairs = [...entries].map(([key, item]) => `${formatRepr(key)}: ${formatRepr(item)}`);
  return `{${pairs.join(", ")}}`;
}

const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Characters that Python does not consider printable, and the space, which it does. */
const UNPRINTABLE_OR_SPACE = /[\p{C}\p{Z}]/gu;

/** Quotes a text with single quotes, unless it contains those but no double quotes. */
function quoteText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replaceAll("\\", "\\\\").replace(UNPRINTABLE_OR_SPACE, (character) => {
    return character === " " ? character : (ESCAPES[character] ?? escapeCodePoint(character));
  });
  return quote + (quote === "'" ? escaped.replaceAll("'", "\\'") : escaped) + quote;
}

/** Escapes a character as `\x1b`, `\u2028` or `\U000e0001`. */
function escapeCodePoint(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  if (code.length <= 2) return `\\x${code.padStart(2, "0")}`;
  return code.length <= 4 ? `\\u${code.padStart(4, "0")}` : `\\U${code.padStart(8, "0")}`;
}
