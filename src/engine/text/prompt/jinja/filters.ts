import { type JsonStyle, parseJson, toJson } from "./json.js";
import { capitalizeText, getAttribute, replace, reverseText, strip } from "./members.js";
import { findTest } from "./tests.js";
import {
  type Arguments,
  compare,
  float,
  formatValue,
  getArgument,
  isEqual,
  isNumber,
  isTruthy,
  itemsOf,
  NO_ARGUMENTS,
  numberOf,
  TemplateError,
  typeNameOf,
  type Value,
} from "./value.js";

type Filter = (value: Value, args: Arguments) => Value;

const filters: Readonly<Record<string, Filter>> = {
  abs: (value) => (isNumber(value) ? toAbsolute(value) : value),
  capitalize: (value) => capitalizeText(formatValue(value)),
  count: (value) => lengthOf(value),
  d: (value, args) => withDefault(value, args),
  default: (value, args) => withDefault(value, args),
  dictsort: (value, args) => sortEntries(value, args),
  first: (value) => itemsOf(value)[0],
  float: (value, args) => toFloat(value, args),
  from_json: (value) => parseJson(formatValue(value), (text) => text),
  indent: (value, args) => indentText(formatValue(value), args),
  int: (value, args) => toInteger(value, args),
  items: (value) => toEntries(value),
  join: (value, args) => joinItems(itemsOf(value), args),
  last: (value) => itemsOf(value).at(-1),
  length: (value) => lengthOf(value),
  list: (value) => [...itemsOf(value)],
  lower: (value) => formatValue(value).toLowerCase(),
  map: (value, args) => mapItems(itemsOf(value), args),
  max: (value) => sortItems(itemsOf(value), NO_ARGUMENTS).at(-1),
  min: (value) => sortItems(itemsOf(value), NO_ARGUMENTS)[0],
  reject: (value, args) => itemsOf(value).filter((item) => !passes(item, args, 0)),
  rejectattr: (value, args) => selectByAttribute(value, args, false),
  replace: (value, args) => replace(formatValue(value), args),
  reverse: (value) =>
    typeof value === "string" ? reverseText(value) : itemsOf(value).toReversed(),
  safe: (value) => value,
  select: (value, args) => itemsOf(value).filter((item) => passes(item, args, 0)),
  selectattr: (value, args) => selectByAttribute(value, args, true),
  sort: (value, args) => sortItems(itemsOf(value), args),
  string: (value) => formatValue(value),
  title: (value) => capitalizeWords(formatValue(value)),
  tojson: (value, args) => toJson(value, parseJsonStyle(args)),
  trim: (value, args) => strip(formatValue(value), args),
  unique: (value, args) => removeDuplicates(itemsOf(value), args),
  upper: (value) => formatValue(value).toUpperCase(),
};

/** @throws {TemplateError} the filter does not exist */
export function findFilter(name: string): Filter {
  const filter = Object.hasOwn(filters, name) ? filters[name] : undefined;
  if (filter === undefined) throw new TemplateError(`No filter named '${name}'`);
  return filter;
}

function toAbsolute(value: Parameters<typeof numberOf>[0]): Value {
  const positive = Math.abs(numberOf(value));
  return typeof value === "number" ? positive : float(positive);
}

function lengthOf(value: Value): number {
  if (typeof value === "string") return [...value].length;
  return value instanceof Map ? value.size : itemsOf(value).length;
}

function withDefault(value: Value, args: Arguments): Value {
  const isReplaced =
    value === undefined || (isTruthy(getArgument(args, 1, "boolean")) && !isTruthy(value));
  return isReplaced ? (getArgument(args, 0, "default_value") ?? "") : value;
}

/**
 * Capitalises words. Unlike in `str.title`, they begin after white space, a hyphen or an opening
 * bracket.
 */
function capitalizeWords(text: string): string {
  return text
    .split(/([-\s({[<]+)/)
    .map(capitalizeText)
    .join("");
}

function toInteger(value: Value, args: Arguments): Value {
  const number = isNumber(value) ? numberOf(value) : Number.parseInt(formatValue(value), 10);
  if (typeof value === "boolean") return Number(value);
  return Number.isNaN(number) ? (getArgument(args, 0, "default") ?? 0) : Math.trunc(number);
}

function toFloat(value: Value, args: Arguments): Value {
  const number = isNumber(value) ? numberOf(value) : Number.parseFloat(formatValue(value));
  return Number.isNaN(number) ? (getArgument(args, 0, "default") ?? float(0)) : float(number);
}

function toEntries(value: Value): Value[] {
  if (value === undefined) return [];
  if (value instanceof Map) return [...value].map(([key, item]) => [key, item]);
  throw new TemplateError(`items expects a dictionary, got ${typeNameOf(value)}`);
}

function joinItems(items: readonly Value[], args: Arguments): string {
  const path = getArgument(args, 1, "attribute");
  const members = path === undefined ? items : items.map((item) => getAttributeAt(item, path));
  return members.map(formatValue).join(formatValue(getArgument(args, 0, "d")));
}

/** Returns the attribute at a dotted path. */
function getAttributeAt(value: Value, path: Value): Value {
  return formatValue(path)
    .split(".")
    .reduce<Value>((object, name) => {
      return (
        getAttribute(object, name) ?? (Array.isArray(object) ? object[Number(name)] : undefined)
      );
    }, value);
}

/** Implements `map(attribute="name")` and `map("filter", …)`. */
function mapItems(items: readonly Value[], { positional, keywords }: Arguments): Value[] {
  const path = keywords.get("attribute");
  if (path !== undefined) {
    return items.map((item) => getAttributeAt(item, path) ?? keywords.get("default"));
  }
  const filter = findFilter(formatValue(positional[0]));
  return items.map((item) => filter(item, { positional: positional.slice(1), keywords }));
}

/**
 * Returns whether a value passes the test whose name and operand begin at an argument; truthiness
 * by default.
 */
function passes(value: Value, { positional }: Arguments, index: number): boolean {
  const name = positional[index];
  if (name === undefined) return isTruthy(value);
  return findTest(formatValue(name))(value, positional[index + 1]);
}

function selectByAttribute(value: Value, args: Arguments, expected: boolean): Value[] {
  if (value === null) return [];
  return itemsOf(value).filter(
    (item) => passes(getAttributeAt(item, args.positional[0]), args, 1) === expected,
  );
}

function sortItems(items: readonly Value[], args: Arguments): Value[] {
  const direction = isTruthy(getArgument(args, 0, "reverse")) ? -1 : 1;
  const exact = isTruthy(getArgument(args, 1, "case_sensitive"));
  const path = getArgument(args, 2, "attribute");
  const keyedItems = items.map((item) => ({
    item,
    key: path === undefined ? item : getAttributeAt(item, path),
  }));
  keyedItems.sort((a, b) => direction * compare(a.key, b.key, exact));
  return keyedItems.map(({ item }) => item);
}

function sortEntries(value: Value, args: Arguments): Value[] {
  const exact = isTruthy(getArgument(args, 0, "case_sensitive"));
  const index = getArgument(args, 1, "by") === "value" ? 1 : 0;
  const direction = isTruthy(getArgument(args, 2, "reverse")) ? -1 : 1;
  const entries = value instanceof Map ? [...value] : [];
  entries.sort((a, b) => direction * compare(a[index], b[index], exact));
  return entries;
}

function removeDuplicates(items: readonly Value[], args: Arguments): Value[] {
  const exact = isTruthy(getArgument(args, 0, "case_sensitive"));
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

function indentText(text: string, args: Arguments): string {
  const width = getArgument(args, 0, "width") ?? 4;
  const margin = isNumber(width) ? " ".repeat(numberOf(width)) : formatValue(width);
  const first = isTruthy(getArgument(args, 1, "first"));
  const blank = isTruthy(getArgument(args, 2, "blank"));
  const lines = text.split("\n").map((line, index) => {
    const isKept = index === 0 ? !first : line === "" && !blank;
    return isKept ? line : margin + line;
  });
  return lines.join("\n");
}

function parseJsonStyle(args: Arguments): JsonStyle {
  const indent = getArgument(args, 1, "indent");
  const separators = getArgument(args, 2, "separators");
  const [item, key] = Array.isArray(separators) ? separators : [];
  return {
    ensureAscii: isTruthy(getArgument(args, 0, "ensure_ascii")),
    ...(isNumber(indent) && { indent: numberOf(indent) }),
    ...(item !== undefined && { itemSeparator: formatValue(item) }),
    ...(key !== undefined && { keySeparator: formatValue(key) }),
    sortKeys: isTruthy(getArgument(args, 3, "sort_keys")),
  };
}
