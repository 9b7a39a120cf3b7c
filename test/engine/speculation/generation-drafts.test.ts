import { describe, expect, test } from "vitest";
import { GenerationDrafts } from "../../../src/engine/speculation/generation-drafts.js";

describe("the drafts of a generation", () => {
  test("come from its whole text, prompt and answer", () => {
    const drafts = new GenerationDrafts([1, 2, 3, 4, 5], [1, 2], new Set());
    expect(drafts.lookUp(9, 2)).toEqual([]);
    drafts.push(3);
    expect(drafts.tokens).toEqual([1, 2, 3, 4, 5, 1, 2, 3]);
    expect(drafts.lookUp(9, 2)).toEqual([4, 5]);
    expect(drafts.lookUp(1, 2)).toEqual([4]);
    expect(drafts.lookUp(0, 2)).toEqual([]);
  });

  test("have the usual length until outcomes are learnt", () => {
    const prompt = Array.from({ length: 40 }, (_, index) => index);
    const drafts = new GenerationDrafts(prompt, [0, 1, 2], new Set());
    expect(drafts.lookUp(40, 0)).toEqual([3, 4]);
    expect(drafts.lookUp(40, 5.9)).toEqual([3, 4, 5, 6, 7]);
    expect(drafts.lookUp(40, 99)).toHaveLength(16);
    drafts.learn({ source: "lookup", proposed: 5, accepted: 3 });
    expect(drafts.lookUp(40, 99)).toEqual([3, 4, 5]);
  });

  test("end with an end-of-generation token", () => {
    const drafts = new GenerationDrafts([1, 2, 3, 4, 9, 5], [1, 2, 3], new Set([9]));
    expect(drafts.lookUp(8, 8)).toEqual([4, 9]);
  });

  test("have a rejection rate: the share that was not accepted in full", () => {
    const drafts = new GenerationDrafts([1], [], new Set());
    expect(drafts.lookupRejectionRate).toBe(0.5);
    drafts.learn({ source: "lookup", proposed: 8, accepted: 7 });
    expect(drafts.lookupRejectionRate).toBeCloseTo(2 / 3);
    drafts.learn({ source: "lookup", proposed: 8, accepted: 8 });
    drafts.learn({ source: "model", proposed: 8, accepted: 1 });
    expect(drafts.lookupRejectionRate).toBe(0.5);
  });

  test("are counted together, and rated by their source", () => {
    const drafts = new GenerationDrafts([1], [], new Set());
    drafts.learn({ source: "lookup", proposed: 8, accepted: 0 });
    expect([drafts.lookupAcceptanceRate, drafts.acceptanceProbability(0.5)]).toEqual([0.1, 0.5]);
    drafts.learn({ source: "model", proposed: 4, accepted: 4 });
    expect(drafts.lookupAcceptanceRate).toBe(0.1);
    expect(drafts.acceptanceProbability(0.5)).toBeGreaterThan(0.75);
    expect([drafts.proposed, drafts.accepted]).toEqual([12, 4]);
  });
});
