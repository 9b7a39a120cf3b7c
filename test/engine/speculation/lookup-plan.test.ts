import { describe, expect, test } from "vitest";
import { StepCosts } from "../../../src/engine/costs/step-costs.js";
import { DraftLength } from "../../../src/engine/speculation/draft-length.js";
import { chooseDrafts, type Proposal } from "../../../src/engine/speculation/lookup-plan.js";

const proposal = (sequenceId: number, length: number, hitRate = 0.9): Proposal => ({
  sequenceId,
  draft: Array.from({ length }, (_, index) => index),
  hitRate,
});

/** A machine on which a step takes 10 ms and each token adds some. */
function costs(msPerToken: number): StepCosts {
  const known = new StepCosts();
  for (let tokens = 1; tokens <= 128; tokens *= 2) known.learn(tokens, 10 + tokens * msPerToken);
  return known;
}

const lengths = (chosen: readonly Proposal[]) =>
  chosen.map(({ sequenceId, draft }) => [sequenceId, draft.length]);

describe("drafts are verified", () => {
  test("where tokens are nearly free", () => {
    const options = { proposals: [proposal(0, 8)], decoding: 1, room: 100, costs: costs(0.1) };
    expect(lengths(chooseDrafts(options))).toEqual([[0, 8]]);
  });

  test("not where each token costs as much as another step", () => {
    const options = { proposals: [proposal(0, 8, 0.3)], decoding: 1, room: 100, costs: costs(20) };
    expect(lengths(chooseDrafts(options))).toEqual([]);
  });

  test("not when they have mostly been wrong", () => {
    const options = { proposals: [proposal(0, 8, 0.01)], decoding: 1, room: 100, costs: costs(1) };
    expect(lengths(chooseDrafts(options))).toEqual([]);
  });

  test("in steps of a size that nobody has tried", () => {
    const known = new StepCosts();
    known.learn(1, 10);
    const options = { proposals: [proposal(0, 8, 0.01)], decoding: 1, room: 100, costs: known };
    expect(lengths(chooseDrafts(options))).toEqual([[0, 8]]);
  });

  test("at one length, the one that covers most; shorter ones stay out", () => {
    const proposals = [proposal(0, 2), proposal(1, 8), proposal(2, 6), proposal(3, 0)];
    const options = { proposals, decoding: 4, room: 100, costs: costs(0.01) };
    expect(lengths(chooseDrafts(options))).toEqual([
      [1, 6],
      [2, 6],
    ]);
  });

  test("as far as the batch has room", () => {
    const proposals = [proposal(0, 4), proposal(1, 4), proposal(2, 4)];
    const options = { proposals, decoding: 3, room: 9, costs: costs(0.01) };
    expect(lengths(chooseDrafts(options))).toEqual([
      [0, 4],
      [1, 4],
    ]);
  });

  test("not when there are none", () => {
    const options = { proposals: [], decoding: 3, room: 9, costs: new StepCosts() };
    expect(chooseDrafts(options)).toEqual([]);
  });
});

describe("the costs of steps", () => {
  test("are known by size class, and follow the machine", () => {
    const known = new StepCosts();
    expect(known.estimate(1)).toBeUndefined();
    for (let step = 0; step < 40; step++) known.learn(6, 30);
    expect(known.estimate(5)).toBeCloseTo(30);
    expect(known.estimate(4)).toBeUndefined();
    for (let step = 0; step < 40; step++) known.learn(8, 60);
    expect(known.estimate(7)).toBeCloseTo(60, 0);
  });

  test("are forgotten when a size was not seen for long", () => {
    const known = new StepCosts();
    known.learn(16, 500);
    for (let step = 0; step < 999; step++) known.learn(1, 10);
    expect(known.estimate(16)).toBe(500);
    known.learn(1, 10);
    expect(known.estimate(16)).toBeUndefined();
  });
});

describe("a cost that nobody knows", () => {
  test("is at least that of the largest size below it", () => {
    const known = new StepCosts();
    expect(known.atLeast(8)).toBe(0);
    known.learn(1, 10);
    known.learn(4, 14);
    expect([1, 2, 3, 4, 5, 64].map((tokens) => known.atLeast(tokens))).toEqual([
      10, 10, 14, 14, 14, 14,
    ]);
  });

  test("comes about also while such steps are not taken", () => {
    const known = new StepCosts();
    known.learn(1, 10);
    for (let step = 0; step < 999; step++) known.skip();
    expect(known.estimate(1)).toBe(10);
    known.skip();
    expect(known.estimate(1)).toBeUndefined();
  });
});

describe("the length of a draft", () => {
  test("doubles as long as all is right, up to sixteen", () => {
    const length = new DraftLength();
    const seen = [length.current(0)];
    for (let round = 0; round < 4; round++) {
      length.learn({ proposed: length.current(0), accepted: length.current(0) });
      seen.push(length.current(0));
    }
    expect(seen).toEqual([2, 4, 8, 16, 16]);
  });

  test("shrinks to what was right", () => {
    const length = new DraftLength();
    for (let round = 0; round < 3; round++) length.learn({ proposed: 8, accepted: 8 });
    length.learn({ proposed: 16, accepted: 5 });
    expect(length.current(0)).toBe(5);
    length.learn({ proposed: 5, accepted: 1 });
    expect(length.current(0)).toBe(2);
  });

  test("pauses when nothing was right, longer each time, until something is", () => {
    const length = new DraftLength();
    const pause = () => {
      let tokens = 0;
      for (; length.current(0) === 0; tokens++) length.skip();
      return tokens;
    };
    const wrong = { proposed: 2, accepted: 0 };
    const pauses = Array.from({ length: 8 }, () => {
      length.learn(wrong);
      return pause();
    });
    expect(pauses).toEqual([4, 8, 16, 32, 64, 128, 256, 256]);
    length.learn({ proposed: 2, accepted: 1 });
    length.learn(wrong);
    expect(pause()).toBe(4);
  });
});
