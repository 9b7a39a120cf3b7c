import { availableParallelism } from "node:os";
import { describe, expect, test } from "vitest";
import { type PlanOptions, printPlan } from "../../src/cli/plan-command.js";
import { buildModelSpecs } from "../../src/config/configured-models.js";
import { loadConfig } from "../../src/config/load-config.js";
import type { ModelSpec } from "../../src/config/model-spec.js";
import type { MemoryPlan } from "../../src/engine/memory/memory-plan.js";
import { planSpecs } from "../../src/serve/plan-specs.js";
import { tinyModel } from "../support/random-models.js";
import { shippedModel } from "../support/shipped-model.js";

const modelsOf = (flags: object) =>
  buildModelSpecs(
    loadConfig({ flags: { model: shippedModel, gpu: "off", ...flags }, environment: {} }).config,
  );
async function runPlan(
  specs: readonly ModelSpec[],
  { output, ...machine }: PlanOptions,
): Promise<string> {
  return printPlan(await planSpecs(specs, machine), output);
}

const onThisMachine = { memoryGiB: undefined, gpuMemoryGiB: undefined };

describe("ggufd plan", () => {
  test("prints the memory of the model on this machine and the alternatives that fit", async () => {
    const text = await runPlan(modelsOf({}), { output: "text", ...onThisMachine });
    expect(text).toContain(shippedModel);
    expect(text).toMatch(/weights +\d+ MiB/);
    expect(text).toMatch(/--parallel \d+ --context-size 2048/);
    expect(text).not.toContain("does not fit");
  });

  test("prints why a configuration does not fit, and alternatives that would", async () => {
    const specs = modelsOf({ parallel: "64", contextSize: "4096" });
    const text = await runPlan(specs, { output: "text", memoryGiB: 1, gpuMemoryGiB: undefined });
    expect(text).toContain("It does not fit: the weights take");
    expect(text).toMatch(/--parallel \d+ would fit/);
  });

  test("prints the plan as JSON", async () => {
    const text = await runPlan(modelsOf({ parallel: "2", contextSize: "1024" }), {
      output: "json",
      memoryGiB: 8,
      gpuMemoryGiB: 4,
    });
    expect(JSON.parse(text)).toMatchObject({
      models: [
        {
          kind: "generation",
          model: shippedModel,
          shortage: null,
          wouldFit: [],
          plan: { slots: 2, contextSize: 1024, memory: { gpu: "separate" } },
        },
      ],
    });
  });

  test("plans each model with the previous ones loaded", async () => {
    const embeddingModel = tinyModel("f32", "embed-tiny");
    const rerankingModel = tinyModel("f32", "rerank-tiny");
    const specs = modelsOf({ embeddingModel, rerankingModel });
    const text = await runPlan(specs, { output: "json", memoryGiB: 4, gpuMemoryGiB: undefined });
    const { models } = JSON.parse(text);
    expect(models).toMatchObject([
      { kind: "embedding", model: embeddingModel, plan: { maxInputTokens: 512 } },
      { kind: "reranking", model: rerankingModel, shortage: null },
      { kind: "generation", model: shippedModel },
    ]);
    const free = models.map((one: { plan: MemoryPlan }) => one.plan.memory.free.cpuBytes);
    const [embedding, reranking] = models;
    for (const [index, { plan }] of [embedding, reranking].entries()) {
      const { weights, buffers } = plan.model;
      expect(free[index + 1]).toBe(free[index] - weights.cpuBytes - buffers.cpuBytes);
    }
    const readable = await runPlan(specs, { output: "text", ...onThisMachine });
    expect(readable).toContain("inputs of up to 512 tokens");
  });

  test("plans the embeddings of the model before the model, and an embedding model once", async () => {
    const flags = { embeddings: true, embeddingPooling: "mean", maxInputTokens: "64" };
    const machine = { memoryGiB: 4, gpuMemoryGiB: undefined };
    const { models } = await planSpecs(modelsOf(flags), machine);
    expect(models).toMatchObject([
      { kind: "embedding", model: shippedModel, plan: { maxInputTokens: 64 } },
      { kind: "generation", model: shippedModel },
    ]);
    const [embeddings, generation] = models.map(({ plan }) => plan.memory.free.cpuBytes);
    expect(generation).toBeLessThan(embeddings ?? 0);
    const model = tinyModel("f32", "embed-tiny");
    const one = await planSpecs(modelsOf({ ...flags, model }), machine);
    expect(one.models).toMatchObject([{ kind: "embedding", model }]);
  });

  test("plans an embedding model given as the main model", async () => {
    const specs = modelsOf({ model: tinyModel("f32", "embed-tiny") });
    const text = await runPlan(specs, { output: "json", ...onThisMachine });
    expect(JSON.parse(text)).toMatchObject({ models: [{ kind: "embedding" }] });
  });
});

describe("ggufd plan with replicas", () => {
  const sizes = { parallel: "2", contextSize: "1024" };

  test.runIf(availableParallelism() > 1)("prints their places and their memory", async () => {
    const { models, free } = await planSpecs(modelsOf({ ...sizes, replicas: "2" }), onThisMachine);
    const [single] = (await planSpecs(modelsOf(sizes), onThisMachine)).models;
    const [model] = models;
    if (model?.kind !== "generation" || single?.kind !== "generation") throw new Error("no plan");
    expect(model.replicas).toHaveLength(2);
    expect(model.plan).toMatchObject({ slots: 2, contextSize: 1024 });
    const { weights } = single.plan.main;
    expect(model.memory.cpuBytes).toBe(2 * single.memory.cpuBytes - weights.cpuBytes);
    expect(model.plan.memory.free.cpuBytes).toBeLessThan(free.cpuBytes);
    expect(model.files).toMatchObject([{ path: shippedModel }]);
    const text = await runPlan(modelsOf({ ...sizes, replicas: "2" }), {
      output: "text",
      ...onThisMachine,
    });
    expect(text).toMatch(/^ {2}replicas 2: .*\n {11}together \d+ MiB$/m);
    expect(text).not.toContain("does not fit");
  });

  test("prints why their number does not fit, and one that does", async () => {
    const text = await runPlan(modelsOf({ replicas: "64" }), { output: "text", ...onThisMachine });
    expect(text).toMatch(/It does not fit: --replicas 64: .*\n {2}--replicas \d+ would fit/);
  });

  test("places them on a described GPU as far as they fit", async () => {
    const specs = modelsOf({ ...sizes, replicas: "3" });
    const machine = { memoryGiB: 8, gpuMemoryGiB: 4 };
    const { models } = await planSpecs(specs, machine);
    expect(models).toMatchObject([
      { shortage: null, replicas: [{ devices: ["the GPU"] }, {}, {}], plan: { slots: 2 } },
    ]);
  });
});
