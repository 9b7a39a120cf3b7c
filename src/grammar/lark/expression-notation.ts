import { type CodePointSet, codePointSet, complementOf } from "../language/code-point-set.js";
import type { RegexNotation } from "../regex/regex-notation.js";
import { unicodeProperty } from "../regex/unicode-properties.js";

const LINE_FEED = 0x0a;

/**
 * Expressions as Rust's `regex` and Python's `re` read them. What these read differently is refused, and so is what means
 * nothing to a terminal that may stand anywhere, or asks for the shortest text, which only a lexer can tell.
 */
export const EXPRESSION_NOTATION: RegexNotation = {
  dot: complementOf([[LINE_FEED, LINE_FEED]]),
  classEscape,
  refused: new Set([
    "an anchor",
    "a look-ahead",
    "a lazy quantifier",
    "an empty class",
    "a [ in a class",
    "a set operation in a class",
    "a { that begins no count",
  ]),
};

/** The classes of Unicode (UTS 18, annex C), by letter. */
const CLASSES: ReadonlyMap<string, readonly string[]> = new Map([
  ["d", ["Nd"]],
  ["w", ["Alphabetic", "M", "Nd", "Pc", "Join_Control"]],
  ["s", ["White_Space"]],
]);

const known = new Map<string, CodePointSet>();

function classEscape(letter: string): CodePointSet | undefined {
  const properties = CLASSES.get(letter.toLowerCase());
  if (properties === undefined) return undefined;
  let set = known.get(letter);
  if (set === undefined) {
    set = codePointSet(properties.flatMap((name) => unicodeProperty(name) ?? []));
    if (!CLASSES.has(letter)) set = complementOf(set);
    known.set(letter, set);
  }
  return set;
}
