import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type BatchLane,
  planBatches,
  selectInputs,
  type WaitingInputs,
} from "../../../src/engine/pooling/batch-selection.js";

const limits = { sequences: 4, tokens: 100, enoughTokens: 100 };
const waiting = (...lengths: number[]): WaitingInputs => ({ lengths, startedInputs: 0 });

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
      [waiting(9), { lengths: [9, 9, 9, 9], startedInputs: 3 }, waiting(9, 9)],
      { sequences: 2 },
      [1, 1, 0],
    ],
    [
      "start after the inputs of earlier batches",
      [{ lengths: [99, 5], startedInputs: 1 }],
      {},
      [1],
    ],
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
    [
      "come from the oldest request that has not started all of its inputs",
      [{ lengths: [9, 9], startedInputs: 2 }, waiting(60, 60), waiting(60)],
      {},
      [0, 1, 0],
    ],
    ["are empty if the first one does not fit", [waiting(101), waiting(1)], {}, [0, 0]],
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

describe("the batches to start", () => {
  const lane = (computing?: BatchLane["computing"], tokens = 100, sequences = 4): BatchLane => ({
    computing,
    tokens,
    sequences,
  });
  const all = (...takenCounts: number[]) => ({ lane: 0, share: "all", takenCounts });
  const half = (index: number, ...takenCounts: number[]) => ({
    lane: index,
    share: "half",
    takenCounts,
  });

  test.each<[string, WaitingInputs[], BatchLane[], unknown[]]>([
    ["are none without inputs", [], [lane(), lane()], []],
    ["are one for one input", [waiting(10)], [lane(), lane()], [all(1)]],
    ["are one with one context", [waiting(10), waiting(10)], [lane()], [all(1, 1)]],
    [
      "are two for two inputs",
      [waiting(10), waiting(10)],
      [lane(), lane()],
      [half(0, 1, 0), half(1, 0, 1)],
    ],
    [
      "are two for the inputs of one request",
      [waiting(10, 10, 10, 10)],
      [lane(), lane()],
      [half(0, 2), half(1, 2)],
    ],
    [
      "have equally many tokens if possible",
      [waiting(30), waiting(10), waiting(10), waiting(10)],
      [lane(), lane()],
      [half(0, 1, 0, 0, 0), half(1, 0, 1, 1, 1)],
    ],
    [
      "are full with half of the tokens that fill one batch",
      [waiting(50, 50, 50, 50)],
      [lane(undefined, 200), lane(undefined, 200)],
      [half(0, 1), half(1, 1)],
    ],
    [
      "are one if the other inputs do not fit into the second context",
      [waiting(90, 90)],
      [lane(), lane(undefined, 50)],
      [all(1)],
    ],
    ["are none while one uses all threads", [waiting(10)], [lane("all"), lane()], []],
    [
      "are one more while one uses half of the threads",
      [waiting(10), waiting(10)],
      [lane("half"), lane()],
      [half(1, 1, 1)],
    ],
    ["may be in the first context again", [waiting(9)], [lane(), lane("half")], [half(0, 1)]],
    [
      "wait for the context that they fit into",
      [waiting(90)],
      [lane("half"), lane(undefined, 50)],
      [],
    ],
    ["are none while both contexts compute", [waiting(1)], [lane("half"), lane("half")], []],
    [
      "exclude inputs of earlier batches",
      [{ lengths: [10, 10, 10], startedInputs: 2 }],
      [lane("half"), lane()],
      [half(1, 1)],
    ],
    [
      "are none if all inputs are in earlier batches",
      [{ lengths: [10], startedInputs: 1 }],
      [lane("half"), lane()],
      [],
    ],
  ])("%s", (_, queuedInputs, lanes, batches) => {
    expect(planBatches(queuedInputs, lanes, 100)).toEqual(batches);
  });

  test("start an input in a lane at most once, and never exceed a context", () => {
    const request = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 8 });
    const secondTokens = fc.integer({ min: 1, max: 100 });
    const requests = fc.array(request, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(requests, secondTokens, (lengths, tokens) => {
        const lanes = [lane(), lane(undefined, tokens)];
        const batches = planBatches(
          lengths.map((one) => waiting(...one)),
          lanes,
          100,
        );
        expect(batches.length).toBeGreaterThan(0);
        const started = lengths.map(() => 0);
        for (const { lane: index, takenCounts } of batches) {
          const inputs = lengths.flatMap((one, place) => {
            const begin = started[place] ?? 0;
            started[place] = begin + (takenCounts[place] ?? 0);
            return one.slice(begin, started[place]);
          });
          expect(inputs.length).toBeGreaterThan(0);
          expect(inputs.length).toBeLessThanOrEqual(4);
          const total = inputs.reduce((sum, length) => sum + length, 0);
          expect(total).toBeLessThanOrEqual(lanes[index]?.tokens ?? 0);
        }
        expect(started.every((count, place) => count <= (lengths[place]?.length ?? 0))).toBe(true);
      }),
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
