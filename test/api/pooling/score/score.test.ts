import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sigmoid } from "../../../../src/api/answers/vectors.js";
import { ScriptedEngine } from "../../../support/scripted-engine.js";
import {
  embeddingModel,
  logitOfPair,
  rerankingModel,
  ScriptedPooling,
} from "../../../support/scripted-pooling.js";
import { buildTestApp } from "../../../support/test-app.js";

/** Directions of texts by their first letters. */
const directions: Readonly<Record<string, readonly number[]>> = {
  a: [2, 0],
  b: [0, 3],
  c: [-1, 0],
};

function build() {
  const embedding = new ScriptedPooling({
    vectorOf: (content) => {
      if (content.type !== "text") throw new Error("expected a text");
      return directions[content.text.charAt(0)] ?? [1, 1];
    },
  });
  const reranking = new ScriptedPooling({ vectorOf: logitOfPair, contextSize: 20 });
  const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: [] })), {
    otherModels: [
      embeddingModel(embedding, { dimensions: 2 }),
      rerankingModel(reranking, { scoreScale: "logit" }),
    ],
  });
  const score = async (payload: object) => {
    const response = await app.inject({ method: "POST", url: "/v1/score", payload });
    return { status: response.statusCode, body: response.json() };
  };
  return { app, score, embedding, reranking };
}

let standard: ReturnType<typeof build>;
beforeAll(() => {
  standard = build();
});
beforeEach(() => {
  standard.embedding.requests.length = 0;
  standard.reranking.requests.length = 0;
});
afterAll(() => standard.app.close());

const scoresOf = ({ data }: { data: { score: number }[] }) => data.map(({ score }) => score);

describe("scores of a reranking model", () => {
  it("are probabilities", async () => {
    const { status, body } = await standard.score({ text_1: "cat", text_2: "A cat." });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^score-/),
      object: "list",
      created: expect.any(Number),
      model: "ranker",
      data: [{ index: 0, object: "score", score: sigmoid(2) }],
      usage: { prompt_tokens: 11, total_tokens: 11 },
    });
  });

  it.each([
    [
      "one text and several",
      "cat",
      ["A cat.", "A dog."],
      [
        ["cat", "A cat."],
        ["cat", "A dog."],
      ],
    ],
    [
      "several pairs",
      ["cat", "dog"],
      ["A cat.", "A dog."],
      [
        ["cat", "A cat."],
        ["dog", "A dog."],
      ],
    ],
    ["lists of one", ["cat"], ["A cat."], [["cat", "A cat."]]],
  ])("are computed for %s", async (_name, text_1, text_2, pairs) => {
    const { score, reranking } = standard;
    const { body } = await score({ text_1, text_2 });
    expect(body.data).toHaveLength(pairs.length);
    expect(reranking.requests[0]?.inputs.map(({ content }) => content)).toEqual(
      pairs.map(([query, document]) => ({ type: "pair", query, document })),
    );
  });

  it("are logits on request", async () => {
    const { body } = await standard.score({
      text_1: "cat",
      text_2: "A cat.",
      use_activation: false,
    });
    expect(scoresOf(body)).toEqual([2]);
  });

  it("require texts that fit the context, unless truncation is requested", async () => {
    const texts = { text_1: "cat", text_2: ["A cat.", "x".repeat(30)] };
    const { score } = standard;
    expect((await score(texts)).body.error).toMatchObject({
      code: "context_length_exceeded",
      param: "text_2.1",
    });
    expect(await score({ ...texts, truncate_prompt_tokens: -1 })).toMatchObject({ status: 200 });
  });
});

describe("scores of an embedding model", () => {
  it("are cosine similarities, for which each text is evaluated once", async () => {
    const { score, embedding } = standard;
    const { body } = await score({ model: "embedder", text_1: "a", text_2: ["a", "b", "c"] });
    expect(scoresOf(body)).toEqual([1, 0, -1]);
    expect(body.model).toBe("embedder");
    expect(embedding.requests[0]?.inputs.map(({ field }) => field)).toEqual([
      "text_1",
      "text_2.0",
      "text_2.1",
      "text_2.2",
    ]);
  });

  it("are computed for pairs", async () => {
    const { body } = await standard.score({
      model: "embedder",
      text_1: ["a", "b"],
      text_2: ["b", "b"],
    });
    expect(scoresOf(body)).toEqual([0, 1]);
  });
});

it("POST /v1/score rejects too many texts", async () => {
  const { body } = await standard.score({ text_1: "a", text_2: Array(1001).fill("b") });
  expect(body.error.message).toMatch(/^text_2: expected .* 1 to 1000 .*, got /);
});

describe("an invalid score request is rejected with the field's path", () => {
  it.each([
    [{ text_2: "b" }, "text_1"],
    [{ text_1: "a" }, "text_2"],
    [{ text_1: "", text_2: "b" }, "text_1"],
    [{ text_1: [], text_2: "b" }, "text_1"],
    [{ text_1: "a", text_2: ["b", ""] }, "text_2.1"],
    [{ text_1: "a", text_2: ["b", 7] }, "text_2.1"],
    [{ text_1: "a", text_2: { content: [] } }, "text_2"],
    [{ text_1: ["a", "b"], text_2: "c" }, "text_1"],
    [{ text_1: ["a", "b"], text_2: ["c", "d", "e"] }, "text_1"],
    [{ text_1: "a", text_2: "b", truncate_prompt_tokens: 7 }, "truncate_prompt_tokens"],
    [{ text_1: "a", text_2: "b", raw_scores: "no" }, "raw_scores"],
    [{ text_1: "a", text_2: "b", model: "" }, "model"],
  ])("%j", async (payload, param) => {
    const { status, body } = await standard.score(payload);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ type: "invalid_request_error", param });
    expect(body.error.message).toMatch(new RegExp(`^${param}: expected .*, got `));
  });

  it("for a model that computes no scores", async () => {
    const { status, body } = await standard.score({ model: "scripted", text_1: "a", text_2: "b" });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ param: "model" });
  });
});
