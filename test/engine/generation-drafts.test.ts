import { describe, expect, test } from "vitest";
import { GenerationDrafts } from "../../src/engine/generation-drafts.js";

describe("what is proposed for a generation", () => {
  test("comes from its whole text, prompt and answer", () => {
    const drafts = new GenerationDrafts([1, 2, 3, 4, 5], [1, 2]);
    expect(drafts.lookUp(9)).toEqual([]);
    drafts.push(3);
    expect(drafts.tokens).toEqual([1, 2, 3, 4, 5, 1, 2, 3]);
    expect(drafts.lookUp(9)).toEqual([4, 5]);
    expect(drafts.lookUp(1)).toEqual([4]);
    expect(drafts.lookUp(0)).toEqual([]);
  });

  test("is counted together and judged by its source", () => {
    const drafts = new GenerationDrafts([1], []);
    drafts.learn({ source: "lookup", proposed: 8, accepted: 0 });
    expect([drafts.hitRate, drafts.chance(0.5)]).toEqual([0.1, 0.5]);
    drafts.learn({ source: "model", proposed: 4, accepted: 4 });
    expect(drafts.hitRate).toBe(0.1);
    expect(drafts.chance(0.5)).toBeGreaterThan(0.75);
    expect([drafts.proposed, drafts.accepted]).toEqual([12, 4]);
  });
});
