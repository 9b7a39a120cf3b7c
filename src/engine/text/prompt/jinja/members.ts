import {
  type Arguments,
  type Callable,
  type Dictionary,
  formatValue,
  getArgument,
  isNumber,
  itemsOf,
  Namespace,
  NO_ARGUMENTS,
  numberOf,
  TemplateError,
  typeNameOf,
  type Value,
} from "./value.js";

/**
 * Evaluates `object.name` in Python's order, so that the methods of a dictionary hide its members
 * of the same name. A member that does not exist is undefined, also of an undefined object.
 */
export function getAttribute(object: Value, name: string): Value {
  return getMethod(object, name) ?? getItem(object, name);
}

/** Evaluates `object[key]`: the member if there is one, otherwise the method of that name. */
export function getSubscript(object: Value, key: Value): Value {
  return getItem(object, key) ?? (typeof key === "string" ? getMethod(object, key) : undefined);
}

function getItem(object: Value, key: Value): Value {
  if (object instanceof Map) return object.get(key);
  if (object instanceof Namespace) return object.attributes.get(key);
  if (!isNumber(key)) return undefined;
  if (Array.isArray(object)) return object.at(numberOf(key));
  return typeof object === "string" ? [...object].at(numberOf(key)) : undefined;
}

function getMethod(object: Value, name: string): Callable | undefined {
  if (typeof object === "string") {
    const found = findTextMethod(name);
    return found && ((args) => found(object, args));
  }
  if (object instanceof Map) return findDictionaryMethod(object, name);
  // As in llama.cpp, because templates iterate over members that a schema may lack.
  if (object === undefined && name === "items") return () => [];
  return Array.isArray(object) ? findListMethod(object, name) : undefined;
}

function findDictionaryMethod(entries: Dictionary, name: string): Callable | undefined {
  switch (name) {
    case "get":
      return (args) => {
        const key = args.positional[0];
        return entries.has(key) ? entries.get(key) : (getArgument(args, 1, "default") ?? null);
      };
    case "items":
      return () => [...entries].map(([key, value]) => [key, value]);
    case "keys":
      return () => [...entries.keys()];
    case "values":
      return () => [...entries.values()];
    default:
      return undefined;
  }
}

function findListMethod(items: Value[], name: string): Callable | undefined {
  switch (name) {
    case "append":
      return ({ positional }) => {
        items.push(positional[0]);
        return null;
      };
    case "pop":
      return ({ positional: [index] }) => {
        const [removed] = items.splice(isNumber(index) ? numberOf(index) : -1, 1);
        return removed;
      };
    case "index":
      return ({ positional }) => {
        const index = items.indexOf(positional[0]);
        if (index < 0) throw new TemplateError(`${typeNameOf(positional[0])} is not in list`);
        return index;
      };
    default:
      return undefined;
  }
}

/** Evaluates `object[start:stop:step]` of a list or a text, with Python's rules. */
export function slice(object: Value, bounds: SliceBounds): Value {
  if (typeof object === "string") return sliceItems([...object], bounds).join("");
  if (Array.isArray(object)) return sliceItems(object, bounds);
  throw new TemplateError(`${typeNameOf(object)} cannot be sliced`);
}

export interface SliceBounds {
  readonly start?: number;
  readonly stop?: number;
  readonly step?: number;
}

function sliceItems<Item>(items: readonly Item[], { start, stop, step = 1 }: SliceBounds): Item[] {
  if (step === 0) throw new TemplateError("slice step cannot be zero");
  const [lowest, highest] = step > 0 ? [0, items.length] : [-1, items.length - 1];
  const clampIndex = (index: number) =>
    Math.min(Math.max(index < 0 ? index + items.length : index, lowest), highest);
  const first = start === undefined ? (step > 0 ? lowest : highest) : clampIndex(start);
  const end = stop === undefined ? (step > 0 ? highest : lowest) : clampIndex(stop);
  const selectedItems: Item[] = [];
  for (let index = first; step > 0 ? index < end : index > end; index += step) {
    selectedItems.push(...items.slice(index, index + 1));
  }
  return selectedItems;
}

type Method = (text: string, args: Arguments) => Value;

const textMethods: Readonly<Record<string, Method>> = {
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
  title: capitalizeWords,
  capitalize: capitalizeText,
  strip,
  lstrip: stripStart,
  rstrip: stripEnd,
  startswith: (text, args) => textsOf(args).some((start) => text.startsWith(start)),
  endswith: (text, args) => textsOf(args).some((end) => text.endsWith(end)),
  split,
  rsplit: splitFromRight,
  splitlines: splitLines,
  join: (text, { positional: [items] }) => itemsOf(items).map(formatValue).join(text),
  replace,
  find,
  rfind: (text, { positional: [part] }) => {
    return toCharacterIndex(text, text.lastIndexOf(formatValue(part)));
  },
  count: (text, args) => text.split(formatValue(args.positional[0])).length - 1,
  format,
  isdigit: (text) => /^\d+$/.test(text),
};

/** Returns a method of Python's `str`, if chat templates use it. */
function findTextMethod(name: string): Method | undefined {
  return Object.hasOwn(textMethods, name) ? textMethods[name] : undefined;
}

export function capitalizeText(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();
}

function capitalizeWords(text: string): string {
  return text.replace(/\p{L}+/gu, capitalizeText);
}

function textsOf({ positional }: Arguments): string[] {
  const [affix] = positional;
  return (Array.isArray(affix) ? affix : [affix]).map(formatValue);
}

/** Python's white space. JavaScript's includes U+FEFF, and excludes U+001C to U+001F and U+0085. */
const WHITE_SPACE =
  "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a" +
  "\u2028\u2029\u202f\u205f\u3000";
const SPACE = new RegExp(`[${WHITE_SPACE}]`);
const LINE_BREAK = /\r\n|[\n\v\f\r\x85\u2028\u2029]/;

function readStripCharacters(args: Arguments): string {
  const characters = getArgument(args, 0, "chars");
  return typeof characters === "string" ? characters : WHITE_SPACE;
}

/** Removes white space, or the given characters, from both ends. */
export function strip(text: string, args: Arguments): string {
  return stripEnd(stripStart(text, args), args);
}

function stripStart(text: string, args: Arguments): string {
  const characters = readStripCharacters(args);
  let start = 0;
  while (start < text.length && characters.includes(text.charAt(start))) start++;
  return text.slice(start);
}

function stripEnd(text: string, args: Arguments): string {
  const characters = readStripCharacters(args);
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Returns the separator, white space if absent, and the maximum number of splits. */
function parseSplitArguments(args: Arguments): { separator?: string; limit: number } {
  const separator = getArgument(args, 0, "sep");
  const maxSplits = getArgument(args, 1, "maxsplit");
  const limit =
    isNumber(maxSplits) && numberOf(maxSplits) >= 0
      ? numberOf(maxSplits)
      : Number.POSITIVE_INFINITY;
  if (separator === "") throw new TemplateError("empty separator");
  return typeof separator === "string" ? { separator, limit } : { limit };
}

function split(text: string, args: Arguments): string[] {
  const { separator, limit } = parseSplitArguments(args);
  if (separator === undefined) return splitAtSpace(text, limit);
  const parts = text.split(separator);
  if (parts.length <= limit + 1) return parts;
  return [...parts.slice(0, limit), parts.slice(limit).join(separator)];
}

function splitFromRight(text: string, args: Arguments): string[] {
  const { separator, limit } = parseSplitArguments(args);
  if (separator === undefined) {
    return splitAtSpace(reverseText(text), limit).map(reverseText).reverse();
  }
  const parts = text.split(separator);
  if (parts.length <= limit + 1) return parts;
  const first = parts.length - limit;
  return [parts.slice(0, first).join(separator), ...parts.slice(first)];
}

function splitAtSpace(text: string, limit: number): string[] {
  const parts: string[] = [];
  let rest = stripStart(text, NO_ARGUMENTS);
  while (rest !== "") {
    const end = parts.length < limit ? rest.search(SPACE) : -1;
    if (end < 0) return [...parts, rest];
    parts.push(rest.slice(0, end));
    rest = stripStart(rest.slice(end), NO_ARGUMENTS);
  }
  return parts;
}

function splitLines(text: string): string[] {
  const lines = text.split(LINE_BREAK);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** Reverses the characters of a text. */
export function reverseText(text: string): string {
  return [...text].reverse().join("");
}

/** Implements `str.find(part, start)`. */
function find(text: string, { positional: [part, from] }: Arguments): number {
  const skippedText = isNumber(from) ? [...text].slice(0, numberOf(from)).join("") : "";
  return toCharacterIndex(text, text.indexOf(formatValue(part), skippedText.length));
}

/** Converts an offset to a position in characters, as used by slices; -1 is kept. */
function toCharacterIndex(text: string, position: number): number {
  return position < 0 ? position : [...text.slice(0, position)].length;
}

/** Implements `str.replace(old, new, count)`; without a count, replaces all occurrences. */
export function replace(text: string, args: Arguments): string {
  const before = formatValue(getArgument(args, 0, "old"));
  const after = formatValue(getArgument(args, 1, "new"));
  const maxReplacements = getArgument(args, 2, "count");
  if (!isNumber(maxReplacements) || numberOf(maxReplacements) < 0)
    return text.replaceAll(before, () => after);
  const parts = text.split(before);
  const first = Math.min(numberOf(maxReplacements), parts.length - 1);
  return [parts.slice(0, first + 1).join(after), ...parts.slice(first + 1)].join(before);
}

/** Implements `str.format` with `{}`, `{0}` and `{name}`, without format specifications. */
function format(text: string, { positional, keywords }: Arguments): string {
  let next = 0;
  return text.replace(/\{\{|\}\}|\{(\w*)\}/g, (field, name: string | undefined) => {
    if (name === undefined) return field.charAt(0);
    if (name === "") return formatValue(positional[next++]);
    return formatValue(/^\d+$/.test(name) ? positional[Number(name)] : keywords.get(name));
  });
}
