import { describe, expect, test } from "vitest";
import { StepCosts } from "../../../src/engine/costs/step-costs.js";

describe("the costs of steps", () => {
  test("are known by size class, and follow the machine", () => {
    const known = new StepCosts();
    expect(known.estimateMs(1)).toBeUndefined();
    for (let step = 0; step < 40; step++) known.learn(6, 30);
    expect(known.estimateMs(5)).toBeCloseTo(30);
    expect(known.estimateMs(4)).toBeUndefined();
    for (let step = 0; step < 40; step++) known.learn(8, 60);
    expect(known.estimateMs(7)).toBeCloseTo(60, 0);
  });

  test("are forgotten when a size was not seen for long", () => {
    const known = new StepCosts();
    known.learn(16, 500);
    for (let step = 0; step < 999; step++) known.learn(1, 10);
    expect(known.estimateMs(16)).toBe(500);
    known.learn(1, 10);
    expect(known.estimateMs(16)).toBeUndefined();
  });
});

describe("a cost that nobody knows", () => {
  test("is at least that of the largest size below it", () => {
    const known = new StepCosts();
    expect(known.lowerBoundMs(8)).toBe(0);
    known.learn(1, 10);
    known.learn(4, 14);
    expect([1, 2, 3, 4, 5, 64].map((tokens) => known.lowerBoundMs(tokens))).toEqual([
      10, 10, 14, 14, 14, 14,
    ]);
  });

  test("comes about also while such steps are not taken", () => {
    const known = new StepCosts();
    known.learn(1, 10);
    for (let step = 0; step < 999; step++) known.skip();
    expect(known.estimateMs(1)).toBe(10);
    known.skip();
    expect(known.estimateMs(1)).toBeUndefined();
  });
});
