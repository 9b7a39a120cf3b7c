import { printed } from "./print.js";
import {
  type Arguments,
  argument,
  isNumber,
  itemsOf,
  NO_ARGUMENTS,
  numberOf,
  TemplateError,
  type Value,
} from "./value.js";

type Method = (text: string, args: Arguments) => Value;

const methods: Readonly<Record<string, Method>> = {
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
  title: titleCase,
  capitalize: capitalized,
  strip,
  lstrip: stripStart,
  rstrip: stripEnd,
  startswith: (text, args) => textsOf(args).some((start) => text.startsWith(start)),
  endswith: (text, args) => textsOf(args).some((end) => text.endsWith(end)),
  split,
  rsplit: rightSplit,
  splitlines: splitLines,
  join: (text, { positional: [items] }) => itemsOf(items).map(printed).join(text),
  replace,
  find,
  rfind: (text, { positional: [part] }) => {
    return inCharacters(text, text.lastIndexOf(printed(part)));
  },
  count: (text, args) => text.split(printed(args.positional[0])).length - 1,
  format,
  isdigit: (text) => /^\d+$/.test(text),
};

/** A method of Python's `str`, of those that chat templates call. */
export function textMethod(name: string): Method | undefined {
  return Object.hasOwn(methods, name) ? methods[name] : undefined;
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();
}

function titleCase(text: string): string {
  return text.replace(/\p{L}+/gu, capitalized);
}

function textsOf({ positional }: Arguments): string[] {
  const [affix] = positional;
  return (Array.isArray(affix) ? affix : [affix]).map(printed);
}

/** What Python takes for white space. JavaScript has U+FEFF in it, and not U+001C to U+001F and U+0085. */
const WHITE_SPACE =
  "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a" +
  "\u2028\u2029\u202f\u205f\u3000";
const SPACE = new RegExp(`[${WHITE_SPACE}]`);
const LINE_BREAK = /\r\n|[\n\v\f\r\x85\u2028\u2029]/;

function strippedCharacters(args: Arguments): string {
  const characters = argument(args, 0, "chars");
  return typeof characters === "string" ? characters : WHITE_SPACE;
}

/** Removes white space, or the characters given, from both ends. */
export function strip(text: string, args: Arguments): string {
  return stripEnd(stripStart(text, args), args);
}

function stripStart(text: string, args: Arguments): string {
  const characters = strippedCharacters(args);
  let start = 0;
  while (start < text.length && characters.includes(text.charAt(start))) start++;
  return text.slice(start);
}

function stripEnd(text: string, args: Arguments): string {
  const characters = strippedCharacters(args);
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** How many splits there may be at most, and where: at white space if there is no separator. */
function splitArguments(args: Arguments): { separator?: string; limit: number } {
  const separator = argument(args, 0, "sep");
  const most = argument(args, 1, "maxsplit");
  const limit = isNumber(most) && numberOf(most) >= 0 ? numberOf(most) : Number.POSITIVE_INFINITY;
  if (separator === "") throw new TemplateError("empty separator");
  return typeof separator === "string" ? { separator, limit } : { limit };
}

function split(text: string, args: Arguments): string[] {
  const { separator, limit } = splitArguments(args);
  if (separator === undefined) return splitAtSpace(text, limit);
  const parts = text.split(separator);
  if (parts.length <= limit + 1) return parts;
  return [...parts.slice(0, limit), parts.slice(limit).join(separator)];
}

function rightSplit(text: string, args: Arguments): string[] {
  const { separator, limit } = splitArguments(args);
  if (separator === undefined) {
    return splitAtSpace(reversed(text), limit).map(reversed).reverse();
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

/** The characters of a text in reverse order. */
export function reversed(text: string): string {
  return [...text].reverse().join("");
}

/** `str.find(part, start)`. */
function find(text: string, { positional: [part, from] }: Arguments): number {
  const skipped = isNumber(from) ? [...text].slice(0, numberOf(from)).join("") : "";
  return inCharacters(text, text.indexOf(printed(part), skipped.length));
}

/** A position in characters, as slices have it; -1 stays. */
function inCharacters(text: string, position: number): number {
  return position < 0 ? position : [...text.slice(0, position)].length;
}

/** `str.replace(old, new, count)`; absent: all occurrences. */
export function replace(text: string, args: Arguments): string {
  const before = printed(argument(args, 0, "old"));
  const after = printed(argument(args, 1, "new"));
  const most = argument(args, 2, "count");
  if (!isNumber(most) || numberOf(most) < 0) return text.replaceAll(before, () => after);
  const parts = text.split(before);
  const first = Math.min(numberOf(most), parts.length - 1);
  return [parts.slice(0, first + 1).join(after), ...parts.slice(first + 1)].join(before);
}

/** `str.format` with `{}`, `{0}` and `{name}`, without format specifications. */
function format(text: string, { positional, keywords }: Arguments): string {
  let next = 0;
  return text.replace(/\{\{|\}\}|\{(\w*)\}/g, (field, name: string | undefined) => {
    if (name === undefined) return field.charAt(0);
    if (name === "") return printed(positional[next++]);
    return printed(/^\d+$/.test(name) ? positional[Number(name)] : keywords.get(name));
  });
}
