import { expect, test } from "vitest";
import { AddedCosts } from "../../../src/engine/drafts/draft-plan.js";

test("the added cost of drafts is the excess over a plain step of the same size", () => {
  const costs = new AddedCosts();
  costs.learnPlain(16, 40);
  costs.learnAdded(16, "forced", 4, 55);
  costs.learnAdded(16, "verified", 4, 70);
  expect(costs.estimatePlainMs(16)).toBe(40);
  expect(costs.estimateAddedMs("forced", 4)).toBe(15);
  expect(costs.estimateAddedMs("verified", 4)).toBe(30);
});

test("the added cost is unknown until a step with such drafts and a plain step were measured", () => {
  const costs = new AddedCosts();
  costs.learnAdded(16, "forced", 4, 55);
  expect(costs.estimatePlainMs(16)).toBeUndefined();
  expect(costs.estimateAddedMs("forced", 4)).toBeUndefined();
});

test("the added cost is 0 without drafts and for steps faster than plain ones", () => {
  const costs = new AddedCosts();
  expect(costs.estimateAddedMs("verified", 0)).toBe(0);
  costs.learnPlain(1, 10);
  costs.learnAdded(1, "verified", 2, 9);
  expect(costs.estimateAddedMs("verified", 2)).toBe(0);
});

test("the added cost expires after a thousand plain steps", () => {
  const costs = new AddedCosts();
  costs.learnPlain(1, 10);
  costs.learnAdded(1, "verified", 2, 90);
  for (let step = 0; step < 1000; step++) costs.learnPlain(1, 10);
  expect(costs.estimateAddedMs("verified", 2)).toBeUndefined();
});
