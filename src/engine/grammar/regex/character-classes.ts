import { WHITE_SPACE } from "../../../core/white-space.js";
import { type CodePointSet, codePointSet, complementOf } from "../language/code-point-set.js";

const DIGITS: CodePointSet = [[0x30, 0x39]];
const WORD: CodePointSet = codePointSet([
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
]);
/** `.`: everything but line terminators. */
export const NOT_LINE_END: CodePointSet = complementOf(
  codePointSet([
    [0x0a, 0x0a],
    [0x0d, 0x0d],
    [0x2028, 0x2029],
  ]),
);

/** The sets of `\d`, `\w`, `\s` and their complements, by letter. */
export const CLASS_ESCAPES: ReadonlyMap<string, CodePointSet> = new Map([
  ["d", DIGITS],
  ["D", complementOf(DIGITS)],
  ["w", WORD],
  ["W", complementOf(WORD)],
  ["s", WHITE_SPACE],
  ["S", complementOf(WHITE_SPACE)],
]);
