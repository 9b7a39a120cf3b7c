import { describe, expect, test } from "vitest";
import type { GenerationRequest, StoppingParameters } from "../../src/core/generation-request.js";
import { limitRequest } from "../../src/core/limited-model.js";

const request = (
  stopping: Partial<StoppingParameters> = {},
  priority?: number,
): GenerationRequest => ({
  id: "r",
  prompt: { type: "text", text: "Hi" },
  sampling: {},
  stopping: { minTokens: 0, stop: [], ignoreEos: false, ...stopping },
  ...(priority !== undefined && { priority }),
});

describe("a key with max-tokens=100", () => {
  const limit = (stopping?: Partial<StoppingParameters>) =>
    limitRequest(request(stopping), { maxTokens: 100 }).stopping;

  test.each([undefined, 0, 1, 100, Number.POSITIVE_INFINITY])(
    "may ask for %j tokens, and gets at most 100",
    (maxTokens) => {
      expect(limit({ maxTokens })).toMatchObject({ maxTokens, maxTokensCeiling: 100 });
    },
  );

  test("is refused more, with the field of the request", () => {
    expect(() => limit({ maxTokens: 101 })).toThrow(
      expect.objectContaining({
        code: "invalid_request",
        param: "max_tokens",
        message: "max_tokens: expected at most 100, the limit of the API key, got 101.",
      }),
    );
    expect(() => limit({ maxTokens: 101, maxTokensField: "n_predict" })).toThrow(/^n_predict: /);
  });
});

test.each([
  [0, undefined, 0],
  [0, 0, 0],
  [0, 5, 5],
  [60, undefined, 60],
  [60, 60, 60],
  [-5, undefined, 0],
  [-5, -5, -5],
])("with priority-ceiling=%j the priority %j becomes %j", (priorityCeiling, asked, priority) => {
  expect(limitRequest(request({}, asked), { priorityCeiling }).priority).toBe(priority);
});

test.each([
  [0, -1],
  [60, 0],
  [-5, -6],
])("with priority-ceiling=%j the priority %j is refused", (priorityCeiling, asked) => {
  expect(() => limitRequest(request({}, asked), { priorityCeiling })).toThrow(
    `priority: expected at least ${priorityCeiling}, the limit of the API key, got ${asked}.`,
  );
});

test("max-context is passed to the engine, and other requests stay as they are", () => {
  expect(limitRequest(request(), { maxContext: 50 })).toEqual({ ...request(), maxContext: 50 });
  expect(limitRequest(request({ maxTokens: 5 }, 3), { models: ["a"] })).toEqual(
    request({ maxTokens: 5 }, 3),
  );
});
