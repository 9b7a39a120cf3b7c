import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageTotals } from "../../../src/api/fields/usage.js";
import type { TokenUsage } from "../../../src/core/generation-event.js";

const count = fc.nat(50);
const usage: fc.Arbitrary<TokenUsage> = fc.record(
  {
    promptTokens: count,
    cachedTokens: count,
    completionTokens: count,
    reasoningTokens: count,
    prediction: fc.record({ acceptedTokens: count, rejectedTokens: count }),
  },
  { requiredKeys: ["promptTokens", "cachedTokens", "completionTokens", "reasoningTokens"] },
);

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Recomputes the usage of all completions. */
function addedUp(completions: ReadonlyMap<number, TokenUsage>, perPrompt: number) {
  const sorted = [...completions].toSorted(([a], [b]) => a - b);
  const promptOf = (index: number) => Math.floor(index / perPrompt);
  const firsts = sorted.filter(
    ([index], place) => promptOf(index) !== promptOf(sorted[place - 1]?.[0] ?? Number.NaN),
  );
  const all = sorted.map(([, one]) => one);
  const prompt = sum(firsts.map(([, one]) => one.promptTokens));
  const completion = sum(all.map((one) => one.completionTokens));
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: sum(firsts.map(([, one]) => one.cachedTokens)) },
    completion_tokens_details: {
      reasoning_tokens: sum(all.map((one) => one.reasoningTokens)),
      accepted_prediction_tokens: sum(all.map((one) => one.prediction?.acceptedTokens ?? 0)),
      rejected_prediction_tokens: sum(all.map((one) => one.prediction?.rejectedTokens ?? 0)),
    },
  };
}

describe("UsageTotals", () => {
  it("sums all completions, in any order of arrival", () => {
    const perPrompt = fc.constantFrom(1, 2, 3, Number.POSITIVE_INFINITY);
    fc.assert(
      fc.property(perPrompt, fc.array(fc.tuple(fc.nat(7), usage)), (size, changes) => {
        const totals = new UsageTotals(size);
        const completions = new Map<number, TokenUsage>();
        for (const [index, one] of changes) {
          totals.set(index, one);
          completions.set(index, one);
          expect(totals.usage).toEqual(addedUp(completions, size));
        }
      }),
    );
  });

  it("reads only the completion that changes", () => {
    let reads = 0;
    const counted = (completionTokens: number): TokenUsage => ({
      promptTokens: 1,
      cachedTokens: 0,
      reasoningTokens: 0,
      get completionTokens() {
        reads++;
        return completionTokens;
      },
    });
    const totals = new UsageTotals(1);
    for (let index = 0; index < 100; index++) totals.set(index, counted(1));
    reads = 0;
    totals.set(50, counted(2));
    expect(totals.usage.completion_tokens).toBe(101);
    expect(reads).toBe(2);
  });
});
