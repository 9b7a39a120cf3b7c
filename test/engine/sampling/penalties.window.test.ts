import { describe, expect, test } from "vitest";
import { penalisedTokens } from "../../../src/engine/sampling/penalties.js";

const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index);

describe("penalisedTokens", () => {
  const prompt = range(0, 100);
  const strengths = { repetition: 1.1, presence: 1, frequency: 1 };
  const outputPenalty = { ...strengths, window: "generated" } as const;
  const repetitionPenalty = { ...strengths, window: 64 };
  const allTokens = { ...strengths, window: Number.POSITIVE_INFINITY };

  test.each([
    ["nothing before the first token", outputPenalty, [], []],
    ["all generated tokens", outputPenalty, range(200, 300), range(200, 300)],
    ["the last 64 prompt tokens", repetitionPenalty, [], range(36, 100)],
    [
      "64 tokens of prompt and answer",
      repetitionPenalty,
      [200, 201],
      [...range(38, 100), 200, 201],
    ],
    ["one prompt token", repetitionPenalty, range(200, 263), [99, ...range(200, 263)]],
    ["no prompt token", repetitionPenalty, range(200, 264), range(200, 264)],
    ["the last 64 generated tokens", repetitionPenalty, range(200, 300), range(236, 300)],
    ["all tokens", allTokens, range(200, 300), [...prompt, ...range(200, 300)]],
  ])("are %s", (_, penalties, generated, expected) => {
    expect(penalisedTokens(penalties, prompt, generated)).toEqual(expected);
  });

  test("include all of a short prompt", () => {
    expect(penalisedTokens(repetitionPenalty, [1, 2], [3])).toEqual([1, 2, 3]);
  });
});
