import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { measureCommonPrefix } from "../../../src/engine/cache/common-prefix.js";

describe("commonPrefixLength", () => {
  test.each<[number[], number[], number]>([
    [[], [], 0],
    [[], [1], 0],
    [[1, 2], [1, 2], 2],
    [[1, 2], [1, 2, 3], 2],
    [[1, 2, 3], [1, 9, 3], 1],
    [[1], [2], 0],
  ])("of %j and %j is %i", (a, b, expected) => {
    expect(measureCommonPrefix(a, b)).toBe(expected);
    expect(measureCommonPrefix(b, a)).toBe(expected);
  });

  test("equals the index of the first difference", () => {
    const tokens = fc.array(fc.nat(3), { maxLength: 8 });
    fc.assert(
      fc.property(tokens, tokens, tokens, (shared, a, b) => {
        fc.pre(a[0] !== b[0]);
        expect(measureCommonPrefix([...shared, ...a], [...shared, ...b])).toBe(shared.length);
      }),
    );
  });
});
