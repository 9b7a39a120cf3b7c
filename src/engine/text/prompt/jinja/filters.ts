import { type JsonStyle, parseJson, toJson } from "./json.js";
import { attribute, capitalized, replace, reversed, strip } from "./members.js";
import { testNamed } from "./tests.js";
import {
  type Arguments,
  argument,
  compare,
  float,
  isEqual,
  isNumber,
  isTruthy,
  itemsOf,
  NO_ARGUMENTS,
  numberOf,
  printed,
  TemplateError,
  typeName,
  type Value,
} from "./value.js";

type Filter = (value: Value, args: Arguments) => Value;

const filters: Readonly<Record<string, Filter>> = {
  abs: (value) => (isNumber(value) ? absolute(value) : value),
  capitalize: (value) => capitalized(printed(value)),
  count: (value) => lengthOf(value),
  d: (value, args) => orDefault(value, args),
  default: (value, args) => orDefault(value, args),
  dictsort: (value, args) => sortedEntries(value, args),
  first: (value) => itemsOf(value)[0],
  float: (value, args) => toFloat(value, args),
  from_json: (value) => parseJson(printed(value), (text) => text),
  indent: (value, args) => indented(printed(value), args),
  int: (value, args) => toInteger(value, args),
  items: (value) => toEntries(value),
  join: (value, args) => joined(itemsOf(value), args),
  last: (value) => itemsOf(value).at(-1),
  length: (value) => lengthOf(value),
  list: (value) => [...itemsOf(value)],
  lower: (value) => printed(value).toLowerCase(),
  map: (value, args) => mapped(itemsOf(value), args),
  max: (value) => sorted(itemsOf(value), NO_ARGUMENTS).at(-1),
  min: (value) => sorted(itemsOf(value), NO_ARGUMENTS)[0],
  reject: (value, args) => itemsOf(value).filter((item) => !passes(item, args, 0)),
  rejectattr: (value, args) => selectedByAttribute(value, args, false),
  replace: (value, args) => replace(printed(value), args),
  reverse: (value) => (typeof value === "string" ? reversed(value) : itemsOf(value).toReversed()),
  safe: (value) => value,
  select: (value, args) => itemsOf(value).filter((item) => passes(item, args, 0)),
  selectattr: (value, args) => selectedByAttribute(value, args, true),
  sort: (value, args) => sorted(itemsOf(value), args),
  string: (value) => printed(value),
  title: (value) => wordsCapitalized(printed(value)),
  tojson: (value, args) => toJson(value, jsonStyle(args)),
  trim: (value, args) => strip(printed(value), args),
  unique: (value, args) => unique(itemsOf(value), args),
  upper: (value) => printed(value).toUpperCase(),
};

/** @throws {TemplateError} the filter does not exist */
export function filterNamed(name: string): Filter {
  const filter = Object.hasOwn(filters, name) ? filters[name] : undefined;
  if (filter === undefined) throw new TemplateError(`No filter named '${name}'`);
  return filter;
}

function absolute(value: Parameters<typeof numberOf>[0]): Value {
  const positive = Math.abs(numberOf(value));
  return typeof value === "number" ? positive : float(positive);
}

function lengthOf(value: Value): number {
  if (typeof value === "string") return [...value].length;
  return value instanceof Map ? value.size : itemsOf(value).length;
}

function orDefault(value: Value, args: Arguments): Value {
  const replaces =
    value === undefined || (isTruthy(argument(args, 1, "boolean")) && !isTruthy(value));
  return replaces ? (argument(args, 0, "default_value") ?? "") : value;
}

/**
 * Capitalises words. Unlike in `str.title`, they begin after white space, a hyphen or an opening
 * bracket.
 */
function wordsCapitalized(text: string): string {
  return text
    .split(/([-\s({[<]+)/)
    .map(capitalized)
    .join("");
}

function toInteger(value: Value, args: Arguments): Value {
  const number = isNumber(value) ? numberOf(value) : Number.parseInt(printed(value), 10);
  if (typeof value === "boolean") return Number(value);
  return Number.isNaN(number) ? (argument(args, 0, "default") ?? 0) : Math.trunc(number);
}

function toFloat(value: Value, args: Arguments): Value {
  const number = isNumber(value) ? numberOf(value) : Number.parseFloat(printed(value));
  return Number.isNaN(number) ? (argument(args, 0, "default") ?? float(0)) : float(number);
}

function toEntries(value: Value): Value[] {
  if (value === undefined) return [];
  if (value instanceof Map) return [...value].map(([key, item]) => [key, item]);
  throw new TemplateError(`items expects a dictionary, got ${typeName(value)}`);
}

function joined(items: readonly Value[], args: Arguments): string {
  const path = argument(args, 1, "attribute");
  const members = path === undefined ? items : items.map((item) => attributeAt(item, path));
  return members.map(printed).join(printed(argument(args, 0, "d")));
}

/** Returns the attribute at a dotted path. */
function attributeAt(value: Value, path: Value): Value {
  return printed(path)
    .split(".")
    .reduce<Value>((object, name) => {
      return attribute(object, name) ?? (Array.isArray(object) ? object[Number(name)] : undefined);
    }, value);
}

/** Implements `map(attribute="name")` and `map("filter", …)`. */
function mapped(items: readonly Value[], { positional, keywords }: Arguments): Value[] {
  const path = keywords.get("attribute");
  if (path !== undefined) {
    return items.map((item) => attributeAt(item, path) ?? keywords.get("default"));
  }
  const filter = filterNamed(printed(positional[0]));
  return items.map((item) => filter(item, { positional: positional.slice(1), keywords }));
}

/**
 * Returns whether a value passes the test whose name and operand begin at an argument; truthiness
 * by default.
 */
function passes(value: Value, { positional }: Arguments, index: number): boolean {
  const name = positional[index];
  if (name === undefined) return isTruthy(value);
  return testNamed(printed(name))(value, positional[index + 1]);
}

function selectedByAttribute(value: Value, args: Arguments, wanted: boolean): Value[] {
  if (value === null) return [];
  return itemsOf(value).filter(
    (item) => passes(attributeAt(item, args.positional[0]), args, 1) === wanted,
  );
}

function sorted(items: readonly Value[], args: Arguments): Value[] {
  const direction = isTruthy(argument(args, 0, "reverse")) ? -1 : 1;
  const exact = isTruthy(argument(args, 1, "case_sensitive"));
  const path = argument(args, 2, "attribute");
  const keyed = items.map((item) => ({
    item,
    key: path === undefined ? item : attributeAt(item, path),
  }));
  keyed.sort((a, b) => direction * compare(a.key, b.key, exact));
  return keyed.map(({ item }) => item);
}

function sortedEntries(value: Value, args: Arguments): Value[] {
  const exact = isTruthy(argument(args, 0, "case_sensitive"));
  const index = argument(args, 1, "by") === "value" ? 1 : 0;
  const direction = isTruthy(argument(args, 2, "reverse")) ? -1 : 1;
  const entries = value instanceof Map ? [...value] : [];
  entries.sort((a, b) => direction * compare(a[index], b[index], exact));
  return entries;
}

function unique(items: readonly Value[], args: Arguments): Value[] {
  const exact = isTruthy(argument(args, 0, "case_sensitive"));
  const seen = new Set<Value>();
  const structures: Value[] = [];
  return items.filter((item) => {
    if (typeof item === "string" && !exact) return seen.size < seen.add(item.toLowerCase()).size;
    if (typeof item !== "object" || item === null) return seen.size < seen.add(item).size;
    if (structures.some((other) => isEqual(other, item))) return false;
    structures.push(item);
    return true;
  });
}

function indented(text: string, args: Arguments): string {
  const width = argument(args, 0, "width") ?? 4;
  const margin = isNumber(width) ? " ".repeat(numberOf(width)) : printed(width);
  const first = isTruthy(argument(args, 1, "first"));
  const blank = isTruthy(argument(args, 2, "blank"));
  const lines = text.split("\n").map((line, index) => {
    const kept = index === 0 ? !first : line === "" && !blank;
    return kept ? line : margin + line;
  });
  return lines.join("\n");
}

function jsonStyle(args: Arguments): JsonStyle {
  const indent = argument(args, 1, "indent");
  const separators = argument(args, 2, "separators");
  const [item, key] = Array.isArray(separators) ? separators : [];
  return {
    ensureAscii: isTruthy(argument(args, 0, "ensure_ascii")),
    ...(isNumber(indent) && { indent: numberOf(indent) }),
    ...(item !== undefined && { itemSeparator: printed(item) }),
    ...(key !== undefined && { keySeparator: printed(key) }),
    sortKeys: isTruthy(argument(args, 3, "sort_keys")),
  };
}
