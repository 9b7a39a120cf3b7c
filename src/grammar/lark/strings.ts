import type { GrammarSource } from "../rules/grammar-source.js";

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
]);
/** Hexadecimal digits behind the letters of the escapes that have some. */
const HEX_DIGITS: ReadonlyMap<string, { readonly count: number; readonly pattern: RegExp }> =
  new Map([
    ["x", { count: 2, pattern: /[\da-fA-F]{2}/y }],
    ["u", { count: 4, pattern: /[\da-fA-F]{4}/y }],
    ["U", { count: 8, pattern: /[\da-fA-F]{8}/y }],
  ]);
const PLAIN = /[^"\\\r\n]+/y;
const MAX_CODE_POINT = 0x10_ffff;

/**
 * Reads a text between quotes.
 * @throws {UnsupportedGrammar}
 */
export function readString(source: GrammarSource): string {
  const start = source.position;
  source.take('"');
  let string = "";
  while (!source.take('"')) {
    const plain = source.takeMatch(PLAIN);
    if (plain !== undefined) string += plain;
    else if (source.take("\\")) string += readEscape(source);
    else throw source.expected('a character or "');
  }
  if (/\p{Surrogate}/u.test(string)) {
    throw source.unsupported("expected characters, got half of a surrogate pair", start);
  }
  return string;
}

function readEscape(source: GrammarSource): string {
  const letter = source.next ?? "";
  const escaped = ESCAPES.get(letter);
  const hexadecimal = HEX_DIGITS.get(letter);
  if (escaped === undefined && hexadecimal === undefined) {
    throw source.expected("one of \" ' \\ / b f n r t v x u U behind \\");
  }
  source.take(letter);
  if (hexadecimal === undefined) return escaped ?? "";
  const { count, pattern } = hexadecimal;
  const start = source.position;
  const codePoint = Number.parseInt(source.takeMatch(pattern) ?? "", 16);
  if (Number.isNaN(codePoint)) throw source.expected(`${count} hexadecimal digits`);
  if (codePoint > MAX_CODE_POINT) {
    throw source.unsupported("expected a code point up to U+10FFFF", start);
  }
  return String.fromCodePoint(codePoint);
}
