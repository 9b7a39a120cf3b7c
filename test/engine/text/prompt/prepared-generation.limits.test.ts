import { describe, expect, test } from "vitest";
import type { GenerationRequest } from "../../../../src/core/generation-request.js";
import { prepareGeneration } from "../../../../src/engine/text/prompt/prepared-generation.js";
import { plainReading } from "../../../support/plain-reading.js";
import { refusal } from "../../../support/refusal.js";

const limits = { contextSize: 16, vocabularySize: 100 };
const prompt = (count: number) => ({
  tokens: Array.from({ length: count }, (_, index) => index),
  reading: plainReading,
});

function request(maxTokens?: number, logitBias?: ReadonlyMap<number, number>): GenerationRequest {
  return {
    id: "r1",
    prompt: { type: "chat", messages: [], tools: [], templateVariables: {} },
    sampling: { temperature: 0, logitBias },
    stopping: { maxTokens, minTokens: 2, stop: ["x"], ignoreEos: true },
  };
}

describe("prepareGeneration", () => {
  test.each([
    [10, undefined, 6],
    [10, 3, 3],
    [10, 6, 6],
    [10, 7, 6],
    [15, undefined, 1],
    [15, 1000, 1],
    [1, Number.MAX_SAFE_INTEGER, 15],
  ])(
    "with a prompt of %i tokens and max_tokens %s, generates at most %i",
    (length, requested, maxTokens) => {
      const prepared = prepareGeneration(request(requested), prompt(length), limits);
      expect(prepared.maxTokens).toBe(maxTokens);
    },
  );

  test.each([
    [3, 5, 7, 3],
    [undefined, 5, 7, 5],
    [undefined, 5, undefined, 5],
    [undefined, undefined, 7, 7],
    [undefined, undefined, undefined, undefined],
    [Number.POSITIVE_INFINITY, 5, 7, undefined],
    [undefined, 99, 7, 99],
  ])(
    "with the limits %s of the request, %s of the model and %s of the dialect, applies %s",
    (maxTokens, ofModel, usualMaxTokens, expected) => {
      const asked = request(maxTokens);
      const prepared = prepareGeneration(
        { ...asked, stopping: { ...asked.stopping, usualMaxTokens } },
        prompt(4),
        { ...limits, maxTokens: ofModel },
      );
      expect(prepared.stopping.maxTokens).toBe(expected);
      expect(prepared.maxTokens).toBe(Math.min(expected ?? 12, 12));
    },
  );

  test.each([
    [3, 5, 3],
    [undefined, 5, 5],
    [Number.POSITIVE_INFINITY, 5, 5],
    [undefined, 99, 99],
  ])("caps the limit %s of the request at %s, the key's", (maxTokens, maxTokensCeiling, limit) => {
    const asked = request(maxTokens);
    const stopping = { ...asked.stopping, maxTokensCeiling };
    const prepared = prepareGeneration({ ...asked, stopping }, prompt(4), limits);
    expect(prepared.stopping.maxTokens).toBe(limit);
    expect(prepared.maxTokens).toBe(Math.min(limit, 12));
  });

  test("has the smaller one of the model's context and the key's", () => {
    const prepare = (length: number, maxContext: number) =>
      prepareGeneration({ ...request(undefined), maxContext }, prompt(length), limits);
    expect(prepare(4, 6).maxTokens).toBe(2);
    expect(prepare(4, 600).maxTokens).toBe(12);
    const exceeded = { promptTokens: 6, contextSize: 6 };
    expect(refusal(() => prepare(6, 6))).toMatchObject({ param: "messages", exceeded });
  });

  test("keeps all other fields of the request", () => {
    const requested = request(3, new Map([[99, 1]]));
    expect(prepareGeneration(requested, prompt(4), limits)).toEqual({
      id: "r1",
      promptTokens: [0, 1, 2, 3],
      reading: plainReading,
      maxTokens: 3,
      sampling: requested.sampling,
      stopping: requested.stopping,
    });
  });

  test.each([16, 17, 500])(
    "rejects a prompt of %i tokens, naming the limit and the count",
    (length) => {
      const error = refusal(() => prepareGeneration(request(1), prompt(length), limits));
      const exceeded = { promptTokens: length, contextSize: 16 };
      expect(error).toMatchObject({ code: "context_length_exceeded", param: "messages", exceeded });
      expect(error.message).toBe(
        `This model's maximum context length is 16 tokens. However, you requested ${length + 1} ` +
          `tokens (${length} in the messages, at least 1 in the completion). ` +
          "Please reduce the length of the messages.",
      );
    },
  );

  describe("with media", () => {
    const media = [{ hash: "photo", start: 1, cells: 2, positions: 2 }];
    const withMedia = (...tokens: readonly number[]) => ({ ...prompt(0), tokens, media });

    test("keeps the positions of media in the prompt", () => {
      const prepared = prepareGeneration(request(1), withMedia(5, -1, -1, 6), limits);
      expect(prepared).toMatchObject({ promptTokens: [5, -1, -1, 6], promptMedia: media });
      expect(prepareGeneration(request(1), { ...prompt(4), media: [] }, limits)).not.toHaveProperty(
        "promptMedia",
      );
    });

    test("rejects a prompt that ends with media", () => {
      const error = refusal(() => prepareGeneration(request(1), withMedia(5, -1, -1), limits));
      expect(error).toMatchObject({
        code: "invalid_request",
        details: [
          {
            field: "messages",
            reason: "expected text after the last image or audio, got none",
          },
        ],
      });
    });

    test("rejects log-probabilities of the prompt tokens", () => {
      const asked = { ...request(1), topLogProbabilities: 0, scoredTokens: "all" } as const;
      const error = refusal(() => prepareGeneration(asked, withMedia(5, -1, -1, 6), limits));
      expect(error.message).toContain("expected a prompt without media");
    });

    test("rejects a prompt whose cells exceed the context", () => {
      const cells = Array.from({ length: 15 }, () => -1);
      const error = refusal(() => prepareGeneration(request(1), withMedia(...cells, 6), limits));
      expect(error.code).toBe("context_length_exceeded");
    });
  });

  test("rejects an empty prompt", () => {
    const error = refusal(() => prepareGeneration(request(), prompt(0), limits));
    expect(error).toMatchObject({ code: "invalid_request", param: "messages" });
  });

  test("accepts a logit bias for every token of the model", () => {
    const logitBias = new Map([
      [0, -100],
      [99, Number.NEGATIVE_INFINITY],
    ]);
    const { sampling } = prepareGeneration(request(1, logitBias), prompt(1), limits);
    expect(sampling.logitBias).toBe(logitBias);
  });

  test("rejects a logit bias for an unknown token, naming the token and the range", () => {
    const logitBias = new Map([
      [99, 1],
      [100, 1],
    ]);
    const error = refusal(() => prepareGeneration(request(1, logitBias), prompt(1), limits));
    expect(error).toMatchObject({
      code: "invalid_request",
      param: "logit_bias",
      message: "logit_bias: expected a token id from 0 to 99, got 100.",
      details: [{ field: "logit_bias", reason: "expected a token id from 0 to 99, got 100" }],
    });
  });

  test("rejects an unknown stop token, naming the token and the range", () => {
    const { stopping, ...rest } = request(1);
    const stoppingAt = (stopTokens: readonly number[]) => ({
      ...rest,
      stopping: { ...stopping, stopTokens },
    });
    expect(prepareGeneration(stoppingAt([0, 99]), prompt(1), limits).stopping.stopTokens).toEqual([
      0, 99,
    ]);
    const error = refusal(() => prepareGeneration(stoppingAt([0, 100]), prompt(1), limits));
    expect(error).toMatchObject({
      code: "invalid_request",
      message: "stop_token_ids: expected a token id from 0 to 99, got 100.",
    });
  });
});
