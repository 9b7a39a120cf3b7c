import { OllamaEmbeddings } from "@langchain/ollama";
import { OllamaEmbedding } from "@llamaindex/ollama";
import {
  Ollama,
  type EmbeddingsResponse as OllamaEmbeddingsResponse,
  type EmbedResponse as OllamaEmbedResponse,
} from "ollama";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { EmbeddingsResponse, EmbedResponse } from "../../../src/api/ollama/embed.js";
import { eventually } from "../../support/eventually.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { embeddingModel, ScriptedPooling, vectorOfText } from "../../support/scripted-pooling.js";
import { serve } from "../../support/serve.js";

const pooling = new ScriptedPooling({
  vectorOf: vectorOfText,
  endingOf: ({ inputs: [input] }) =>
    input?.content.type === "text" && input.content.text === "for ever" ? "never" : "answered",
});
const engine = new ScriptedEngine(() => ({ parts: [] }));
const server = await serve(engine, { otherModels: [embeddingModel(pooling)] });

const model = "embedder";
const ofText = (text: string) => vectorOfText({ type: "text", text });

function unitVectorOf(text: string, dimensions = 4): number[] {
  const components = ofText(text).slice(0, dimensions);
  return components.map((component) => Math.fround(component / Math.hypot(...components)));
}

const hello = unitVectorOf("hello");
const both = [hello, unitVectorOf("world")];

describe("the ollama SDK's embeddings", () => {
  it("have types compatible with the described responses", () => {
    expectTypeOf<EmbedResponse>().toExtend<OllamaEmbedResponse>();
    expectTypeOf<EmbeddingsResponse>().toExtend<OllamaEmbeddingsResponse>();
  });

  it("are computed for one text or several", async () => {
    const ollama = new Ollama({ host: server.url });
    expect(await ollama.embed({ model, input: "hello" })).toMatchObject({
      embeddings: [hello],
      prompt_eval_count: 7,
    });
    const input = ["hello", "world"];
    const options = { num_ctx: 512 };
    const answer = await ollama.embed({ model, input, options, keep_alive: "5m" });
    expect(answer.embeddings).toEqual(both);
    const short = await ollama.embed({ model, input, dimensions: 2, truncate: false });
    expect(short.embeddings[0]).toEqual(unitVectorOf("hello", 2));
  });

  it("are computed with the older embeddings method", async () => {
    const ollama = new Ollama({ host: server.url });
    expect((await ollama.embeddings({ model, prompt: "hello" })).embedding).toEqual(
      ofText("hello"),
    );
  });

  it("report errors with the field's path", async () => {
    const ollama = new Ollama({ host: server.url });
    const input = ["x".repeat(2000)];
    await expect(ollama.embed({ model, input, truncate: false })).rejects.toThrow(
      /^input\.0: expected at most 1000 tokens/,
    );
  });

  it("are cancelled when the client disconnects", async () => {
    const controller = new AbortController();
    const ollama = new Ollama({
      host: server.url,
      fetch: (url, init) => fetch(url, { ...init, signal: controller.signal }),
    });
    const answer = ollama.embed({ model, input: "for ever" });
    await eventually(() => expect(JSON.stringify(pooling.requests.at(-1))).toContain("for ever"));
    controller.abort();
    await expect(answer).rejects.toThrow();
    await eventually(() => expect(pooling.aborted).toEqual([pooling.requests.at(-1)?.id]));
  });
});

it("LangChain's OllamaEmbeddings embeds documents and queries", async () => {
  const embeddings = new OllamaEmbeddings({ model, baseUrl: server.url });
  expect(await embeddings.embedQuery("hello")).toEqual(hello);
  expect(await embeddings.embedDocuments(["hello", "world"])).toEqual(both);
});

it("LlamaIndex's OllamaEmbedding embeds texts", async () => {
  const embedding = new OllamaEmbedding({ model, config: { host: server.url } });
  expect(await embedding.getTextEmbedding("hello")).toEqual(ofText("hello"));
  expect(await embedding.getTextEmbeddings(["hello", "world"])).toEqual(
    ["hello", "world"].map(ofText),
  );
});
