import { describe, expect, test } from "vitest";
import { StepCosts } from "../../../src/engine/costs/step-costs.js";
import {
  AddedCosts,
  type LookupPlanOptions,
  type LookupProposal,
  planLookups,
} from "../../../src/engine/drafts/draft-plan.js";

const proposal = (sequenceId: number, length: number, acceptanceRate = 0.9): LookupProposal => ({
  sequenceId,
  source: "lookup",
  draft: Array.from({ length }, (_, index) => index),
  acceptanceRate,
  rejectionRate: 1 - acceptanceRate,
});

const SIZES = [1, 2, 4, 8, 16, 32, 64, 128];

/** A machine on which a step takes 10 ms and each token adds `msPerToken`. */
function costs(msPerToken: number, forcedMsPerToken = msPerToken): AddedCosts {
  const addedCosts = new AddedCosts();
  for (const tokens of SIZES) addedCosts.learnPlain(tokens, 10 + tokens * msPerToken);
  for (const tokens of SIZES) {
    addedCosts.learnAdded(1, "verified", tokens, 10 + (1 + tokens) * msPerToken);
    addedCosts.learnAdded(1, "forced", tokens, 10 + msPerToken + tokens * forcedMsPerToken);
  }
  return addedCosts;
}

/** Step costs that depend only on the number of tokens. */
function stepCosts(msPerToken: number): StepCosts {
  const learnt = new StepCosts();
  for (const tokens of SIZES) learnt.learn(tokens, 10 + tokens * msPerToken);
  return learnt;
}

const plan = (options: Omit<LookupPlanOptions, "redoneTokens"> & Partial<LookupPlanOptions>) =>
  planLookups({ redoneTokens: 0, ...options });

const lengths = (chosen: readonly LookupProposal[]) =>
  chosen.map(({ sequenceId, draft }) => [sequenceId, draft.length]);

describe("planning lookup drafts", () => {
  test("verifies drafts if tokens cost almost nothing", () => {
    const options = {
      proposals: [proposal(0, 8)],
      decoding: 1,
      maxDraftTokens: 100,
      addedCosts: costs(0.1),
    };
    expect(lengths(plan(options))).toEqual([[0, 8]]);
  });

  test("skips drafts if each token costs as much as another step", () => {
    const options = {
      proposals: [proposal(0, 8, 0.3)],
      decoding: 1,
      maxDraftTokens: 100,
      addedCosts: costs(20),
    };
    expect(lengths(plan(options))).toEqual([]);
  });

  test("skips drafts with a low acceptance rate", () => {
    const options = {
      proposals: [proposal(0, 8, 0.01)],
      decoding: 1,
      maxDraftTokens: 100,
      addedCosts: costs(1),
    };
    expect(lengths(plan(options))).toEqual([]);
  });

  test("verifies drafts if their added cost is unknown", () => {
    const unknown = new AddedCosts();
    unknown.learnPlain(1, 10);
    const options = {
      proposals: [proposal(0, 8, 0.01)],
      decoding: 1,
      maxDraftTokens: 100,
      addedCosts: unknown,
    };
    expect(lengths(plan(options))).toEqual([[0, 8]]);
  });

  test("uses the length that covers most tokens, without shorter drafts", () => {
    const proposals = [proposal(0, 2), proposal(1, 8), proposal(2, 6), proposal(3, 0)];
    const options = { proposals, decoding: 4, maxDraftTokens: 100, addedCosts: costs(0.01) };
    expect(lengths(plan(options))).toEqual([
      [1, 6],
      [2, 6],
    ]);
  });

  test("verifies as many drafts as fit into the batch", () => {
    const proposals = [proposal(0, 4), proposal(1, 4), proposal(2, 4)];
    const options = { proposals, decoding: 3, maxDraftTokens: 9, addedCosts: costs(0.01) };
    expect(lengths(plan(options))).toEqual([
      [0, 4],
      [1, 4],
    ]);
  });

  test("skips drafts if states cannot be truncated and marks cost more than is gained", () => {
    const options = {
      proposals: [proposal(0, 8, 0.5)],
      decoding: 1,
      maxDraftTokens: 100,
      addedCosts: costs(0.1),
    };
    const planned = (markMs: number) => {
      const markCosts = new StepCosts();
      markCosts.learn(1, markMs);
      return lengths(plan({ ...options, rewinding: { costs: stepCosts(0.1), markCosts } }));
    };
    expect(planned(1)).toEqual([[0, 8]]);
    expect(planned(50)).toEqual([]);
  });

  test("skips drafts if evaluating accepted tokens again costs more than is gained", () => {
    const options = {
      proposals: [proposal(0, 2, 0.4)],
      decoding: 1,
      maxDraftTokens: 100,
      addedCosts: costs(5),
    };
    expect(lengths(plan(options))).toEqual([[0, 2]]);
    const rewinding = { costs: stepCosts(5), markCosts: new StepCosts() };
    expect(lengths(plan({ ...options, rewinding }))).toEqual([]);
  });

  test("verifies forced text, which is always accepted, even if other drafts are too expensive", () => {
    const options = { decoding: 1, maxDraftTokens: 100, addedCosts: costs(5) };
    const lookup = proposal(0, 8, 0.3);
    const forced = { ...lookup, source: "grammar", acceptanceRate: 1, rejectionRate: 0 } as const;
    expect(plan({ ...options, proposals: [lookup] })).toEqual([]);
    expect(plan({ ...options, proposals: [forced] })).toEqual([forced]);
  });

  test("verifies forced text even if rows of logits make other drafts too expensive", () => {
    const options = { decoding: 1, maxDraftTokens: 100, addedCosts: costs(20, 1) };
    const lookup = proposal(0, 8, 0.5);
    expect(plan({ ...options, proposals: [lookup] })).toEqual([]);
    expect(
      plan({ ...options, proposals: [{ ...lookup, source: "grammar", acceptanceRate: 1 }] }),
    ).toHaveLength(1);
  });

  test("skips drafts if a separate pass for them costs more than is gained", () => {
    const addedCosts = new AddedCosts();
    addedCosts.learnPlain(12, 40);
    addedCosts.learnAdded(12, "forced", 4, 60);
    const forced = { ...proposal(0, 4, 1), source: "grammar" } as const;
    expect(plan({ decoding: 12, maxDraftTokens: 100, addedCosts, proposals: [forced] })).toEqual(
      [],
    );
  });

  test("returns no drafts without proposals", () => {
    const options = { proposals: [], decoding: 3, maxDraftTokens: 9, addedCosts: new AddedCosts() };
    expect(plan(options)).toEqual([]);
  });
});
