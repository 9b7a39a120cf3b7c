import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteSets, hasByte, listBytes } from "../../../src/grammar/language/byte-sets.js";

const byteList = fc.uniqueArray(fc.nat(255));

describe("byte sets", () => {
  it("contain the given bytes, in ascending order", () => {
    fc.assert(
      fc.property(byteList, (list) => {
        const set = new ByteSets().of(list);
        expect(listBytes(set)).toEqual(list.toSorted((a, b) => a - b));
        expect(set.size).toBe(list.length);
      }),
    );
  });

  it("are the same object if they are equal", () => {
    fc.assert(
      fc.property(byteList, (list) => {
        const sets = new ByteSets();
        expect(sets.of(list)).toBe(sets.of(list.toReversed()));
      }),
    );
  });

  it("support the set operations", () => {
    fc.assert(
      fc.property(byteList, byteList, fc.nat(255), (one, other, byte) => {
        const sets = new ByteSets();
        const [a, b] = [sets.of(one), sets.of(other)];
        expect(hasByte(sets.union(a, b), byte)).toBe(one.includes(byte) || other.includes(byte));
        expect(hasByte(sets.intersection(a, b), byte)).toBe(
          one.includes(byte) && other.includes(byte),
        );
      }),
    );
  });

  it("may be ranges, contain all bytes or be empty", () => {
    const sets = new ByteSets();
    expect(listBytes(sets.range(0x30, 0x32))).toEqual([0x30, 0x31, 0x32]);
    expect(sets.range(0, 255)).toBe(sets.all);
    expect(sets.of([])).toBe(sets.none);
  });
});
