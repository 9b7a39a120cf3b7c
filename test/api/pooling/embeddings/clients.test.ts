import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { OpenAIEmbeddings } from "@langchain/openai";
import { OpenAIEmbedding } from "@llamaindex/openai";
import { embed, embedMany } from "ai";
import OpenAI from "openai";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { EmbeddingList } from "../../../../src/api/pooling/embeddings/answer.js";
import { eventually } from "../../../support/eventually.js";
import { ScriptedEngine } from "../../../support/scripted-engine.js";
import {
  embeddingModel,
  ScriptedPooling,
  vectorOfText,
} from "../../../support/scripted-pooling.js";
import { serve } from "../../../support/serve.js";

const pooling = new ScriptedPooling({
  vectorOf: vectorOfText,
  endingOf: ({ inputs: [input] }) =>
    input?.content.type === "text" && input.content.text === "for ever" ? "never" : "answered",
});
const engine = new ScriptedEngine(() => ({ parts: [] }));
const server = await serve(engine, { otherModels: [embeddingModel(pooling)] });
const baseURL = `${server.url}/v1`;

const model = "embedder";

function unitVectorOf(text: string, dimensions = 4): number[] {
  const components = vectorOfText({ type: "text", text }).slice(0, dimensions);
  return components.map((component) => Math.fround(component / Math.hypot(...components)));
}

const hello = unitVectorOf("hello");
const both = [hello, unitVectorOf("world")];

describe("the OpenAI SDK", () => {
  const client = () => new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 });

  it("has types compatible with the described responses", () => {
    // OpenAI's type allows only numbers; the client decodes base64.
    type Decoded = Omit<EmbeddingList, "data"> & {
      data: (Omit<EmbeddingList["data"][number], "embedding"> & { embedding: number[] })[];
    };
    expectTypeOf<Decoded>().toExtend<OpenAI.CreateEmbeddingResponse>();
  });

  it("decodes the base64 embeddings that it requests", async () => {
    const { data, usage } = await client().embeddings.create({ model, input: ["hello", "world"] });
    expect(data.map(({ embedding }) => Array.from(embedding))).toEqual(both);
    expect(usage).toEqual({ prompt_tokens: 14, total_tokens: 14 });
  });

  it("receives numbers with fewer dimensions", async () => {
    const { data } = await client().embeddings.create({
      model,
      input: "hello",
      encoding_format: "float",
      dimensions: 2,
    });
    expect(data[0]?.embedding).toEqual(unitVectorOf("hello", 2));
  });

  it("throws errors with the field's path", async () => {
    const error: unknown = await client()
      .embeddings.create({ model, input: ["hello", "x".repeat(2000)] })
      .catch((reason) => reason);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ code: "context_length_exceeded", param: "input.1" });
  });

  it("cancels the request when it disconnects", async () => {
    const controller = new AbortController();
    const answer = client().embeddings.create(
      { model, input: "for ever" },
      { signal: controller.signal },
    );
    await eventually(() => expect(pooling.requests.at(-1)?.inputs[0]?.field).toBe("input"));
    await eventually(() => expect(JSON.stringify(pooling.requests.at(-1))).toContain("for ever"));
    controller.abort();
    await expect(answer).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
    await eventually(() => expect(pooling.aborted).toEqual([pooling.requests.at(-1)?.id]));
  });
});

describe("LangChain's OpenAIEmbeddings", () => {
  it("embeds documents and queries", async () => {
    const configuration = { baseURL };
    const embeddings = new OpenAIEmbeddings({ model, apiKey: "none", configuration });
    expect((await embeddings.embedQuery("hello")).map(Math.fround)).toEqual(hello);
    const documents = await embeddings.embedDocuments(["hello", "world"]);
    expect(documents.map((vector) => Array.from(vector))).toEqual(both);
  });
});

describe("the ai package", () => {
  const embedder = () =>
    createOpenAICompatible({ name: "ggufd", baseURL }).textEmbeddingModel(model);

  it("embeds one value", async () => {
    const { embedding, usage } = await embed({ model: embedder(), value: "hello" });
    expect(embedding).toEqual(hello);
    expect(usage.tokens).toBe(7);
  });

  it("embeds several values", async () => {
    const { embeddings } = await embedMany({ model: embedder(), values: ["hello", "world"] });
    expect(embeddings).toEqual(both);
  });
});

describe("LlamaIndex's OpenAIEmbedding", () => {
  it("embeds texts", async () => {
    const embedding = new OpenAIEmbedding({ model, apiKey: "none", baseURL });
    expect(await embedding.getTextEmbedding("hello")).toEqual(hello);
    expect(await embedding.getTextEmbeddings(["hello", "world"])).toEqual(both);
  });
});
