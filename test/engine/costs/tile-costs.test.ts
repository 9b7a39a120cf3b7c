import { describe, expect, test } from "vitest";
import { TileCosts } from "../../../src/engine/costs/tile-costs.js";

const TARGET_MS = 100;

describe("a full tile of a prompt", () => {
  test("is worthwhile within twice the target, estimated by the average cost per token at first", () => {
    const costs = new TileCosts(TARGET_MS);
    expect(costs.isWorthwhile(3)).toBe(true);
    expect(costs.isWorthwhile(4)).toBe(false);
  });

  test("is measured separately from the cost per token of small slices", () => {
    const costs = new TileCosts(TARGET_MS);
    costs.learnTile(190);
    expect(costs.isWorthwhile(10)).toBe(true);
    costs.learnTile(210);
    expect(costs.isWorthwhile(1)).toBe(false);
  });

  test("is worthwhile if a small slice takes more than a third of its time", () => {
    const costs = new TileCosts(TARGET_MS);
    costs.learnTile(400);
    expect(costs.isWorthwhile(6)).toBe(false);
    costs.learnSlice(150);
    expect(costs.isWorthwhile(12)).toBe(true);
  });

  test("is not worthwhile if a small slice takes less than a third of its time", () => {
    const costs = new TileCosts(TARGET_MS);
    costs.learnTile(4000);
    costs.learnSlice(1000);
    expect(costs.isWorthwhile(62)).toBe(false);
  });

  test("is expected to be cheap again after the first small slice of the next prompt", () => {
    const costs = new TileCosts(TARGET_MS);
    costs.learnTile(400);
    costs.learnSlice(110);
    costs.forgetDepth();
    expect(costs.isWorthwhile(9)).toBe(false);
    costs.learnSlice(40);
    expect(costs.isWorthwhile(9)).toBe(true);
  });

  test("is tried again after 32 small slices", () => {
    const costs = new TileCosts(TARGET_MS);
    costs.learnTile(4000);
    for (let slice = 0; slice < 32; slice++) {
      expect(costs.isWorthwhile(62)).toBe(false);
      costs.learnSlice(1000);
    }
    expect(costs.isWorthwhile(62)).toBe(true);
    costs.learnTile(4000);
    expect(costs.isWorthwhile(62)).toBe(false);
  });

  test("is not compared with a slice that took no time", () => {
    const costs = new TileCosts(TARGET_MS);
    costs.learnTile(400);
    costs.learnSlice(0);
    costs.learnTile(400);
    expect(costs.isWorthwhile(6)).toBe(false);
  });
});
