import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inputsToTake, type WaitingInputs } from "../../../src/engine/pooling/inputs-to-take.js";

const limits = { sequences: 4, tokens: 100, enoughTokens: 100 };
const waiting = (...lengths: number[]): WaitingInputs => ({ lengths, done: 0 });

describe("the inputs of the next batch", () => {
  test.each<[string, WaitingInputs[], Partial<typeof limits>, number[]]>([
    ["are all where they fit", [waiting(10, 20)], {}, [2]],
    ["are as many as there are sequences", [waiting(1, 1, 1, 1, 1)], {}, [4]],
    ["have as many tokens as fit", [waiting(40, 40, 40)], {}, [2]],
    ["are one of each request in turn", [waiting(1, 1, 1, 1), waiting(1, 1)], {}, [2, 2]],
    ["begin behind those that are done", [{ lengths: [99, 5], done: 1 }], {}, [1]],
    ["are not taken out of order", [waiting(60), waiting(60), waiting(10)], {}, [1, 0, 0]],
    ["are few where that is enough", [waiting(30, 30, 30)], { enoughTokens: 50 }, [1]],
    ["are one at least", [waiting(80, 1)], { enoughTokens: 50 }, [1]],
    ["are none where none waits", [], {}, []],
  ])("%s", (_, requests, fields, taken) => {
    expect(inputsToTake(requests, { ...limits, ...fields })).toEqual(taken);
  });

  test("keep within the limits, and the first request always gets its turn", () => {
    const request = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(
        fc.array(request, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 100 }),
        (lengths, enoughTokens) => {
          const requests = lengths.map((one) => waiting(...one));
          const taken = inputsToTake(requests, { ...limits, enoughTokens });
          const inputs = lengths.flatMap((one, index) => one.slice(0, taken[index]));
          expect(taken[0]).toBeGreaterThan(0);
          expect(inputs.length).toBeLessThanOrEqual(limits.sequences);
          expect(inputs.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(
            Math.max(enoughTokens, inputs.length === 1 ? 100 : 0),
          );
          // Nobody is two inputs ahead of somebody who waits.
          for (const [index, one] of lengths.entries()) {
            const hasMore = (taken[index] ?? 0) < one.length;
            if (hasMore) expect(Math.max(...taken)).toBeLessThanOrEqual((taken[index] ?? 0) + 1);
          }
        },
      ),
    );
  });
});
