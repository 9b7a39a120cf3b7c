import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CodePointRange } from "../../../src/grammar/grammar.js";
import { utf8Ranges } from "../../../src/grammar/language/character-expression.js";
import {
  codePointSet,
  computeComplement,
  hasCodePoint,
  intersect,
  subtract,
} from "../../../src/grammar/language/code-point-set.js";

const LIMITS = [
  0, 0x1f, 0x22, 0x5c, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x1_0000, 0x10_ffff,
];
const codePoint = fc.oneof(fc.constantFrom(...LIMITS), fc.nat(0x10_ffff));
const range = fc
  .tuple(codePoint, codePoint)
  .map(([a, b]): CodePointRange => [Math.min(a, b), Math.max(a, b)]);
const ranges = fc.array(range, { maxLength: 5 });

describe("sets of code points", () => {
  it("contain the code points of their ranges", () => {
    fc.assert(
      fc.property(ranges, codePoint, (list, one) => {
        const isIn = list.some(([first, last]) => first <= one && one <= last);
        expect(hasCodePoint(codePointSet(list), one)).toBe(isIn);
      }),
    );
  });

  it("consist of ascending ranges with gaps between them", () => {
    fc.assert(
      fc.property(ranges, (list) => {
        const set = codePointSet(list);
        for (const [index, [first]] of set.slice(1).entries()) {
          expect(first).toBeGreaterThan((set[index]?.[1] ?? 0) + 1);
        }
      }),
    );
  });

  it("support the set operations", () => {
    fc.assert(
      fc.property(ranges, ranges, codePoint, (one, other, point) => {
        const [a, b] = [codePointSet(one), codePointSet(other)];
        const [inA, inB] = [hasCodePoint(a, point), hasCodePoint(b, point)];
        expect(hasCodePoint(computeComplement(a), point)).toBe(!inA);
        expect(hasCodePoint(intersect(a, b), point)).toBe(inA && inB);
        expect(hasCodePoint(subtract(a, b), point)).toBe(inA && !inB);
      }),
    );
  });
});

describe("utf8Ranges", () => {
  const covers = (bounds: CodePointRange, bytes: readonly number[]) =>
    utf8Ranges(bounds).filter(
      (product) =>
        product.length === bytes.length &&
        product.every(
          ([first, last], index) => first <= (bytes[index] ?? -1) && (bytes[index] ?? 256) <= last,
        ),
    ).length;

  it("covers the encoding of each character in a range exactly once, and no other encoding", () => {
    fc.assert(
      fc.property(range, codePoint, ([first, last], point) => {
        if (point >= 0xd800 && point <= 0xdfff) return;
        const bytes = [...Buffer.from(String.fromCodePoint(point))];
        expect(covers([first, last], bytes)).toBe(first <= point && point <= last ? 1 : 0);
      }),
      { numRuns: 500 },
    );
  });

  it("covers no surrogates", () => {
    expect(utf8Ranges([0xd800, 0xdfff])).toEqual([]);
    expect(covers([0xd000, 0xe100], [0xed, 0xa0, 0x80])).toBe(0);
  });

  it("returns fewer than 12 byte range sequences for all characters", () => {
    expect(utf8Ranges([0, 0x10_ffff]).length).toBeLessThan(12);
  });
});
