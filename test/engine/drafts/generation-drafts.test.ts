import { describe, expect, test } from "vitest";
import { GenerationDrafts } from "../../../src/engine/drafts/generation-drafts.js";

describe("the drafts of a generation", () => {
  test("are looked up in the prompt and the answer", () => {
    const drafts = new GenerationDrafts([1, 2, 3, 4, 5], [1, 2], new Set());
    expect(drafts.lookUp(9, 2)).toEqual([]);
    drafts.push(3);
    expect(drafts.tokens).toEqual([1, 2, 3, 4, 5, 1, 2, 3]);
    expect(drafts.lookUp(9, 2)).toEqual([4, 5]);
    expect(drafts.lookUp(1, 2)).toEqual([4]);
    expect(drafts.lookUp(0, 2)).toEqual([]);
  });

  test("have a default length until outcomes are learned", () => {
    const prompt = Array.from({ length: 40 }, (_, index) => index);
    const drafts = new GenerationDrafts(prompt, [0, 1, 2], new Set());
    expect(drafts.lookUp(40, 0)).toEqual([3, 4]);
    expect(drafts.lookUp(40, 5.9)).toEqual([3, 4, 5, 6, 7]);
    expect(drafts.lookUp(40, 99)).toHaveLength(16);
    drafts.learn({ source: "lookup", proposed: 5, accepted: 3 });
    expect(drafts.lookUp(40, 99)).toEqual([3, 4, 5]);
  });

  test("end at an end-of-generation token", () => {
    const drafts = new GenerationDrafts([1, 2, 3, 4, 9, 5], [1, 2, 3], new Set([9]));
    expect(drafts.lookUp(8, 8)).toEqual([4, 9]);
  });

  test("have a rejection rate, the share of drafts not accepted completely", () => {
    const drafts = new GenerationDrafts([1], [], new Set());
    expect(drafts.computeRejectionRate("lookup")).toBe(0.5);
    drafts.learn({ source: "lookup", proposed: 8, accepted: 7 });
    expect(drafts.computeRejectionRate("lookup")).toBeCloseTo(2 / 3);
    drafts.learn({ source: "lookup", proposed: 8, accepted: 8 });
    drafts.learn({ source: "model", proposed: 8, accepted: 1 });
    expect(drafts.computeRejectionRate("lookup")).toBe(0.5);
  });

  test("can be taken from a prediction, starting at the beginning of the answer", () => {
    const drafts = new GenerationDrafts([1, 2], [3], new Set([9]), [3, 4, 5, 6, 7, 9, 8]);
    expect(drafts.predict(2)).toEqual([4, 5]);
    expect(drafts.predict(0)).toEqual([]);
    expect(drafts.predict(20)).toEqual([4, 5, 6, 7, 9]);
    drafts.push(3);
    expect(drafts.predict(20)).toEqual([]);
    expect(new GenerationDrafts([1, 2], [3], new Set()).predict(20)).toEqual([]);
  });

  test("from a prediction are retried after a backoff if rejected", () => {
    const drafts = new GenerationDrafts([1], [], new Set(), [2, 3, 4]);
    expect(drafts.predict(20)).toEqual([2, 3, 4]);
    drafts.learn({ source: "prediction", proposed: 3, accepted: 0 });
    const retries = [1, 2, 3, 4, 5].map(() => drafts.predict(20).length);
    expect(retries).toEqual([0, 0, 0, 0, 2]);
    expect(drafts.computeRejectionRate("prediction")).toBeCloseTo(1 / 3);
  });

  test("from a prediction have a high acceptance rate until they are rejected", () => {
    const drafts = new GenerationDrafts([1], [], new Set());
    expect(drafts.computeAcceptanceRate("prediction")).toBe(0.8);
    drafts.learn({ source: "prediction", proposed: 15, accepted: 0 });
    expect(drafts.computeAcceptanceRate("prediction")).toBe(0.2);
    expect(drafts.computeAcceptanceRate("lookup")).toBe(0.5);
  });

  test("from a prediction count as accepted or rejected up to a given token", () => {
    const drafts = new GenerationDrafts([1, 1], [2], new Set());
    const accept = (accepted: number, proposed: number) => {
      for (let token = 0; token <= accepted; token++) drafts.push(3);
      drafts.learn({ source: "prediction", proposed, accepted });
    };
    accept(4, 4);
    accept(2, 6);
    // The text consists of two prompt tokens, one drawn, four accepted, one drawn, two accepted and
    // one drawn token.
    const accepted = [3, 4, 7, 8, 9, 10, 11].map((end) => drafts.computePredictionUsage(end));
    expect(accepted.map(({ acceptedTokens }) => acceptedTokens)).toEqual([0, 1, 4, 4, 5, 6, 6]);
    expect(accepted.every(({ rejectedTokens }) => rejectedTokens === 4)).toBe(true);
  });

  test("are counted together, with an acceptance rate for each source", () => {
    const drafts = new GenerationDrafts([1], [], new Set());
    drafts.learn({ source: "lookup", proposed: 8, accepted: 0 });
    expect([drafts.computeAcceptanceRate("lookup"), drafts.estimateAcceptance(0.5)]).toEqual([
      0.1, 0.5,
    ]);
    drafts.learn({ source: "model", proposed: 4, accepted: 4 });
    expect(drafts.computeAcceptanceRate("lookup")).toBe(0.1);
    expect(drafts.estimateAcceptance(0.5)).toBeGreaterThan(0.75);
    expect([drafts.proposed, drafts.accepted]).toEqual([12, 4]);
  });
});
