import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { selectInputs, type WaitingInputs } from "../../../src/engine/pooling/pooling-loop.js";

const limits = { sequences: 4, tokens: 100, enoughTokens: 100 };
const waiting = (...lengths: number[]): WaitingInputs => ({ lengths, done: 0 });

describe("the inputs of the next batch", () => {
  test.each<[string, WaitingInputs[], Partial<typeof limits>, number[]]>([
    ["are all where they fit", [waiting(10, 20)], {}, [2]],
    ["are as many as there are sequences", [waiting(1, 1, 1, 1, 1)], {}, [4]],
    ["have as many tokens as fit", [waiting(40, 40, 40)], {}, [2]],
    [
      "are one of the oldest, then those of small requests",
      [waiting(1, 1, 1, 1, 1), waiting(1, 1)],
      {},
      [2, 2],
    ],
    ["are those of the older of equal requests", [waiting(1, 1, 1), waiting(1, 1, 1)], {}, [3, 1]],
    [
      "go on with what is nearly done",
      [waiting(9), { lengths: [9, 9, 9, 9], done: 3 }, waiting(9, 9)],
      { sequences: 2 },
      [1, 1, 0],
    ],
    ["begin behind those that are done", [{ lengths: [99, 5], done: 1 }], {}, [1]],
    [
      "are not those of later requests instead",
      [waiting(60), waiting(60), waiting(10)],
      {},
      [1, 0, 0],
    ],
    ["are few where that is enough", [waiting(30, 30, 30)], { enoughTokens: 50 }, [1]],
    ["are one at least", [waiting(80, 1)], { enoughTokens: 50 }, [1]],
    ["are none where none waits", [], {}, []],
  ])("%s", (_, requests, fields, taken) => {
    expect(selectInputs(requests, { ...limits, ...fields })).toEqual(taken);
  });

  test("stay within the limits, and the first request is always included", () => {
    const request = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(
        fc.array(request, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 100 }),
        (lengths, enoughTokens) => {
          const requests = lengths.map((one) => waiting(...one));
          const taken = selectInputs(requests, { ...limits, enoughTokens });
          const inputs = lengths.flatMap((one, index) => one.slice(0, taken[index]));
          expect(taken[0]).toBeGreaterThan(0);
          expect(inputs.length).toBeLessThanOrEqual(limits.sequences);
          expect(inputs.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(
            Math.max(enoughTokens, inputs.length === 1 ? 100 : 0),
          );
          expectSmallestFirst(lengths, taken);
        },
      ),
    );
  });
});

/**
 * Expects requests with fewer inputs to be served completely before ones with more, except for the
 * oldest one's first inputs.
 */
function expectSmallestFirst(lengths: readonly number[][], taken: readonly number[]): void {
  for (const [index, one] of lengths.entries()) {
    const beyondFirst = (taken[index] ?? 0) - (index === 0 ? 1 : 0);
    const smaller = lengths.flatMap((other, place) => (other.length < one.length ? [place] : []));
    if (beyondFirst === 0) continue;
    expect(smaller.map((place) => taken[place])).toEqual(
      smaller.map((place) => lengths[place]?.length),
    );
  }
}
