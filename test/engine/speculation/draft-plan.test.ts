import { describe, expect, test } from "vitest";
import { StepCosts } from "../../../src/engine/costs/step-costs.js";
import { type DraftPlanOptions, planDrafts } from "../../../src/engine/speculation/draft-plan.js";

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
  draft: Array.from({ length }, (_, index) => index),
  acceptanceRate,
});

/** A machine on which a pass takes `fixed` milliseconds and each token adds some. */
function costs(fixed: number, perToken: number): StepCosts {
  const known = new StepCosts();
  for (let tokens = 1; tokens <= 1024; tokens *= 2) known.learn(tokens, fixed + tokens * perToken);
  return known;
}

const usual: DraftPlanOptions<Candidate> = {
  lookups: [],
  candidates: [candidate("a")],
  decoding: 1,
  maxDraftTokens: 100,
  costs: costs(10, 0.1),
  draftCosts: costs(1, 0),
};

const plan = (options: Partial<DraftPlanOptions<Candidate>>) => {
  const made = planDrafts({ ...usual, ...options });
  return made && { names: made.candidates.map(({ name }) => name), length: made.length };
};

describe("the draft model proposes", () => {
  test("where its passes are cheap and it is mostly right, the longer the better it is", () => {
    const lengths = [0.3, 0.6, 0.8, 0.97].map(
      (chance) => plan({ candidates: [candidate("a", chance)] })?.length,
    );
    expect(lengths).toEqual(lengths.toSorted((a = 0, b = 0) => a - b));
    expect(lengths[0]).toBeLessThanOrEqual(2);
    expect(lengths[3]).toBeGreaterThanOrEqual(7);
  });

  test.each<[string, Partial<DraftPlanOptions<Candidate>>]>([
    ["where it is as slow as the main model", { draftCosts: costs(10, 0) }],
    ["where it is mostly wrong", { candidates: [candidate("a", 0.05)] }],
    ["where each verified token costs as much as a step", { costs: costs(0, 10) }],
    ["for nobody", { candidates: [] }],
    ["for who may say one more token only", { candidates: [candidate("a", 0.9, 0)] }],
    ["into a full batch", { maxDraftTokens: 0 }],
  ])("not %s", (_, options) => {
    expect(plan(options)).toBeUndefined();
  });

  test("not in large batches, where verifying costs more than it brings", () => {
    const candidates = Array.from({ length: 32 }, (_, index) => candidate(`${index}`, 0.6));
    const expensive = { costs: costs(10, 2), draftCosts: costs(1, 0.4), maxDraftTokens: 1000 };
    expect(plan({ ...expensive, candidates: candidates.slice(0, 1) })).toBeDefined();
    expect(plan({ ...expensive, candidates, decoding: 32 })).toBeUndefined();
  });

  test("for those whose text it knows well, and not for the others", () => {
    const candidates = [candidate("bad", 0.02), candidate("good", 0.9), candidate("fair", 0.85)];
    const options = { candidates, decoding: 3, costs: costs(10, 1), draftCosts: costs(0, 0.2) };
    expect(plan(options)?.names).toEqual(["good", "fair"]);
  });

  test("no further than each may go", () => {
    expect(plan({ candidates: [candidate("a", 0.99, 3)] })?.length).toBe(3);
  });

  test("no more than the batch has room for", () => {
    const candidates = [candidate("a", 0.99), candidate("b", 0.99), candidate("c", 0.99)];
    const { names = [], length = 0 } = plan({ candidates, decoding: 3, maxDraftTokens: 7 }) ?? {};
    expect(names.length * length).toBeLessThanOrEqual(7);
  });

  test("a little, to begin with, when nobody knows what it costs", () => {
    expect(plan({ draftCosts: new StepCosts() })?.length).toBe(2);
    const known = new StepCosts();
    known.learn(1, 10);
    expect(plan({ costs: known, draftCosts: new StepCosts() })?.length).toBe(2);
  });

  test("nothing beside a lookup that does better alone", () => {
    const lookups = [lookup(7, 16, 0.95)];
    const slow = { candidates: [candidate("a", 0.3)], decoding: 2, draftCosts: costs(3, 0) };
    expect(plan({ ...slow, lookups })).toBeUndefined();
  });

  test("beside lookups, at a length that suits both", () => {
    const lookups = [lookup(7, 4, 0.9)];
    const made = plan({ lookups, candidates: [candidate("a", 0.95)], decoding: 2 });
    expect(made).toEqual({ names: ["a"], length: 4 });
  });
});
