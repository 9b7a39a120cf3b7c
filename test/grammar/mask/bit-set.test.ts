import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BitSet } from "../../../src/grammar/mask/bit-set.js";

const LIMIT = 200;
const numbers = fc.uniqueArray(fc.nat(LIMIT - 1));
const bounds = fc
  .tuple(fc.nat(LIMIT), fc.nat(LIMIT))
  .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);

function bitSetOf(list: readonly number[]): BitSet {
  const set = new BitSet(LIMIT);
  for (const one of list) set.add(one);
  return set;
}

function listOf(set: BitSet): readonly number[] {
  const list: number[] = [];
  set.forEach((value) => {
    list.push(value);
  });
  return list;
}

function ascending(list: Iterable<number>): readonly number[] {
  return [...new Set(list)].sort((a, b) => a - b);
}

describe("BitSet", () => {
  it("contains the added numbers in ascending order", () => {
    fc.assert(
      fc.property(numbers, fc.nat(LIMIT - 1), (list, one) => {
        const set = bitSetOf(list);
        expect(listOf(set)).toEqual(ascending(list));
        expect(set.size).toBe(list.length);
        expect(set.has(one)).toBe(list.includes(one));
      }),
    );
  });

  it("adds half-open ranges", () => {
    fc.assert(
      fc.property(numbers, bounds, (list, [from, to]) => {
        const set = bitSetOf(list);
        set.addRange(from, to);
        const range = Array.from({ length: to - from }, (_, index) => from + index);
        expect(listOf(set)).toEqual(ascending([...list, ...range]));
      }),
    );
  });

  it("adds a range of another set", () => {
    fc.assert(
      fc.property(numbers, numbers, bounds, (list, others, [from, to]) => {
        const set = bitSetOf(list);
        set.addRangeOf(bitSetOf(others), from, to);
        const within = others.filter((one) => from <= one && one < to);
        expect(listOf(set)).toEqual(ascending([...list, ...within]));
      }),
    );
  });
});
