import {
  type CodePointSet,
  codePointSet,
  complementOf,
  WHITE_SPACE,
} from "../language/code-point-set.js";

/** What some notations have and others refuse, as errors name it. */
export type RegexFeature =
  | "an anchor"
  | "a look-ahead"
  | "a lazy quantifier"
  | "an empty class"
  | "a [ in a class"
  | "a set operation in a class"
  | "a { that begins no count"
  | "a group with flags"
  | "a long escape";

/** `i`: without regard to case. `s`: `.` is any character. `x`: white space and comments mean nothing. */
export type RegexFlag = "i" | "s" | "x";

/** How a kind of regular expressions is read. */
export interface RegexNotation {
  /** `.` without the flag `s`. */
  readonly dot: CodePointSet;
  /** The sets of `\d`, `\w`, `\s` and their complements, by letter. */
  readonly classEscape: (letter: string) => CodePointSet | undefined;
  readonly refused: ReadonlySet<RegexFeature>;
}

const DIGITS: CodePointSet = [[0x30, 0x39]];
const WORD: CodePointSet = codePointSet([
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
]);
/** `.`: everything but line terminators. */
const NOT_LINE_END: CodePointSet = complementOf(
  codePointSet([
    [0x0a, 0x0a],
    [0x0d, 0x0d],
    [0x2028, 0x2029],
  ]),
);

const CLASS_ESCAPES: ReadonlyMap<string, CodePointSet> = new Map([
  ["d", DIGITS],
  ["D", complementOf(DIGITS)],
  ["w", WORD],
  ["W", complementOf(WORD)],
  ["s", WHITE_SPACE],
  ["S", complementOf(WHITE_SPACE)],
]);

/** ECMA-262 with the flag `u`. Set operations are those of its flag `v`: without it, `[` and `&&` stand for themselves. */
export const ECMA_262: RegexNotation = {
  dot: NOT_LINE_END,
  classEscape: (letter) => CLASS_ESCAPES.get(letter),
  refused: new Set(["a group with flags", "a long escape"]),
};
