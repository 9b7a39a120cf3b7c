import { describe, expect, it } from "vitest";
import {
  estimateTokens,
  findContextProblem,
} from "../../../src/page/attachments/token-estimate.js";

describe("the estimate of a text's tokens", () => {
  it.each([
    ["", 0],
    ["word", 1],
    ["a".repeat(4000), 1000],
    ["你".repeat(300), 200],
  ])("%j: %i", (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });
});

describe("attached files", () => {
  it.each([
    [4000, undefined, undefined],
    [0, 100, undefined],
    [50, 100, undefined],
    [51, 100, /over half of the model’s context of 100/],
    [101, 100, /more than the model’s context of 100/],
  ])("of %i tokens in a context of %s", (tokens, context, problem) => {
    const found = findContextProblem(tokens, context);
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(problem);
  });
});
