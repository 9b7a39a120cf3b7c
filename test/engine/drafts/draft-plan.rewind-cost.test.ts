import { expect, test } from "vitest";
import { StepCosts } from "../../../src/engine/costs/step-costs.js";
import { computeExpectedRewindMs } from "../../../src/engine/drafts/draft-plan.js";

/** Steps of up to 2 tokens take 10 ms, larger ones 20 ms. */
const costs = new StepCosts();
for (const [tokens, stepMs] of [
  [1, 10],
  [2, 10],
  [4, 20],
  [16, 20],
] as const) {
  costs.learn(tokens, stepMs);
}

const drafts = { length: 9, plainTokens: 1, costs, markCosts: new StepCosts() };
const proposal = (acceptanceRate: number, rejectionRate: number) => ({
  acceptanceRate,
  rejectionRate,
});

test("the rewind cost of drafts includes their marks, whether rejected or not", () => {
  const proposals = [proposal(1, 0), proposal(1, 0)];
  const markCosts = new StepCosts();
  markCosts.learn(2, 0.5);
  expect(computeExpectedRewindMs({ ...drafts, proposals, markCosts })).toBe(0.5);
});

test("the rewind cost of a partly rejected draft includes evaluating accepted tokens again", () => {
  expect(computeExpectedRewindMs({ ...drafts, proposals: [proposal(0.5, 0.3)] })).toBeCloseTo(3);
});

test("the rewind cost of a completely rejected draft includes no further step", () => {
  expect(computeExpectedRewindMs({ ...drafts, proposals: [proposal(0, 1)] })).toBe(0);
});

test("unknown step costs count as zero", () => {
  const unknown = { ...drafts, costs: new StepCosts() };
  expect(computeExpectedRewindMs({ ...unknown, proposals: [proposal(0.5, 1)] })).toBe(0);
});

test("the rewind cost is zero without drafts", () => {
  const markCosts = new StepCosts();
  markCosts.learn(1, 0.5);
  expect(computeExpectedRewindMs({ ...drafts, proposals: [], markCosts })).toBe(0);
});
