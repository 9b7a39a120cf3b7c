import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import {
  embeddingModel,
  ScriptedPooling,
  type ScriptedPoolingOptions,
  vectorOfText,
} from "../../support/scripted-pooling.js";
import { buildTestApp } from "../../support/test-app.js";

function build(options: Partial<ScriptedPoolingOptions> = {}) {
  const pooling = new ScriptedPooling({ vectorOf: vectorOfText, ...options });
  const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: [] })), {
    otherModels: [embeddingModel(pooling)],
  });
  const post = async (path: string, payload: object) => {
    const response = await app.inject({ method: "POST", url: `/api/${path}`, payload });
    return { status: response.statusCode, body: response.json() };
  };
  return { app, post, pooling };
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

function unit(...components: readonly number[]): number[] {
  const norm = Math.hypot(...components);
  return components.map((component) => Math.fround(component / norm));
}

const ofAb = [2, -97, 195 % 97, 3];
const ofC = [1, -99, 99 % 97, 3];

describe("/api/embed", () => {
  it.each([
    ["a text", "ab", [ofAb]],
    ["texts", ["ab", "c"], [ofAb, ofC]],
    ["an empty text among others", ["ab", ""], [ofAb, [0, 0, 0, 3]]],
  ])("returns embeddings of unit length for %s", async (_name, input, computed) => {
    const { status, body } = await standard.post("embed", { model: "embedder:latest", input });
    expect(status).toBe(200);
    expect(body).toEqual({
      model: "embedder",
      total_duration: expect.toSatisfy((time) => Number.isInteger(time) && time > 0),
      load_duration: 0,
      prompt_eval_count: Array.isArray(input) ? input.join("").length + 4 : 4,
      embeddings: computed.map((components) => unit(...components).map((one) => one + 0)),
    });
  });

  it.each([{}, { input: "" }, { input: [] }, { input: null }])(
    "returns no embeddings for empty input: %j",
    async (fields) => {
      const { post, pooling } = standard;
      const { status, body } = await post("embed", { model: "embedder", ...fields });
      expect(status).toBe(200);
      expect(body).toMatchObject({ embeddings: [], prompt_eval_count: 0 });
      expect(pooling.requests).toEqual([]);
    },
  );

  it.each([
    [2, unit(2, -97)],
    [0, unit(...ofAb)],
    [null, unit(...ofAb)],
  ])("returns the first dimensions, rescaled to unit length: %j", async (dimensions, expected) => {
    const { body } = await standard.post("embed", { input: "ab", dimensions });
    expect(body.embeddings).toEqual([expected]);
  });

  it("rejects more dimensions than the model has", async () => {
    expect(await standard.post("embed", { input: "ab", dimensions: 5 })).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^dimensions: expected an integer from 1 to 4/) },
    });
  });

  it("truncates texts that exceed the context, unless truncate is false", async () => {
    const { post } = serve({ contextSize: 4 });
    for (const truncate of [undefined, null, true]) {
      const { body } = await post("embed", { input: "abc", truncate });
      expect(body.embeddings).toEqual([unit(...ofAb)]);
    }
    expect(await post("embed", { input: ["ab", "abc"], truncate: false })).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^input\.1: expected at most 4 tokens/) },
    });
  });

  it("returns an embedding for each of 2048 texts", async () => {
    const input = Array.from({ length: 2048 }, () => "c");
    const { post } = serve({ vectorOf: () => Array.from({ length: 4 }, () => 1) });
    const { body } = await post("embed", { input });
    expect(body.embeddings).toEqual(input.map(() => [0.5, 0.5, 0.5, 0.5]));
  });
});

describe("/api/embeddings", () => {
  it("returns the embedding as the model computes it, without normalisation", async () => {
    expect(await standard.post("embeddings", { model: "embedder", prompt: "ab" })).toEqual({
      status: 200,
      body: { embedding: ofAb },
    });
  });

  it.each([{}, { prompt: "" }, { prompt: null }])(
    "returns an empty embedding for %j",
    async (fields) => {
      expect(await standard.post("embeddings", fields)).toEqual({
        status: 200,
        body: { embedding: [] },
      });
    },
  );

  it("truncates a text that exceeds the context", async () => {
    const { post } = serve({ contextSize: 4 });
    expect((await post("embeddings", { prompt: "abc" })).body).toEqual({ embedding: ofAb });
  });

  it("returns 500 if the model computes NaN", async () => {
    const { post } = serve({ vectorOf: () => [1, 2, Number.NaN, 4] });
    expect((await post("embeddings", { prompt: "ab" })).status).toBe(500);
  });
});

it("POST /api/embed rejects more than 2048 texts", async () => {
  const { body } = await standard.post("embed", { input: Array(2049).fill("a") });
  expect(body.error).toMatch(/^input: expected .* at most 2048 .*, got /);
});

describe("invalid input is rejected with the field's path", () => {
  it.each([
    ["embed", { input: 7 }, "input"],
    ["embed", { input: ["a", 7] }, "input.1"],
    ["embed", { input: [["a"]] }, "input.0"],
    ["embed", { input: "a", truncate: "END" }, "truncate"],
    ["embed", { input: "a", dimensions: -1 }, "dimensions"],
    ["embed", { input: "a", dimensions: 2.5 }, "dimensions"],
    ["embed", { input: "a", options: [] }, "options"],
    ["embed", { input: "a", options: { seed: "x" } }, "options.seed"],
    ["embed", { input: "a", keep_alive: "soon" }, "keep_alive"],
    ["embed", { input: "a", model: 7 }, "model"],
    ["embeddings", { prompt: ["a"] }, "prompt"],
    ["embeddings", { prompt: "a", keep_alive: {} }, "keep_alive"],
    ["embeddings", { prompt: "a", model: "" }, "model"],
  ])("/api/%s %j", async (path, payload, field) => {
    const { status, body } = await standard.post(path, payload);
    expect(status).toBe(400);
    expect(body).toEqual({
      error: expect.stringMatching(new RegExp(`^${field}: expected .*, got`)),
    });
  });

  it.each(["embed", "embeddings"])("a model that computes no embeddings: /api/%s", async (path) => {
    const { status, body } = await standard.post(path, { model: "scripted:latest", input: "a" });
    expect(status).toBe(400);
    expect(body.error).toMatch(/^model: expected a model that makes embeddings/);
  });
});

it("POST /api/show reports the capability and the dimensions of an embedding model", async () => {
  const { body } = await standard.post("show", { model: "embedder" });
  expect(body).toMatchObject({
    capabilities: ["embedding"],
    model_info: { "general.architecture": "bert", "bert.embedding_length": 4 },
  });
  const { body: other } = await standard.post("show", { model: "scripted" });
  expect(other.model_info).not.toHaveProperty(["llama.embedding_length"]);
});
