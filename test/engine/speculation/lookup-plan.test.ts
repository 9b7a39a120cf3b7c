import { describe, expect, test } from "vitest";
import { StepCosts } from "../../../src/engine/costs/step-costs.js";
import {
  type LookupPlanOptions,
  type LookupProposal,
  planLookups,
} from "../../../src/engine/speculation/lookup-plan.js";

const proposal = (sequenceId: number, length: number, acceptanceRate = 0.9): LookupProposal => ({
  sequenceId,
  source: "lookup",
  draft: Array.from({ length }, (_, index) => index),
  acceptanceRate,
  rejectionRate: 1 - acceptanceRate,
});

/** A machine on which a step takes 10 ms and each token adds `msPerToken`. */
function costs(msPerToken: number): StepCosts {
  const stepCosts = new StepCosts();
  for (let tokens = 1; tokens <= 128; tokens *= 2)
    stepCosts.learn(tokens, 10 + tokens * msPerToken);
  return stepCosts;
}

const plan = (options: Omit<LookupPlanOptions, "redoneTokens"> & Partial<LookupPlanOptions>) =>
  planLookups({ redoneTokens: 0, ...options });

const lengths = (chosen: readonly LookupProposal[]) =>
  chosen.map(({ sequenceId, draft }) => [sequenceId, draft.length]);

describe("lookup drafts are verified", () => {
  test("where tokens are nearly free", () => {
    const options = {
      proposals: [proposal(0, 8)],
      decoding: 1,
      maxDraftTokens: 100,
      costs: costs(0.1),
    };
    expect(lengths(plan(options))).toEqual([[0, 8]]);
  });

  test("not where each token costs as much as another step", () => {
    const options = {
      proposals: [proposal(0, 8, 0.3)],
      decoding: 1,
      maxDraftTokens: 100,
      costs: costs(20),
    };
    expect(lengths(plan(options))).toEqual([]);
  });

  test("not when their acceptance rate is low", () => {
    const options = {
      proposals: [proposal(0, 8, 0.01)],
      decoding: 1,
      maxDraftTokens: 100,
      costs: costs(1),
    };
    expect(lengths(plan(options))).toEqual([]);
  });

  test("in steps of a size whose cost is unknown", () => {
    const stepCosts = new StepCosts();
    stepCosts.learn(1, 10);
    const options = {
      proposals: [proposal(0, 8, 0.01)],
      decoding: 1,
      maxDraftTokens: 100,
      costs: stepCosts,
    };
    expect(lengths(plan(options))).toEqual([[0, 8]]);
  });

  test("at the length that covers most tokens; shorter drafts are left out", () => {
    const proposals = [proposal(0, 2), proposal(1, 8), proposal(2, 6), proposal(3, 0)];
    const options = { proposals, decoding: 4, maxDraftTokens: 100, costs: costs(0.01) };
    expect(lengths(plan(options))).toEqual([
      [1, 6],
      [2, 6],
    ]);
  });

  test("as far as the batch has room", () => {
    const proposals = [proposal(0, 4), proposal(1, 4), proposal(2, 4)];
    const options = { proposals, decoding: 3, maxDraftTokens: 9, costs: costs(0.01) };
    expect(lengths(plan(options))).toEqual([
      [0, 4],
      [1, 4],
    ]);
  });

  test("not where states cannot be truncated and marks cost more than is won", () => {
    const options = {
      proposals: [proposal(0, 8, 0.5)],
      decoding: 1,
      maxDraftTokens: 100,
      costs: costs(0.1),
    };
    const planned = (markMs: number) => {
      const markCosts = new StepCosts();
      markCosts.learn(1, markMs);
      return lengths(plan({ ...options, rewinding: { markCosts } }));
    };
    expect(planned(1)).toEqual([[0, 8]]);
    expect(planned(50)).toEqual([]);
  });

  test("not where evaluating the accepted part again costs more than is won", () => {
    const options = {
      proposals: [proposal(0, 2, 0.4)],
      decoding: 1,
      maxDraftTokens: 100,
      costs: costs(3),
    };
    expect(lengths(plan(options))).toEqual([[0, 2]]);
    expect(lengths(plan({ ...options, rewinding: { markCosts: new StepCosts() } }))).toEqual([]);
  });

  test("of forced text, which is always right, also where others do not pay", () => {
    const options = { decoding: 1, maxDraftTokens: 100, costs: costs(5) };
    const lookup = proposal(0, 8, 0.3);
    const forced = { ...lookup, source: "grammar", acceptanceRate: 1, rejectionRate: 0 } as const;
    expect(plan({ ...options, proposals: [lookup] })).toEqual([]);
    expect(plan({ ...options, proposals: [forced] })).toEqual([forced]);
  });

  test("not when there are none", () => {
    const options = { proposals: [], decoding: 3, maxDraftTokens: 9, costs: new StepCosts() };
    expect(plan(options)).toEqual([]);
  });
});
