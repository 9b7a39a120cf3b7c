import { describe, expect, test } from "vitest";
import { StepCosts } from "../../../src/engine/costs/step-costs.js";
import { type DraftPlanOptions, planDrafts } from "../../../src/engine/drafts/draft-plan.js";

interface Candidate {
  readonly name: string;
  readonly acceptanceProbability: number;
  readonly maxTokens: number;
}

const candidate = (name: string, acceptanceProbability = 0.8, maxTokens = 100): Candidate => ({
  name,
  acceptanceProbability,
  maxTokens,
});
const lookup = (sequenceId: number, length: number, acceptanceRate: number) => ({
  sequenceId,
  source: "lookup" as const,
  draft: Array.from({ length }, (_, index) => index),
  acceptanceRate,
  rejectionRate: 1 - acceptanceRate,
});

/** A machine on which a pass takes `fixedMs` and each token adds `msPerToken`. */
function costs(fixedMs: number, msPerToken: number): StepCosts {
  const stepCosts = new StepCosts();
  for (let tokens = 1; tokens <= 1024; tokens *= 2)
    stepCosts.learn(tokens, fixedMs + tokens * msPerToken);
  return stepCosts;
}

const defaults: DraftPlanOptions<Candidate> = {
  lookups: [],
  candidates: [candidate("a")],
  decoding: 1,
  maxDraftTokens: 100,
  costs: costs(10, 0.1),
  draftCosts: costs(1, 0),
};

const plan = (options: Partial<DraftPlanOptions<Candidate>>) => {
  const planned = planDrafts({ ...defaults, ...options });
  return planned && { names: planned.candidates.map(({ name }) => name), length: planned.length };
};

describe("planning drafts of the draft model", () => {
  test("uses longer drafts for a higher acceptance probability, if its passes are cheap", () => {
    const lengths = [0.3, 0.6, 0.8, 0.97].map(
      (probability) => plan({ candidates: [candidate("a", probability)] })?.length,
    );
    expect(lengths).toEqual(lengths.toSorted((a = 0, b = 0) => a - b));
    expect(lengths[0]).toBeLessThanOrEqual(2);
    expect(lengths[3]).toBeGreaterThanOrEqual(7);
  });

  test.each<[string, Partial<DraftPlanOptions<Candidate>>]>([
    ["if the draft model is as slow as the main model", { draftCosts: costs(10, 0) }],
    ["if most draft tokens are rejected", { candidates: [candidate("a", 0.05)] }],
    ["if verifying a token costs as much as a step", { costs: costs(0, 10) }],
    ["if there are no candidates", { candidates: [] }],
    ["for a generation with one token left", { candidates: [candidate("a", 0.9, 0)] }],
    ["if the batch is full", { maxDraftTokens: 0 }],
  ])("skips drafts %s", (_, options) => {
    expect(plan(options)).toBeUndefined();
  });

  test("skips drafts in large batches if verification costs more than is gained", () => {
    const candidates = Array.from({ length: 32 }, (_, index) => candidate(`${index}`, 0.6));
    const expensive = { costs: costs(10, 2), draftCosts: costs(1, 0.4), maxDraftTokens: 1000 };
    expect(plan({ ...expensive, candidates: candidates.slice(0, 1) })).toBeDefined();
    expect(plan({ ...expensive, candidates, decoding: 32 })).toBeUndefined();
  });

  test("drafts only for generations with a high acceptance probability", () => {
    const candidates = [candidate("bad", 0.02), candidate("good", 0.9), candidate("fair", 0.85)];
    const options = { candidates, decoding: 3, costs: costs(10, 1), draftCosts: costs(0, 0.2) };
    expect(plan(options)?.names).toEqual(["good", "fair"]);
  });

  test("skips drafts if marks and rewinds cost more than is gained", () => {
    const marks = (ms: number) => {
      const markCosts = new StepCosts();
      markCosts.learn(1, ms);
      return { costs: defaults.costs, markCosts };
    };
    const candidates = [candidate("a", 0.7)];
    expect(plan({ candidates, rewinding: marks(0.1) })).toBeDefined();
    expect(plan({ candidates, rewinding: marks(100) })).toBeUndefined();
  });

  test("limits drafts to the remaining tokens of each candidate", () => {
    expect(plan({ candidates: [candidate("a", 0.99, 3)] })?.length).toBe(3);
  });

  test("limits drafts to the tokens that fit into the batch", () => {
    const candidates = [candidate("a", 0.99), candidate("b", 0.99), candidate("c", 0.99)];
    const { names = [], length = 0 } = plan({ candidates, decoding: 3, maxDraftTokens: 7 }) ?? {};
    expect(names.length * length).toBeLessThanOrEqual(7);
  });

  test("drafts two tokens while the cost of a pass is unknown", () => {
    expect(plan({ draftCosts: new StepCosts() })?.length).toBe(2);
    const stepCosts = new StepCosts();
    stepCosts.learn(1, 10);
    expect(plan({ costs: stepCosts, draftCosts: new StepCosts() })?.length).toBe(2);
  });

  test("skips drafts if lookups alone gain more", () => {
    const lookups = [lookup(7, 16, 0.95)];
    const slow = { candidates: [candidate("a", 0.3)], decoding: 2, draftCosts: costs(3, 0) };
    expect(plan({ ...slow, lookups })).toBeUndefined();
  });

  test("combines drafts with lookups at a common length", () => {
    const lookups = [lookup(7, 4, 0.9)];
    const planned = plan({ lookups, candidates: [candidate("a", 0.95)], decoding: 2 });
    expect(planned).toEqual({ names: ["a"], length: 4 });
  });
});
