import { describe, expect, test } from "vitest";
import type { PreparedGeneration } from "../../src/core/generation-request.js";
import { refitted } from "../../src/queue/refitted.js";
import { plainReading } from "../support/plain-reading.js";
import { refusal } from "../support/refusal.js";

function prepared(promptTokens: number, maxTokens: number): PreparedGeneration {
  return {
    id: "a",
    promptTokens: Array.from({ length: promptTokens }, () => 1),
    reading: plainReading,
    maxTokens,
    sampling: { seed: 7 },
    stopping: { minTokens: 0, stop: [], ignoreEos: false },
  };
}

describe("a generation in an engine with another context", () => {
  test.each([
    { promptTokens: 10, maxTokens: 90, contextSize: 100 },
    { promptTokens: 10, maxTokens: 5, contextSize: 15 },
    { promptTokens: 10, maxTokens: 0, contextSize: 11 },
  ])("stays as it is where it fits: $promptTokens + $maxTokens in $contextSize", (given) => {
    const generation = prepared(given.promptTokens, given.maxTokens);
    expect(refitted(generation, given.contextSize)).toBe(generation);
  });

  test.each([
    { contextSize: 99, maxTokens: 89 },
    { contextSize: 11, maxTokens: 1 },
  ])("generates no more than $maxTokens tokens where there are $contextSize", (given) => {
    const generation = prepared(10, 90);
    expect(refitted(generation, given.contextSize)).toEqual({
      ...generation,
      maxTokens: given.maxTokens,
    });
  });

  test.each([
    { promptTokens: 10, maxTokens: 90, contextSize: 10 },
    { promptTokens: 10, maxTokens: 0, contextSize: 10 },
    { promptTokens: 10, maxTokens: 90, contextSize: 9 },
  ])("is refused where nothing of an answer fits: $promptTokens in $contextSize", (given) => {
    const error = refusal(() =>
      refitted(prepared(given.promptTokens, given.maxTokens), given.contextSize),
    );
    expect(error).toMatchObject({ code: "context_length_exceeded", status: 400 });
    expect(error.message).toContain(`${given.contextSize} tokens since its process was restarted`);
    expect(error.message).toContain("your prompt has 10 tokens");
  });
});
