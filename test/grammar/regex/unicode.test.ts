import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasCodePoint } from "../../../src/grammar/language/code-point-set.js";
import { addCaseVariants } from "../../../src/grammar/regex/unicode.js";

const codePoint = fc.oneof(
  fc.integer({ min: 0x20, max: 0x24f }),
  fc.integer({ min: 0x370, max: 0x58f }),
  fc.integer({ min: 0x1c80, max: 0x2188 }),
  fc.integer({ min: 0x10400, max: 0x1e943 }),
);
const escaped = (one: number) => `\\u{${one.toString(16)}}`;

describe("caseVariants", () => {
  test("adds the characters that RegExp treats as equal ignoring case", () => {
    fc.assert(
      fc.property(codePoint, fc.nat({ max: 400 }), fc.array(codePoint), (first, more, others) => {
        const last = first + more;
        const variants = addCaseVariants([[first, last]]);
        const expression = new RegExp(`^[${escaped(first)}-${escaped(last)}]$`, "iu");
        for (const one of [first, last, last + 1, ...others]) {
          const text = String.fromCodePoint(one);
          expect(hasCodePoint(variants, one), text).toBe(expression.test(text));
        }
      }),
    );
  });

  test("supports sets of nearly all characters", () => {
    const variants = addCaseVariants([
      [0, 0x60],
      [0x62, 0x10_ffff],
    ]);
    expect(hasCodePoint(variants, 0x61)).toBe(true);
  });
});
