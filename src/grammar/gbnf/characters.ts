import type { GrammarNode } from "../grammar.js";
import { character, text } from "../grammar-nodes.js";
import {
  type CodePointSet,
  codePointSet,
  differenceOf,
  MAX_CODE_POINT,
} from "../language/code-point-set.js";
import type { GrammarSource } from "../rules/grammar-source.js";

/** All characters but U+0000, which ends a text in llama.cpp and matches nothing there. */
const ANY: CodePointSet = [[1, MAX_CODE_POINT]];
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["t", "\t"],
  ["r", "\r"],
  ["n", "\n"],
  ["\\", "\\"],
  ['"', '"'],
  ["[", "["],
  ["]", "]"],
  ["-", "-"],
]);
/** Hexadecimal digits behind the letters of the escapes that have some. */
const HEX_DIGITS: ReadonlyMap<string, RegExp> = new Map([
  ["x", /[\da-fA-F]{2}/y],
  ["u", /[\da-fA-F]{4}/y],
  ["U", /[\da-fA-F]{8}/y],
]);

/** `.` */
export const ANY_CHARACTER: GrammarNode = character(...ANY);

/**
 * Reads what follows the first quote of a literal.
 * @throws {UnsupportedGrammar}
 */
export function readLiteral(source: GrammarSource): GrammarNode {
  let literal = "";
  while (!source.take('"')) {
    const start = source.position;
    const codePoint = readCharacter(source, 'a character or "');
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) {
      throw source.unsupported("expected a character, got half of a surrogate pair", start);
    }
    literal += String.fromCodePoint(codePoint);
  }
  return text(literal);
}

/**
 * Reads what follows the opening bracket of a class.
 * @throws {UnsupportedGrammar}
 */
export function readClass(source: GrammarSource): GrammarNode {
  const isNegated = source.take("^");
  if (source.next === "]") throw source.expected("a character of a class");
  const ranges: [number, number][] = [];
  while (!source.take("]")) {
    const start = source.position;
    const first = readCharacter(source, "a character or ]");
    let last = first;
    if (source.next === "-" && source.nextButOne !== "]") {
      source.take("-");
      last = readCharacter(source, "a character or ]");
    }
    if (last < first) {
      throw source.unsupported("expected a range that ends behind its beginning", start);
    }
    ranges.push([first, last]);
  }
  const set = codePointSet(ranges);
  return character(...(isNegated ? differenceOf(ANY, set) : set));
}

function readCharacter(source: GrammarSource, expected: string): number {
  const start = source.position;
  const codePoint = source.takeCodePoint();
  if (codePoint === undefined || codePoint === 0) throw source.expected(expected, start);
  return codePoint === BACKSLASH ? readEscape(source, start) : codePoint;
}

const BACKSLASH = 0x5c;

function readEscape(source: GrammarSource, start: number): number {
  const letter = source.next ?? "";
  const escaped = ESCAPES.get(letter);
  const hexDigits = HEX_DIGITS.get(letter);
  if (escaped === undefined && hexDigits === undefined) {
    throw source.expected('one of t r n \\ " [ ] - x u U behind \\');
  }
  source.take(letter);
  if (hexDigits === undefined) return escaped?.codePointAt(0) ?? 0;
  const digits = source.takeMatch(hexDigits);
  if (digits === undefined) {
    throw source.expected(`${letter === "x" ? 2 : letter === "u" ? 4 : 8} hexadecimal digits`);
  }
  const codePoint = Number.parseInt(digits, 16);
  if (codePoint > MAX_CODE_POINT) {
    throw source.unsupported(
      `expected a code point up to U+10FFFF, got \\${letter}${digits}`,
      start,
    );
  }
  return codePoint;
}
