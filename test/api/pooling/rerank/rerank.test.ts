import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { sigmoid } from "../../../../src/api/answers/vectors.js";
import { ScriptedEngine } from "../../../support/scripted-engine.js";
import {
  logitOfPair,
  rerankingModel,
  ScriptedPooling,
  type ScriptedPoolingOptions,
} from "../../../support/scripted-pooling.js";
import { buildTestApp } from "../../../support/test-app.js";

interface Options extends Partial<ScriptedPoolingOptions> {
  readonly scoreScale?: "logit" | "probability";
}

function build({ scoreScale = "logit", ...options }: Options = {}) {
  const pooling = new ScriptedPooling({ vectorOf: logitOfPair, ...options });
  const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: [] })), {
    otherModels: [rerankingModel(pooling, { scoreScale })],
  });
  const rerank = async (payload: object, url = "/v1/rerank") => {
    const response = await app.inject({ method: "POST", url, payload });
    return { status: response.statusCode, body: response.json() };
  };
  return { app, rerank, pooling };
}

/** Builds a separate application for one test. */
function serve(...options: Parameters<typeof build>) {
  const served = build(...options);
  onTestFinished(() => served.app.close());
  return served;
}

let standard: ReturnType<typeof build>;
beforeAll(() => {
  standard = build();
});
beforeEach(() => {
  standard.pooling.requests.length = 0;
});
afterAll(() => standard.app.close());

const query = "cat";
const documents = ["A dog.", "A cat.", "No animal at all."];
/** Logits of the documents, from the scripted model. */
const logits = [-1.06, 2, -1.17].map(Math.fround);
const inOrder = [1, 0, 2];

describe.each(["/v1/rerank", "/v2/rerank", "/rerank"])("POST %s", (url) => {
  it("returns documents by descending probability", async () => {
    const { rerank, pooling } = standard;
    const { status, body } = await rerank({ model: "ranker", query, documents }, url);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^rerank-/),
      object: "list",
      model: "ranker",
      results: inOrder.map((index) => ({
        index,
        relevance_score: sigmoid(logits[index] ?? Number.NaN),
      })),
      usage: { prompt_tokens: 44, total_tokens: 44 },
    });
    expect(pooling.requests[0]?.inputs[2]).toEqual({
      content: { type: "pair", query, document: documents[2] },
      field: "documents.2",
    });
  });

  it("returns an array for TEI clients, which send texts", async () => {
    const { rerank, pooling } = standard;
    const { body } = await rerank({ query, texts: documents, raw_scores: true }, url);
    expect(body).toEqual(inOrder.map((index) => ({ index, score: logits[index] })));
    expect(pooling.requests[0]?.inputs[2]?.field).toBe("texts.2");
    const { body: withTexts } = await rerank({ query, texts: documents, return_text: true }, url);
    expect(withTexts[0]).toEqual({ index: 1, score: sigmoid(2), text: "A cat." });
  });
});

describe("a ranking", () => {
  it.each([
    [undefined, 3],
    [null, 3],
    [0, 3],
    [1, 1],
    [2, 2],
    [1e9, 3],
  ])("is limited to top_n results: %j", async (top_n, count) => {
    const { body } = await standard.rerank({ query, documents, top_n });
    expect(body.results.map(({ index }: { index: number }) => index)).toEqual(
      inOrder.slice(0, count),
    );
  });

  it("includes the documents' texts on request", async () => {
    const { body } = await standard.rerank({
      query,
      documents: ["A dog.", { text: "A cat.", title: "Felix" }],
      return_documents: true,
    });
    expect(body.results).toMatchObject([
      { document: { text: "A cat." } },
      { document: { text: "A dog." } },
    ]);
  });

  it("keeps the order of documents with equal scores", async () => {
    const { body } = await standard.rerank({ query, documents: ["b", "a", "c"] });
    expect(body.results.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2]);
  });

  it.each([{ raw_scores: true }, { use_activation: false }])(
    "has logits as scores on request: %j",
    async (fields) => {
      const { body } = await standard.rerank({ query, documents: ["A cat."], ...fields });
      expect(body.results).toEqual([{ index: 0, relevance_score: 2 }]);
    },
  );

  it("has the model's scores unchanged if these are probabilities", async () => {
    const { rerank } = serve({ scoreScale: "probability", vectorOf: () => [0.25] });
    const { body } = await rerank({ query, documents: ["A cat."] });
    expect(body.results).toEqual([{ index: 0, relevance_score: 0.25 }]);
  });

  it("is an internal error if the model computes NaN", async () => {
    const { rerank } = serve({ vectorOf: () => [Number.NaN] });
    expect(await rerank({ query, documents })).toMatchObject({ status: 500 });
  });
});

describe("a document that exceeds the context", () => {
  it("is rejected with its index and the limit", async () => {
    const { status, body } = await serve({ contextSize: 12 }).rerank({ query, documents });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: "context_length_exceeded", param: "documents.2" });
    expect(body.error.message).toContain("12 tokens");
  });

  it.each([
    [{ truncate: true }, "No anim"],
    [{ max_tokens_per_doc: 4096 }, "No anim"],
    [{ truncate: "START" }, " at all."],
  ])("is truncated on request: %j", async (fields, kept) => {
    const seen: string[] = [];
    const { rerank } = serve({
      contextSize: 5 + kept.length,
      vectorOf: (content) => {
        if (content.type === "pair") seen.push(content.document);
        return [0];
      },
    });
    const { status } = await rerank({ query, documents: documents.slice(2), ...fields });
    expect(status).toBe(200);
    expect(seen).toEqual([kept]);
  });

  it("is rejected if the request sets both options", async () => {
    const { rerank } = serve({ contextSize: 12 });
    const fields = { truncate: false, max_tokens_per_doc: 4096 };
    expect(await rerank({ query, documents, ...fields })).toMatchObject({ status: 400 });
  });
});

it.each(["documents", "texts"])("too many %s are rejected", async (field) => {
  const { body } = await standard.rerank({ query, [field]: Array(1001).fill("a") });
  expect(body.error.message).toMatch(
    new RegExp(`^${field}: expected at most 1000 documents, got `),
  );
});

describe("an invalid rerank request is rejected with the field's path", () => {
  it.each([
    [{ documents }, "query"],
    [{ query: "", documents }, "query"],
    [{ query: ["cat"], documents }, "query"],
    [{ query }, "documents"],
    [{ query, documents: [] }, "documents"],
    [{ query, documents, texts: documents }, "documents"],
    [{ query, documents: "A cat." }, "documents"],
    [{ query, documents: ["a", 7] }, "documents.1"],
    [{ query, documents: [{ image: "data:image/png;base64,AA==" }] }, "documents.0.text"],
    [{ query, texts: [{ text: "a" }] }, "texts.0"],
    [{ query, documents, top_n: -1 }, "top_n"],
    [{ query, documents, top_n: 1.5 }, "top_n"],
    [{ query, documents, return_documents: "yes" }, "return_documents"],
    [{ query, documents, return_text: 1 }, "return_text"],
    [{ query, documents, raw_scores: 1 }, "raw_scores"],
    [{ query, documents, use_activation: 1 }, "use_activation"],
    [{ query, documents, max_tokens_per_doc: 0 }, "max_tokens_per_doc"],
    [{ query, documents, rank_fields: ["title"] }, "rank_fields.0"],
    [{ query, documents, truncate: 1 }, "truncate"],
    [{ query, documents, model: [] }, "model"],
  ])("%j", async (payload, param) => {
    const { rerank, pooling } = standard;
    const { status, body } = await rerank(payload);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ type: "invalid_request_error", param });
    expect(body.error.message).toMatch(new RegExp(`^${param}: expected .*, got `));
    expect(pooling.requests).toEqual([]);
  });

  it("for a model that is not a reranker", async () => {
    const { body } = await standard.rerank({ query, documents, model: "scripted" });
    expect(body.error).toMatchObject({
      param: "model",
      message: expect.stringContaining("`ranker`"),
    });
  });
});
