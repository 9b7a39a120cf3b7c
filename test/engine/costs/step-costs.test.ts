import { describe, expect, test } from "vitest";
import { StepCosts } from "../../../src/engine/costs/step-costs.js";

describe("the estimated step costs", () => {
  test("are learned by size class, and adapt to the machine's speed", () => {
    const costs = new StepCosts();
    expect(costs.estimateMs(1)).toBeUndefined();
    for (let step = 0; step < 40; step++) costs.learn(6, 30);
    expect(costs.estimateMs(5)).toBeCloseTo(30);
    expect(costs.estimateMs(4)).toBeUndefined();
    for (let step = 0; step < 40; step++) costs.learn(8, 60);
    expect(costs.estimateMs(7)).toBeCloseTo(60, 0);
  });

  test("are discarded if a size class has not been measured for a thousand steps", () => {
    const costs = new StepCosts();
    costs.learn(16, 500);
    for (let step = 0; step < 999; step++) costs.learn(1, 10);
    expect(costs.estimateMs(16)).toBe(500);
    costs.learn(1, 10);
    expect(costs.estimateMs(16)).toBeUndefined();
  });
});

describe("an unknown step cost", () => {
  test("is interpolated between known costs, or equals the largest known cost", () => {
    const costs = new StepCosts();
    expect(costs.interpolateMs(8)).toBe(0);
    costs.learn(16, 80);
    expect([4, 8, 12].map((tokens) => costs.interpolateMs(tokens))).toEqual([20, 40, 80]);
    costs.learn(2, 10);
    expect([2, 8, 64].map((tokens) => costs.interpolateMs(tokens))).toEqual([10, 40, 80]);
    costs.learn(8, 30);
    expect(costs.interpolateMs(8)).toBe(30);
  });

  test("has the largest known cost of a smaller size as its lower bound", () => {
    const costs = new StepCosts();
    expect(costs.estimateLowerBoundMs(8)).toBe(0);
    costs.learn(1, 10);
    costs.learn(4, 14);
    expect([1, 2, 3, 4, 5, 64].map((tokens) => costs.estimateLowerBoundMs(tokens))).toEqual([
      10, 10, 14, 14, 14, 14,
    ]);
  });

  test("also results from an estimate that expires after a thousand skipped steps", () => {
    const costs = new StepCosts();
    costs.learn(1, 10);
    for (let step = 0; step < 999; step++) costs.skip();
    expect(costs.estimateMs(1)).toBe(10);
    costs.skip();
    expect(costs.estimateMs(1)).toBeUndefined();
  });
});
