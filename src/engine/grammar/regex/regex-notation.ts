import type { CodePointSet } from "../language/code-point-set.js";
import { CLASS_ESCAPES, NOT_LINE_END } from "./character-classes.js";

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

/** ECMA-262 with the flag `u`. Set operations are those of its flag `v`: without it, `[` and `&&` stand for themselves. */
export const ECMA_262: RegexNotation = {
  dot: NOT_LINE_END,
  classEscape: (letter) => CLASS_ESCAPES.get(letter),
  refused: new Set(["a group with flags", "a long escape"]),
};
