import { describe, expect, test } from "vitest";
import { PrefillBudget } from "../../../src/engine/costs/prefill-budget.js";

const TARGET_MS = 100;
const BATCH = 512;

/** A machine on which decoding takes 20 ms a step and each prompt token adds half of one. */
function onMachine(steps: number, decoding = 4) {
  const budget = new PrefillBudget(TARGET_MS, BATCH);
  const given: number[] = [];
  for (let step = 0; step < steps; step++) {
    budget.learn({ decodeTokens: decoding, prefillTokens: 0, stepMs: 20 });
    const prefillTokens = budget.tokens(decoding);
    given.push(prefillTokens);
    const stepMs = 20 + prefillTokens / 2;
    budget.learn({ decodeTokens: decoding, prefillTokens, stepMs });
  }
  return { budget, given };
}

describe("the prefill budget", () => {
  test("is the whole batch when nobody waits for a token", () => {
    expect(onMachine(20).budget.tokens(0)).toBe(BATCH);
  });

  test("leaves room for the decoding sequences", () => {
    expect(new PrefillBudget(TARGET_MS, BATCH).tokens(32)).toBe(BATCH - 32);
  });

  test("settles where a step takes as long as the target", () => {
    expect(onMachine(20).given.at(-1)).toBe(160);
  });

  test("keeps within the batch when prompts are cheap", () => {
    const budget = new PrefillBudget(10_000, BATCH);
    budget.learn({ decodeTokens: 1, prefillTokens: 100, stepMs: 5 });
    expect(budget.tokens(1)).toBe(BATCH - 1);
  });

  test("lets prompts get ahead when decoding alone takes longer than the target", () => {
    const budget = new PrefillBudget(TARGET_MS, BATCH);
    budget.learn({ decodeTokens: 8, prefillTokens: 0, stepMs: 300 });
    budget.learn({ decodeTokens: 8, prefillTokens: 100, stepMs: 700 });
    expect(budget.tokens(8)).toBe(16);
  });

  test("gives prompts about as much of a step as many decoding sequences take", () => {
    const budget = new PrefillBudget(TARGET_MS, BATCH);
    budget.learn({ decodeTokens: 40, prefillTokens: 0, stepMs: 90 });
    budget.learn({ decodeTokens: 40, prefillTokens: 100, stepMs: 190 });
    expect(budget.tokens(40)).toBe(80);
  });

  test("tells what few sequences cost from what many do", () => {
    const budget = new PrefillBudget(TARGET_MS, BATCH);
    budget.learn({ decodeTokens: 2, prefillTokens: 0, stepMs: 10 });
    budget.learn({ decodeTokens: 32, prefillTokens: 0, stepMs: 70 });
    budget.learn({ decodeTokens: 32, prefillTokens: 30, stepMs: 100 });
    expect(budget.tokens(2)).toBe(90);
  });

  test("learns the cost of prompts from steps without decoding too", () => {
    const budget = new PrefillBudget(TARGET_MS, BATCH);
    budget.learn({ decodeTokens: 0, prefillTokens: 500, stepMs: 500 });
    expect(budget.tokens(1)).toBe(100);
  });

  test("forgets what the machine was like", () => {
    const { budget } = onMachine(20);
    for (let step = 0; step < 40; step++) {
      budget.learn({ decodeTokens: 4, prefillTokens: 0, stepMs: 10 });
      budget.learn({ decodeTokens: 4, prefillTokens: 90, stepMs: 100 });
    }
    expect(Math.abs(budget.tokens(4) - 90)).toBeLessThanOrEqual(1);
  });

  test.each([
    ["stretches a step to a slice of a useful size", 2.5, 65],
    ["but not to more than twice the target", 4, 20],
  ])("%s", (_, msPerToken, tokens) => {
    const budget = new PrefillBudget(TARGET_MS, BATCH);
    budget.learn({ decodeTokens: 4, prefillTokens: 0, stepMs: 20 });
    budget.learn({ decodeTokens: 4, prefillTokens: 10, stepMs: 20 + 10 * msPerToken });
    expect(budget.tokens(4)).toBe(tokens);
  });

  test("of a time is what can be evaluated in it", () => {
    const { budget } = onMachine(20);
    expect(budget.tokensWithin(50)).toBe(100);
    expect(budget.tokensWithin(0)).toBe(16);
    expect(budget.tokensWithin(1000)).toBe(BATCH);
    expect(new PrefillBudget(TARGET_MS, BATCH).tokensWithin(1)).toBe(BATCH);
  });
});
