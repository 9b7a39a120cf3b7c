import { describe, expect, test } from "vitest";
import { PrefillBudget } from "../../../src/engine/costs/prefill-budget.js";

const TARGET_MS = 100;
const BATCH_SIZE = 512;

/** A machine on which a decode step takes 20 ms and each prompt token adds 0.5 ms. */
function simulate(steps: number, decoding = 4) {
  const budget = new PrefillBudget(TARGET_MS, BATCH_SIZE, 65);
  const budgets: number[] = [];
  for (let step = 0; step < steps; step++) {
    budget.learn({ decodeTokens: decoding, prefillTokens: 0, stepMs: 20 });
    const prefillTokens = budget.computeTokens(decoding);
    budgets.push(prefillTokens);
    const stepMs = 20 + prefillTokens / 2;
    budget.learn({ decodeTokens: decoding, prefillTokens, stepMs });
  }
  return { budget, budgets };
}

describe("the prefill budget", () => {
  test("equals the target without decoding sequences, and the whole batch until costs are known", () => {
    expect(simulate(20).budget.computeTokensAlone()).toBe(200);
    expect(new PrefillBudget(TARGET_MS, BATCH_SIZE, 65).computeTokensAlone()).toBe(BATCH_SIZE);
  });

  test("grows with the target multiple of a step", () => {
    const { budget } = simulate(20);
    expect(budget.computeTokens(4)).toBe(160);
    // The whole tiles nearest to 360 and 260.
    expect(budget.computeTokens(4, 2)).toBe(385);
    expect(budget.computeTokens(4, 1.5)).toBe(257);
  });

  test("leaves room in the batch for the decoding sequences", () => {
    expect(new PrefillBudget(TARGET_MS, BATCH_SIZE, 65).computeTokens(32)).toBe(BATCH_SIZE - 32);
  });

  test("converges to steps that take as long as the target", () => {
    expect(simulate(20).budgets.at(-1)).toBe(160);
  });

  test("adapts faster to the cost per token of larger slices", () => {
    const learntFrom = (prefillTokens: number) => {
      const budget = new PrefillBudget(TARGET_MS, BATCH_SIZE, 65);
      budget.learn({ decodeTokens: 0, prefillTokens: 64, stepMs: 64 });
      budget.learn({ decodeTokens: 0, prefillTokens, stepMs: 2 * prefillTokens });
      return budget.msPerPrefillToken;
    };
    expect(learntFrom(16)).toBeCloseTo(1.2);
    expect(learntFrom(64)).toBeCloseTo(1.2);
    expect(learntFrom(256)).toBeCloseTo(1 + 1 - 0.8 ** 4);
  });

  test("does not exceed the batch if prompt tokens are cheap", () => {
    const budget = new PrefillBudget(10_000, BATCH_SIZE, 65);
    budget.learn({ decodeTokens: 1, prefillTokens: 100, stepMs: 5 });
    expect(budget.computeTokens(1)).toBe(BATCH_SIZE - 1);
  });

  test("lets prompts progress if decoding alone takes longer than the target", () => {
    const budget = new PrefillBudget(TARGET_MS, BATCH_SIZE, 65);
    budget.learn({ decodeTokens: 8, prefillTokens: 0, stepMs: 300 });
    budget.learn({ decodeTokens: 8, prefillTokens: 100, stepMs: 700 });
    expect(budget.computeTokens(8)).toBe(16);
  });

  test("grows with the number of decoding sequences, to about their share of a step", () => {
    const budget = new PrefillBudget(TARGET_MS, BATCH_SIZE, 65);
    budget.learn({ decodeTokens: 40, prefillTokens: 0, stepMs: 90 });
    budget.learn({ decodeTokens: 40, prefillTokens: 100, stepMs: 190 });
    expect(budget.computeTokens(40)).toBe(80);
  });

  test("learns the decode costs of few and of many sequences separately", () => {
    const budget = new PrefillBudget(TARGET_MS, BATCH_SIZE, 65);
    budget.learn({ decodeTokens: 2, prefillTokens: 0, stepMs: 10 });
    budget.learn({ decodeTokens: 32, prefillTokens: 0, stepMs: 70 });
    budget.learn({ decodeTokens: 32, prefillTokens: 30, stepMs: 100 });
    expect(budget.computeTokens(2)).toBe(90);
  });

  test("learns the cost of a prompt token also from steps without decoding", () => {
    const budget = new PrefillBudget(TARGET_MS, BATCH_SIZE, 65);
    budget.learn({ decodeTokens: 0, prefillTokens: 500, stepMs: 500 });
    expect(budget.computeTokens(1)).toBe(100);
  });

  test("adapts to a change of the machine's speed", () => {
    const { budget } = simulate(20);
    for (let step = 0; step < 40; step++) {
      budget.learn({ decodeTokens: 4, prefillTokens: 0, stepMs: 10 });
      budget.learn({ decodeTokens: 4, prefillTokens: 90, stepMs: 100 });
    }
    expect(Math.abs(budget.computeTokens(4) - 90)).toBeLessThanOrEqual(1);
  });

  test.each([
    ["may exceed the target for a full tile", 2.5, 65],
    ["does not exceed twice the target for a full tile", 4, 20],
  ])("%s", (_, msPerToken, tokens) => {
    const budget = new PrefillBudget(TARGET_MS, BATCH_SIZE, 65);
    budget.learn({ decodeTokens: 4, prefillTokens: 0, stepMs: 20 });
    budget.learn({ decodeTokens: 4, prefillTokens: 10, stepMs: 20 + 10 * msPerToken });
    expect(budget.computeTokens(4)).toBe(tokens);
  });
});
