import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dryPenalties } from "../../../src/engine/sampling/penalties.js";
import type { DryOptions } from "../../../src/engine/sampling/sampling-options.js";

const [A, B, C, X, Y] = [1, 2, 3, 8, 9];

const options = (fields: Partial<DryOptions> = {}): DryOptions => ({
  multiplier: 10,
  base: 2,
  allowedLength: 2,
  window: Number.POSITIVE_INFINITY,
  breakers: new Map(),
  ...fields,
});

describe("dryPenalties", () => {
  test.each<[string, number[], Partial<DryOptions>, [number, number][]]>([
    ["nothing without tokens", [], {}, []],
    ["nothing without a repetition", [A, B, C, X], {}, []],
    ["nothing for a repetition below the allowed length", [A, B, C, X, C], {}, []],
    ["the multiplier at the allowed length", [B, C, A, X, B, C], {}, [[A, 10]]],
    ["the base for each token beyond it", [A, B, C, X, A, B, C], {}, [[X, 20]]],
    [
      "each token that went on, by its longest repetition",
      [A, B, C, X, B, C, Y, A, B, C],
      {},
      [
        [X, 20],
        [Y, 10],
      ],
    ],
    ["a token that repeats itself", [X, A, A, A], {}, [[A, 10]]],
    ["only what the window holds", [A, B, C, X, A, B, C], { window: 6 }, [[X, 10]]],
    ["nothing in a window without the repetition", [A, B, C, X, A, B, C], { window: 5 }, []],
    [
      "every token of the past at length 0",
      [A, B, C],
      { allowedLength: 0 },
      [
        [B, 10],
        [C, 10],
      ],
    ],
    ["the same for every length with base 1", [A, B, C, X, A, B, C], { base: 1 }, [[X, 10]]],
  ])("are %s", (_, tokens, fields, expected) => {
    for (const cut of [0, 3, tokens.length]) {
      const penalties = dryPenalties(options(fields), tokens.slice(0, cut), tokens.slice(cut));
      expect([...penalties].sort(([one], [other]) => one - other)).toEqual(expected);
    }
  });

  test("stay below the largest number in single precision", () => {
    const loop = Array<number>(1000).fill(A);
    const [penalty] = dryPenalties(options({ multiplier: 1 }), loop, []).values();
    expect(penalty).toBeGreaterThan(1e37);
    expect(Math.fround(penalty ?? 0)).toBeLessThan(Number.POSITIVE_INFINITY);
  });

  test.each<[string, number[], [number, number[][]][], [number, number][]]>([
    ["ends at a breaker", [A, B, C, X, A, B, C], [[A, [[]]]], [[X, 10]]],
    [
      "ends at the last of several",
      [A, B, C, X, A, B, C],
      [
        [A, [[]]],
        [B, [[]]],
      ],
      [],
    ],
    ["goes on where a breaker only begins", [A, B, C, X, A, B, C], [[A, [[Y]]]], [[X, 20]]],
    ["ends behind a breaker of several tokens", [A, B, C, X, A, B, C], [[A, [[B]]]], []],
    ["ends behind the longest breaker", [A, B, C, X, A, B, C], [[A, [[], [B]]]], []],
    [
      "does not end at a breaker that is not complete yet",
      [A, B, C, X, A, B, C],
      [[C, [[X]]]],
      [[X, 20]],
    ],
  ])("a repetition %s", (_, tokens, breakers, expected) => {
    expect([...dryPenalties(options({ breakers: new Map(breakers) }), tokens, [])]).toEqual(
      expected,
    );
  });

  test("spare tokens that contain a breaker, but not those in which one begins", () => {
    const tokens = [A, B, C, X, A, B, C];
    const sparing = options({ breakers: new Map([[X, [[Y], []]]]) });
    expect([...dryPenalties(sparing, tokens, [])]).toEqual([]);
    const beginning = options({ breakers: new Map([[X, [[Y]]]]) });
    expect([...dryPenalties(beginning, tokens, [])]).toEqual([[X, 20]]);
  });

  test("are those of a search through all earlier tokens", () => {
    const token = fc.integer({ min: 0, max: 2 });
    const arbitrary = fc.record({
      tokens: fc.array(token, { maxLength: 40 }),
      allowedLength: fc.integer({ min: 0, max: 4 }),
      window: fc.integer({ min: 1, max: 50 }),
    });
    fc.assert(
      fc.property(arbitrary, ({ tokens, allowedLength, window }) => {
        const recent = tokens.slice(-window);
        const expected = new Map<number, number>();
        for (let end = 1; end < recent.length && recent.length > allowedLength; end++) {
          let length = 0;
          while (length < end && recent[end - 1 - length] === recent.at(-1 - length)) length++;
          if (length < allowedLength) continue;
          const next = recent[end] ?? 0;
          expected.set(next, Math.max(expected.get(next) ?? 0, 10 * 2 ** (length - allowedLength)));
        }
        expect(dryPenalties(options({ allowedLength, window }), tokens, [])).toEqual(expected);
      }),
    );
  });
});
