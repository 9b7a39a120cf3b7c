import { printed } from "./print.js";
import {
  type Arguments,
  argument,
  isNumber,
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
  splitlines: (text) => text.replace(/\n$/, "").split("\n"),
  join: (text, args) => {
    const items = args.positional[0];
    if (!Array.isArray(items)) throw new TemplateError("join() expects a list");
    return items.map(printed).join(text);
  },
  replace,
  find: (text, args) => text.indexOf(printed(args.positional[0])),
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

export function titleCase(text: string): string {
  return text.replace(/\p{L}+/gu, capitalized);
}

function textsOf({ positional }: Arguments): string[] {
  const [affix] = positional;
  return (Array.isArray(affix) ? affix : [affix]).map(printed);
}

/** The characters to strip; `undefined`: white space. */
function strippedCharacters(args: Arguments): string | undefined {
  const characters = argument(args, 0, "chars");
  return typeof characters === "string" ? characters : undefined;
}

/** Removes white space, or the characters given, from both ends. */
export function strip(text: string, args: Arguments): string {
  return stripEnd(stripStart(text, args), args);
}

function stripStart(text: string, args: Arguments): string {
  const characters = strippedCharacters(args);
  if (characters === undefined) return text.trimStart();
  let start = 0;
  while (start < text.length && characters.includes(text.charAt(start))) start++;
  return text.slice(start);
}

function stripEnd(text: string, args: Arguments): string {
  const characters = strippedCharacters(args);
  if (characters === undefined) return text.trimEnd();
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
  if (separator === undefined) return splitAtSpace(text, limit);
  const parts = text.split(separator);
  if (parts.length <= limit + 1) return parts;
  const first = parts.length - limit;
  return [parts.slice(0, first).join(separator), ...parts.slice(first)];
}

function splitAtSpace(text: string, limit: number): string[] {
  const parts: string[] = [];
  let rest = text.trimStart();
  while (rest !== "") {
    const end = parts.length < limit ? rest.search(/\s/) : -1;
    if (end < 0) return [...parts, rest.trimEnd()];
    parts.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return parts;
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
