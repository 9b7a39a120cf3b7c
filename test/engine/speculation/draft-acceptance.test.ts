import { describe, expect, test } from "vitest";
import {
  DraftAcceptance,
  expectedAccepted,
} from "../../../src/engine/speculation/draft-acceptance.js";

const learnt = (times: number, outcome: { proposed: number; accepted: number }) => {
  const acceptance = new DraftAcceptance();
  for (let time = 0; time < times; time++) acceptance.learn(outcome);
  return acceptance;
};

describe("the chance that the draft model is right", () => {
  test("is good until something is known", () => {
    expect(new DraftAcceptance().probability()).toBe(0.75);
  });

  test("is what others have seen until something is known", () => {
    expect(new DraftAcceptance().probability(0.2)).toBe(0.2);
    expect(learnt(200, { proposed: 4, accepted: 4 }).probability(0)).toBeGreaterThan(0.95);
  });

  test.each([
    { proposed: 4, accepted: 4, chance: 1 },
    { proposed: 4, accepted: 0, chance: 0 },
    { proposed: 8, accepted: 1, chance: 0.5 },
    { proposed: 3, accepted: 2, chance: 0.67 },
  ])("comes to $chance when $accepted of $proposed are right each time", (outcome) => {
    expect(learnt(200, outcome).probability()).toBeCloseTo(outcome.chance, 1);
  });

  test("follows a text that changes", () => {
    const acceptance = learnt(200, { proposed: 4, accepted: 4 });
    for (let time = 0; time < 100; time++) acceptance.learn({ proposed: 4, accepted: 0 });
    expect(acceptance.probability()).toBeLessThan(0.5);
  });

  test("is forgotten while nothing is drafted, so that it is tried again", () => {
    const acceptance = learnt(20, { proposed: 2, accepted: 0 });
    const before = acceptance.probability();
    acceptance.skip();
    expect(acceptance.probability() - before).toBeLessThan(0.01);
    for (let step = 0; step < 2000; step++) acceptance.skip();
    expect(acceptance.probability()).toBeCloseTo(0.75);
  });
});

test.each([
  { chance: 1, length: 5, right: 5 },
  { chance: 0, length: 5, right: 0 },
  { chance: 0.5, length: 3, right: 0.875 },
  { chance: 0.9, length: 0, right: 0 },
])("of $length tokens of a chance of $chance each, $right are right", (row) => {
  expect(expectedAccepted(row.chance, row.length)).toBeCloseTo(row.right);
});
