import { CohereClient, CohereClientV2, CohereError } from "cohere-ai";
import { describe, expect, it } from "vitest";
import { ScriptedEngine } from "../support/scripted-engine.js";
import {
  embeddingModel,
  logitOfPair,
  rerankingModel,
  ScriptedPooling,
  vectorOfText,
} from "../support/scripted-pooling.js";
import { serve } from "../support/serve.js";
import { CLIENT_TIMEOUT } from "./run-client.js";

const engine = new ScriptedEngine(() => ({ parts: [] }));
const ranker = rerankingModel(new ScriptedPooling({ vectorOf: logitOfPair }));
const embedder = embeddingModel(new ScriptedPooling({ vectorOf: vectorOfText }));
const server = await serve(engine, { otherModels: [ranker, embedder], apiKeys: ["secret"] });

const request = {
  model: "ranker",
  query: "cat",
  documents: ["A dog.", "A cat.", "No animal at all."],
};

const settings = { environment: server.url, token: "secret", maxRetries: 0 };
const open = (Client: typeof CohereClient | typeof CohereClientV2, token = "secret") =>
  new Client({ ...settings, token });

describe.each([
  ["CohereClientV2 with /v2/rerank", CohereClientV2],
  ["CohereClient with /v1/rerank", CohereClient],
])("%s", { timeout: CLIENT_TIMEOUT }, (_, Client) => {
  it("ranks documents", async () => {
    const { id, results } = await open(Client).rerank({ ...request, topN: 2 });
    expect(id).toMatch(/./);
    expect(results.map(({ index }) => index)).toEqual([1, 0]);
    expect(results[0]?.relevanceScore).toBeCloseTo(1 / (1 + Math.exp(-2)), 6);
  });

  it.each([
    ["an unknown model", { ...request, model: "other" }, "secret", 404, "other"],
    ["no documents", { ...request, documents: [] }, "secret", 400, "documents"],
    ["a wrong key", request, "wrong", 401, "key"],
  ])("reports %s", async (_, wrong, token, status, name) => {
    const error = await open(Client, token)
      .rerank(wrong)
      .catch((error: unknown) => error);
    expect(error).toBeInstanceOf(CohereError);
    expect(error).toMatchObject({
      statusCode: status,
      body: { error: { message: expect.stringContaining(name) } },
    });
  });
});

describe("embeddings", { timeout: CLIENT_TIMEOUT }, () => {
  const texts = ["a cat", "a dog"];

  it("are lists of numbers for CohereClient with /v1/embed", async () => {
    const answer = await new CohereClient(settings).embed({ texts, inputType: "search_query" });
    expect(answer).toMatchObject({ responseType: "embeddings_floats", texts });
    expect(answer.embeddings).toHaveLength(2);
  });

  it("have the requested types for CohereClientV2 with /v2/embed", async () => {
    const { embeddings } = await new CohereClientV2(settings).embed({
      model: embedder.alias,
      texts,
      inputType: "search_document",
      embeddingTypes: ["float", "int8", "ubinary"],
    });
    expect(embeddings.float?.map(({ length }) => length)).toEqual([4, 4]);
    expect(embeddings.int8?.flat().every((one) => Math.abs(one) <= 127)).toBe(true);
    expect(embeddings.ubinary?.map(({ length }) => length)).toEqual([1, 1]);
  });

  it("of images are refused", async () => {
    const error = await new CohereClientV2(settings)
      .embed({
        model: embedder.alias,
        images: ["data:"],
        inputType: "image",
        embeddingTypes: ["float"],
      })
      .catch((error: unknown) => error);
    expect(error).toMatchObject({
      statusCode: 400,
      body: { error: { message: expect.stringContaining("text only") } },
    });
  });
});
