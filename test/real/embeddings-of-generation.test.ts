import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { buildModelSpecs } from "../../src/config/configured-models.js";
import { loadConfig } from "../../src/config/load-config.js";
import { addMemory, NO_MEMORY } from "../../src/core/memory-use.js";
import type { ServedModel } from "../../src/core/model-directory.js";
import { MediaReader } from "../../src/media/media-reader.js";
import { KnownDevices } from "../../src/serve/known-devices.js";
import { runModel } from "../../src/serve/running-model.js";
import { someCaller } from "../support/callers.js";
import { tinyModel } from "../support/random-models.js";

/** Loads a model of `--model` in this process. */
async function run(model: string, flags: Readonly<Record<string, unknown>>) {
  const given = { model, gpu: "off", parallel: "2", contextSize: "256", threads: "1", ...flags };
  const [spec] = buildModelSpecs(loadConfig({ flags: given, environment: {} }).config);
  if (spec === undefined) throw new Error("no model");
  const limits = { files: 1, fileBytes: 1, totalBytes: 1 };
  const log: string[] = [];
  const unexpected = () => {
    throw new Error("unexpected call");
  };
  const instance = await runModel(spec, {
    engineLocation: "inline",
    scheduling: { limits: { requests: 10, promptTokens: 1000 }, queueTimeoutMs: 0 },
    watchdogSeconds: 0,
    logger: pino({}, { write: (line) => log.push(line) }),
    devices: new KnownDevices(),
    media: new MediaReader(limits, { fetcher: undefined, memory: undefined }),
    openEngine: unexpected,
    alias: "tiny",
    otherModelsMemory: NO_MEMORY,
    listener: {
      onProgress: () => {},
      onCrash: unexpected,
      onReplicaCrash: unexpected,
      onRestored: unexpected,
      onRestartFailed: unexpected,
    },
    signal: new AbortController().signal,
    lastPlan: {},
    occasion: "ahead",
  });
  onTestFinished(() => instance.close());
  const loads = log.filter((line) => line.includes("inputs of up to")).length;
  return { ...instance, memory: instance.memory, loads };
}

async function embed(served: ServedModel | undefined) {
  if (served?.kind !== "embedding") throw new Error("it makes no embeddings");
  const content = { type: "text", text: "Where is the library?" } as const;
  const request = {
    id: "1",
    inputs: [{ content, field: "input" }],
    overlongInputs: "refused",
  } as const;
  const { vectors } = await served.pooling.pool(request, someCaller());
  return { length: vectors[0]?.length, description: served.engine };
}

it("a model that generates text also serves embeddings with --embeddings", async () => {
  const flags = { embeddings: true, embeddingPooling: "mean", maxInputTokens: "64" };
  const { served, memory } = await run(tinyModel(), flags);
  if (served.kind !== "generation") throw new Error("it generates no text");
  const { length, description } = await embed(served.embeddings);
  expect(length).toBe(description.dimensions);
  expect(description).toMatchObject({ pooling: "mean", model: { contextSize: 64 } });
  expect(memory).toEqual(addMemory([served.engine.memory, description.memory]));
});

it("a model that generates text serves no embeddings by default", async () => {
  expect((await run(tinyModel(), {})).served).not.toHaveProperty("embeddings");
});

it.each([
  ["an embedding model", "embed-tiny", "embedding"],
  ["a reranker", "rerank-tiny", "reranking"],
] as const)("with --embeddings, %s is loaded once", async (_, shape, kind) => {
  const { served, memory, loads } = await run(tinyModel("f32", shape), { embeddings: true });
  expect([served.kind, loads]).toEqual([kind, 1]);
  expect(memory).toEqual(served.engine.memory);
});
