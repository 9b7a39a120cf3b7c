import { describe, expect, it } from "vitest";
import { toJsonAnswer } from "../../bench/client/json-answer.js";
import { embeddingRate, embeddings } from "../../bench/scenarios/embeddings.js";
import { reranking, rerankMeasures } from "../../bench/scenarios/reranking.js";
import { embed, largestDifference, lowestCosine, rerank } from "../../bench/scenarios/vectors.js";
import { record } from "./records.js";

const answered = (body: object | undefined) => async () => ({ record: record(), body });
const embedding = (index: number, ...values: number[]) => ({ index, embedding: values });
const score = (index: number, relevance_score: number) => ({ index, relevance_score });

describe("embed", () => {
  it("returns embeddings in the order of the texts, regardless of the response's order", async () => {
    const post = answered({ data: [embedding(1, 0, 1), embedding(0, 1, 0)] });
    expect((await embed(post, ["a", "b"])).content).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  it.each([
    ["an embedding is missing", { data: [embedding(0, 1, 0)] }],
    ["an embedding is empty", { data: [embedding(0, 1), embedding(1)] }],
    ["an embedding contains null", { data: [embedding(0, 1), { index: 1, embedding: [null] }] }],
    ["there are no embeddings", {}],
    ["the request failed", undefined],
  ])("returns no content if %s", async (_, body) => {
    expect((await embed(answered(body), ["a", "b"])).content).toBeUndefined();
  });

  it("aborts the comparison before the measurement if a server returns no vectors or scores", async () => {
    const post = async () => ({ record: record({ error: "HTTP 501: no" }), body: undefined });
    await expect(embeddings.askVectors?.(post)).rejects.toThrow(
      "/v1/embeddings: expected vectors, got HTTP 501: no",
    );
    await expect(reranking.askVectors?.(post)).rejects.toThrow(
      "/v1/rerank: expected scores, got HTTP 501: no",
    );
  });

  it("measures texts per second without failed requests", () => {
    const records = [record({ endedAtMs: 2000 }), record({ error: "HTTP 500", endedAtMs: 9000 })];
    expect(embeddingRate(records, 32)).toBe(16);
  });
});

describe("rerank", () => {
  it("returns scores in the order of the documents, regardless of the response's order", async () => {
    const post = answered({ results: [score(1, 3), score(0, -2)] });
    expect((await rerank(post, "q", ["a", "b"])).content).toEqual([-2, 3]);
  });

  it("returns no content if a score is missing", async () => {
    const post = answered({ results: [score(1, 3)] });
    expect((await rerank(post, "q", ["a", "b"])).content).toBeUndefined();
  });

  it("measures documents per second", () => {
    const records = [record({ endedAtMs: 1000 }), record({ endedAtMs: 2000 })];
    expect(rerankMeasures(records)).toEqual({ rate: 16, latencyP50: 1000 });
  });
});

describe("the agreement of two servers", () => {
  const vectors = [
    [3, 4],
    [1, 0],
  ];

  it("is 1 for vectors that differ only in length", () => {
    const scaled = [
      [0.6, 0.8],
      [2, 0],
    ];
    expect(lowestCosine([vectors, scaled])).toBeCloseTo(1);
  });

  it("is that of the most different vectors, and -1 for different dimensions", () => {
    expect(lowestCosine([vectors, [vectors[0] ?? [], [0, 1]]])).toBe(0);
    expect(
      lowestCosine([
        vectors,
        [
          [3, 4, 0],
          [1, 0],
        ],
      ]),
    ).toBe(-1);
  });

  it("is the largest difference of scores, where logits equal their sigmoids", () => {
    expect(largestDifference([[[1, -1]], [[1, -1.5]]])).toBe(0.5);
    const probabilities = [1, -1].map((logit) => 1 / (1 + Math.exp(-logit)));
    expect(largestDifference([[[1, -1]], [probabilities]])).toBe(0);
    expect(largestDifference([[probabilities], [[1, -1]]])).toBe(0);
  });

  it("is NaN with fewer than two servers", () => {
    expect(lowestCosine([vectors])).toBeNaN();
    expect(largestDifference([[[1]]])).toBeNaN();
    expect(largestDifference([])).toBeNaN();
  });
});

describe("a non-streamed benchmark response", () => {
  const times = { startedAtMs: 1, endedAtMs: 5 };
  const read = (status: number | undefined, content: string) =>
    toJsonAnswer({ status, content, ...times });

  it("is parsed with the token count of its prompt", () => {
    const { record: read200, body } = read(200, '{"usage":{"prompt_tokens":7},"data":[]}');
    expect(body).toMatchObject({ data: [] });
    expect(read200).toMatchObject({ ...times, tokens: { prompt: 7 }, error: undefined });
    expect(read(200, '{"usage":{"total_tokens":8}}').record.tokens?.prompt).toBe(8);
    expect(read(200, "{}").record.tokens).toBeUndefined();
  });

  it.each([
    [400, '{"error":1}', 'HTTP 400: {"error":1}'],
    [undefined, "socket hang up", "socket hang up"],
    [200, "<html>", "an answer that is not a JSON object: <html>"],
    [200, "null", "an answer that is not a JSON object: null"],
  ])("is a failure: %s %s", (status, content, reason) => {
    const { record: failed, body } = read(status, content);
    expect(failed.error).toBe(reason);
    expect(body).toBeUndefined();
  });
});
