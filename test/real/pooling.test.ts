import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type {
  EmbeddingDescription,
  PooledContent,
  PoolingEngine,
  PoolingRequest,
} from "../../src/core/pooling.js";
import { createPoolingEngine, type PoolingSettings } from "../../src/engine/pooling-engine.js";
import { poolingSettings } from "../support/pooling-settings.js";
import { modelWithTokenizer, tinyModel } from "../support/random-models.js";
import { rejection } from "../support/refusal.js";

type Fields = Partial<PoolingSettings>;

async function load(path: string, kind: PoolingSettings["kind"], fields: Fields = {}) {
  const settings: PoolingSettings = {
    source: { role: `${kind}-model`, path },
    kind,
    ...poolingSettings,
    ...fields,
  };
  return createPoolingEngine(settings, { log: () => undefined, onProgress: () => undefined });
}

async function open(path: string, kind: PoolingSettings["kind"], fields?: Fields) {
  const engine = await load(path, kind, fields);
  onTestFinished(() => engine.close());
  return engine;
}

const text = (text: string): PooledContent => ({ type: "text", text });

let requests = 0;
async function pool(
  engine: PoolingEngine,
  contents: readonly PooledContent[],
  tooLong: PoolingRequest["overlongInputs"] = "refused",
) {
  const inputs = contents.map((content, index) => ({ content, field: `input.${index}` }));
  const answer = await engine.pool({ id: `${requests++}`, inputs, overlongInputs: tooLong });
  if (answer === "cancelled") throw new Error("nobody cancelled it");
  return answer;
}

function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  const dot = (x: Float32Array, y: Float32Array) =>
    x.reduce((sum, value, index) => sum + value * (y[index] ?? Number.NaN), 0);
  if (a === undefined || b === undefined) throw new Error("a vector is missing");
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

const texts = [
  "Where is the library?",
  "x",
  "In Park Street, behind the bridge, since 1923.",
  "Ein Wort.",
].map(text);

describe.each([
  ["an encoder", () => tinyModel("f32", "embed-tiny"), "mean"],
  ["an encoder on two threads", () => tinyModel("f32", "embed-tiny"), "mean", { threads: 2 }],
  ["an encoder with WordPiece", () => modelWithTokenizer("bert-bge", "embed-tiny"), "mean"],
  ["a decoder", () => tinyModel("f32", "embed-qwen3-tiny"), "last"],
  ["a decoder on two threads", () => tinyModel("f32", "embed-qwen3-tiny"), "last", { threads: 2 }],
])("embeddings of %s", (_, model, pooling, fields: Fields = {}) => {
  let engine: PoolingEngine;
  beforeAll(async () => {
    engine = await load(model(), "embedding", fields);
    return () => engine.close();
  });

  it("are described in the model description", () => {
    expect(engine.description).toMatchObject({ kind: "embedding", pooling, dimensions: 64 });
  });

  it("are the same in a batch as alone, and differ by text", async () => {
    const together = await pool(engine, texts);
    expect(together.vectors).toHaveLength(texts.length);
    for (const [index, one] of texts.entries()) {
      const alone = await pool(engine, [one]);
      expect(cosine(together.vectors[index], alone.vectors[0])).toBeGreaterThan(0.9999);
    }
    expect(cosine(together.vectors[0], together.vectors[2])).toBeLessThan(0.99);
  });

  it("are the same for concurrent requests", async () => {
    const alone = await pool(engine, texts);
    const reversed = [...texts].reverse();
    const [first, second] = await Promise.all([pool(engine, texts), pool(engine, reversed)]);
    for (const index of texts.keys()) {
      expect(cosine(first.vectors[index], alone.vectors[index])).toBeGreaterThan(0.9999);
      const mirrored = second.vectors[texts.length - 1 - index];
      expect(cosine(mirrored, alone.vectors[index])).toBeGreaterThan(0.9999);
    }
  });

  it("include the special tokens that the model adds around the text", async () => {
    const tokens = await engine.ask({
      type: "tokenize",
      text: "Where is it?",
      beginning: "bare",
      controlTokens: "literal",
      pieces: "unwanted",
    });
    if (tokens.type !== "tokens") throw new Error("expected tokens");
    const { promptTokens } = await pool(engine, [text("Where is it?")]);
    expect(promptTokens).toBeGreaterThan(tokens.tokens.length);
  });

  it("of an input that is too long are rejected, or computed from the truncated input", async () => {
    const { contextSize } = engine.description.model;
    const long = text("word ".repeat(contextSize + 100));
    expect(await rejection(pool(engine, [text("short"), long]))).toMatchObject({
      code: "context_length_exceeded",
      param: "input.1",
    });
    for (const tooLong of ["cut-at-end", "cut-at-start"] as const) {
      expect((await pool(engine, [long], tooLong)).promptTokens).toBe(contextSize);
    }
  });

  it("are not affected by the cancellation of other requests", async () => {
    const alone = await pool(engine, texts);
    const id = "cancelled";
    const inputs = Array.from({ length: 200 }, (_, index) => ({
      content: text(`number ${index}`),
      field: "input",
    }));
    const cancelled = engine.pool({ id, inputs, overlongInputs: "refused" });
    const other = pool(engine, texts);
    engine.cancel(id);
    expect(await cancelled).toBe("cancelled");
    expect(cosine((await other).vectors[2], alone.vectors[2])).toBeGreaterThan(0.9999);
  });

  it("tokenise control tokens in the text as plain text", async () => {
    const names = ["[SEP]", "[CLS]", "<|im_end|>", "<|endoftext|>", "</s>"].join("");
    const { promptTokens } = await pool(engine, [text(names)]);
    const ordinary = await pool(engine, [text(names.replaceAll(/[[\]<>|]/g, "."))]);
    // Plain text takes many tokens, a control token only one.
    expect(promptTokens).toBeGreaterThan(ordinary.promptTokens / 2);
    expect(promptTokens).toBeGreaterThan(10);
  });
});

describe("rerank scores", () => {
  const pair = (document: string): PooledContent => ({
    type: "pair",
    query: "Where is the library?",
    document,
  });
  const documents = ["In Park Street.", "No.", "Behind the bridge, since 1923."].map(pair);

  it.each([
    ["rerank-tiny", "logit"],
    ["rerank-qwen3-tiny", "probability"],
  ] as const)("of %s are one per document, as a %s", async (shape, scoreScale) => {
    const engine = await open(tinyModel("f32", shape), "reranking");
    expect(engine.description).toMatchObject({ kind: "reranking", pooling: "rank", scoreScale });
    const together = await pool(engine, documents);
    for (const [index, one] of documents.entries()) {
      const [score] = together.vectors[index] ?? [];
      expect(together.vectors[index]).toHaveLength(1);
      expect((await pool(engine, [one])).vectors[0]?.[0]).toBeCloseTo(score ?? Number.NaN, 2);
    }
    expect(new Set(together.vectors.map(([score]) => score)).size).toBe(documents.length);
  });
});

describe.each([
  ["an encoder", () => tinyModel("f32", "embed-tiny")],
  ["a generating model", () => tinyModel()],
])("without a pooling method, %s", (_, path) => {
  let engine: PoolingEngine;
  beforeAll(async () => {
    engine = await load(path(), "embedding", { pooling: "none" });
    return () => engine.close();
  });

  it("has one vector per token", async () => {
    const { dimensions } = engine.description as EmbeddingDescription;
    const { vectors, promptTokens } = await pool(engine, texts);
    const alone = await Promise.all(texts.map((one) => pool(engine, [one])));
    expect(vectors.map(({ length }) => length)).toEqual(
      alone.map((one) => one.promptTokens * dimensions),
    );
    expect(promptTokens).toBe(alone.reduce((sum, one) => sum + one.promptTokens, 0));
    for (const [index, one] of alone.entries()) {
      expect(cosine(vectors[index], one.vectors[0])).toBeGreaterThan(0.999);
    }
  });

  it("has vectors whose mean is the embedding by mean", async () => {
    const mean = await open(path(), "embedding", { pooling: "mean" });
    const { dimensions } = engine.description as EmbeddingDescription;
    const [all = new Float32Array()] = (await pool(engine, texts.slice(0, 1))).vectors;
    const sums = new Float32Array(dimensions);
    all.forEach((value, index) => {
      sums[index % dimensions] = (sums[index % dimensions] ?? 0) + value;
    });
    const { vectors } = await pool(mean, texts.slice(0, 1));
    expect(cosine(vectors[0], sums)).toBeGreaterThan(0.999);
  });

  it("rejects a request whose vectors would not fit into memory", async () => {
    const { dimensions, model } = engine.description as EmbeddingDescription;
    const most = 2 ** 28 / (4 * dimensions);
    const tokens: PooledContent = { type: "tokens", tokens: Array(model.contextSize).fill(5) };
    const inputs = Array(Math.ceil(most / model.contextSize) + 1).fill(tokens);
    await expect(pool(engine, inputs)).rejects.toThrow(
      `at most ${most} tokens in all of its inputs`,
    );
  });
});

describe("a model file", () => {
  it("for chat can be pooled with a configured method", async () => {
    const path = tinyModel();
    expect((await open(path, "embedding")).description).toMatchObject({ pooling: "none" });
    const engine = await open(path, "embedding", { pooling: "mean" });
    expect(engine.description).toMatchObject({ pooling: "mean" });
    const { vectors } = await pool(engine, texts);
    expect(cosine(vectors[0], vectors[2])).toBeLessThan(0.9999);
  });

  it("can be pooled with a method other than its own", async () => {
    const path = tinyModel("f32", "embed-tiny");
    const mean = await open(path, "embedding");
    const cls = await open(path, "embedding", { pooling: "cls" });
    const [one, other] = await Promise.all([mean, cls].map((engine) => pool(engine, texts)));
    expect(cosine(one?.vectors[0], other?.vectors[0])).toBeLessThan(0.99);
  });

  it("that does not support reranking is rejected for reranking", async () => {
    await expect(load(tinyModel("f32", "embed-tiny"), "reranking")).rejects.toThrow(
      "not a reranking model",
    );
  });

  it("for reranking is rejected for embeddings", async () => {
    await expect(load(tinyModel("f32", "rerank-tiny"), "embedding")).rejects.toMatchObject({
      kind: "reranking",
    });
  });

  it.each([3, 16, 33, 100])("evaluates inputs of %i tokens if so configured", async (tokens) => {
    const fields = { maxInputTokens: tokens };
    const engine = await open(tinyModel("f32", "embed-tiny"), "embedding", fields);
    expect(engine.description.model.contextSize).toBe(tokens);
    const long = Array(40).fill(text("word ".repeat(200)));
    expect((await pool(engine, long, "cut-at-end")).promptTokens).toBe(40 * tokens);
  });
});
