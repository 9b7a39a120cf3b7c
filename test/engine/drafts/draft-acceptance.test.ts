import { describe, expect, test } from "vitest";
import {
  countExpectedAccepted,
  DraftAcceptance,
} from "../../../src/engine/drafts/draft-acceptance.js";

const afterOutcomes = (count: number, outcome: { proposed: number; accepted: number }) => {
  const acceptance = new DraftAcceptance();
  for (let index = 0; index < count; index++) acceptance.learn(outcome);
  return acceptance;
};

describe("the acceptance probability", () => {
  test("starts at 0.75", () => {
    expect(new DraftAcceptance().estimateProbability()).toBe(0.75);
  });

  test("starts at a given prior", () => {
    expect(new DraftAcceptance().estimateProbability(0.2)).toBe(0.2);
    expect(afterOutcomes(200, { proposed: 4, accepted: 4 }).estimateProbability(0)).toBeGreaterThan(
      0.95,
    );
  });

  test.each([
    { proposed: 4, accepted: 4, probability: 1 },
    { proposed: 4, accepted: 0, probability: 0 },
    { proposed: 8, accepted: 1, probability: 0.5 },
    { proposed: 3, accepted: 2, probability: 0.67 },
  ])(
    "approaches $probability if $accepted of $proposed tokens are accepted each time",
    (outcome) => {
      expect(afterOutcomes(200, outcome).estimateProbability()).toBeCloseTo(outcome.probability, 1);
    },
  );

  test("adapts to a change of the text", () => {
    const acceptance = afterOutcomes(200, { proposed: 4, accepted: 4 });
    for (let index = 0; index < 100; index++) acceptance.learn({ proposed: 4, accepted: 0 });
    expect(acceptance.estimateProbability()).toBeLessThan(0.5);
  });

  test("decays to the prior without drafts, so that drafting is retried", () => {
    const acceptance = afterOutcomes(20, { proposed: 2, accepted: 0 });
    const before = acceptance.estimateProbability();
    acceptance.skip();
    expect(acceptance.estimateProbability() - before).toBeLessThan(0.01);
    for (let step = 0; step < 2000; step++) acceptance.skip();
    expect(acceptance.estimateProbability()).toBeCloseTo(0.75);
  });
});

test.each([
  { probability: 1, length: 5, accepted: 5 },
  { probability: 0, length: 5, accepted: 0 },
  { probability: 0.5, length: 3, accepted: 0.875 },
  { probability: 0.9, length: 0, accepted: 0 },
])(
  "of $length draft tokens with probability $probability, $accepted are expected to be accepted",
  (row) => {
    expect(countExpectedAccepted(row.probability, row.length)).toBeCloseTo(row.accepted);
  },
);
