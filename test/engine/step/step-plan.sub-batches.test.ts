import { describe, expect, test } from "vitest";
import { countSubBatches } from "../../../src/engine/step/step-plan.js";

const shares = (...tokens: readonly number[]) =>
  tokens.map((count, sequenceId) => ({ sequenceId, tokens: count }));

const split = { subBatchSize: 512, layout: { kind: "split" } } as const;
const unified = { subBatchSize: 512, layout: { kind: "unified", cells: 4096 } } as const;

describe("a batch takes", () => {
  test.each<[string, readonly number[], number]>([
    ["no pass when it is empty", [], 0],
    ["one pass for sequences that all decode", [1, 1, 1, 1], 1],
    ["a second pass for a prompt beside them", [1, 1, 200, 1], 2],
    ["one pass for prompts of one length", [128, 128, 128, 128], 1],
    ["one pass for each length", [128, 100, 1], 3],
    ["several passes for a prompt longer than a pass", [1200], 3],
    ["passes of equal shares for prompts that do not fit into one", [300, 300], 2],
  ])("%s", (_, tokens, passes) => {
    expect(countSubBatches(shares(...tokens), split)).toBe(passes);
  });

  test("a pass for each side of a gap in the ids", () => {
    const apart = [0, 1, 3, 4].map((sequenceId) => ({ sequenceId, tokens: 1 }));
    expect(countSubBatches(apart, split)).toBe(2);
  });

  test.each<[string, readonly number[], number]>([
    ["no pass when it is empty", [], 0],
    ["one pass whatever the lengths", [1, 1, 200, 100], 1],
    ["several passes for more than a pass", [300, 300], 2],
  ])("%s, in the unified layout", (_, tokens, passes) => {
    expect(countSubBatches(shares(...tokens), unified)).toBe(passes);
  });
});
