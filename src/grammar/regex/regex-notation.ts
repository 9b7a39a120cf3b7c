import {
  type CodePointSet,
  codePointSet,
  computeComplement,
  WHITE_SPACE,
} from "../language/code-point-set.js";

/** Features that only some notations support, as named in errors. */
export type RegexFeature =
  | "an anchor"
  | "a look-ahead"
  | "a lazy quantifier"
  | "an empty class"
  | "a [ in a class"
  | "a set operation in a class"
  | "a { that does not start a count"
  | "a group with flags"
  | "a long escape";

/** `i`: ignore case. `s`: `.` matches any character. `x`: ignore white space and comments. */
export type RegexFlag = "i" | "s" | "x";

/** Syntax of a regular expression dialect. */
export interface RegexNotation {
  /** Set of `.` without the flag `s`. */
  readonly dot: CodePointSet;
  /** Returns the set of `\d`, `\w`, `\s` or one of their complements, by letter. */
  readonly classEscape: (letter: string) => CodePointSet | undefined;
  readonly refusedFeatures: ReadonlySet<RegexFeature>;
}

const DIGITS: CodePointSet = [[0x30, 0x39]];
const WORD: CodePointSet = codePointSet([
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
]);
/** All characters except line terminators. */
const NOT_LINE_END: CodePointSet = computeComplement(
  codePointSet([
    [0x0a, 0x0a],
    [0x0d, 0x0d],
    [0x2028, 0x2029],
  ]),
);

const CLASS_ESCAPES: ReadonlyMap<string, CodePointSet> = new Map([
  ["d", DIGITS],
  ["D", computeComplement(DIGITS)],
  ["w", WORD],
  ["W", computeComplement(WORD)],
  ["s", WHITE_SPACE],
  ["S", computeComplement(WHITE_SPACE)],
]);

/**
 * ECMA-262 with the flag `u`. Set operations require its flag `v`: without it, `[` and `&&` in a
 * class are literal.
 */
export const ECMA_262: RegexNotation = {
  dot: NOT_LINE_END,
  classEscape: (letter) => CLASS_ESCAPES.get(letter),
  refusedFeatures: new Set(["a group with flags", "a long escape"]),
};
