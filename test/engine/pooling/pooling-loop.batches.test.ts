import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { selectInputs, type WaitingInputs } from "../../../src/engine/pooling/pooling-loop.js";

const limits = { sequences: 4, tokens: 100, enoughTokens: 100 };
const waiting = (...lengths: number[]): WaitingInputs => ({ lengths, pooledInputs: 0 });

describe("the inputs of the next batch", () => {
  test.each<[string, WaitingInputs[], Partial<typeof limits>, number[]]>([
    ["are all inputs if they fit", [waiting(10, 20)], {}, [2]],
    ["are limited by the number of sequences", [waiting(1, 1, 1, 1, 1)], {}, [4]],
    ["are limited by the number of tokens", [waiting(40, 40, 40)], {}, [2]],
    [
      "are one input of the oldest request, then the inputs of small requests",
      [waiting(1, 1, 1, 1, 1), waiting(1, 1)],
      {},
      [2, 2],
    ],
    [
      "come from the older of two equally small requests first",
      [waiting(1, 1, 1), waiting(1, 1, 1)],
      {},
      [3, 1],
    ],
    [
      "come from nearly completed requests first",
      [waiting(9), { lengths: [9, 9, 9, 9], pooledInputs: 3 }, waiting(9, 9)],
      { sequences: 2 },
      [1, 1, 0],
    ],
    ["start after the completed inputs", [{ lengths: [99, 5], pooledInputs: 1 }], {}, [1]],
    [
      "exclude later requests if an earlier input does not fit",
      [waiting(60), waiting(60), waiting(10)],
      {},
      [1, 0, 0],
    ],
    ["are no more than all waiting inputs", [waiting(30, 30, 30)], { enoughTokens: 50 }, [1]],
    [
      "include at least one input, even if it exceeds the limit",
      [waiting(80, 1)],
      { enoughTokens: 50 },
      [1],
    ],
    ["are empty if no input is waiting", [], {}, []],
  ])("%s", (_, requests, fields, taken) => {
    expect(selectInputs(requests, { ...limits, ...fields })).toEqual(taken);
  });

  test("stay within the limits and always include the first request", () => {
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
