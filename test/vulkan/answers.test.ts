import { afterAll, expect, it, onTestFinished } from "vitest";
import type { ShapeName } from "../../models/random/shapes.js";
import type { Engine } from "../../src/core/engine.js";
import type { OutputConstraint } from "../../src/core/output-constraint.js";
import type { EngineSettings } from "../../src/engine/engine-settings.js";
import { type Answer, generate, openEngine } from "../support/generate.js";
import { tinyModel } from "../support/random-models.js";
import { describeOnVulkan } from "../support/vulkan-driver.js";
import { openEngineProcess } from "./model-processes.js";

const slots = 8;

/** Engines on the CPU, one for each model. */
const references = new Map<ShapeName, Promise<Engine>>();
afterAll(async () => {
  for (const reference of references.values()) await (await reference).close();
  references.clear();
});

function onCpu(shape: ShapeName): Promise<Engine> {
  const modelPath = tinyModel("f32", shape);
  const reference =
    references.get(shape) ?? openEngineProcess({ modelPath, slots, speculation: "off" });
  references.set(shape, reference);
  return reference;
}

async function onGpu(
  settings: Partial<EngineSettings> = {},
  shape: ShapeName = "tiny",
): Promise<Engine> {
  const engine = await openEngine(tinyModel("f32", shape), { gpu: "vulkan", slots, ...settings });
  onTestFinished(() => engine.close());
  return engine;
}

const textsOf = (answers: readonly Answer[]) => answers.map(({ text }) => text);

const questions = Array.from({ length: 8 }, (_, index) => `Question ${index} about things`);

const together = (engine: Engine) =>
  Promise.all(questions.map((question) => generate(engine, question)));

async function oneByOne(engine: Engine): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const question of questions.slice(0, 3)) answers.push(await generate(engine, question));
  return answers;
}

/** Eight requests with the same long prefix, the first one before the others. */
async function withPrefix(engine: Engine): Promise<Answer[]> {
  const system = { role: "system", content: "All of them are short. ".repeat(12) } as const;
  const ask = (content: string) => generate(engine, [system, { role: "user", content }]);
  const [first = "", ...others] = questions;
  return [await ask(first), ...(await Promise.all(others.map(ask)))];
}

const cachedTokensOf = (answers: readonly Answer[]) =>
  answers.map(({ usage }) => usage?.cachedTokens ?? 0);

const constraints: readonly OutputConstraint[] = [
  {
    type: "json-schema",
    schema: {
      type: "object",
      properties: { name: { type: "string", maxLength: 8 }, ages: { type: "array", maxItems: 3 } },
      required: ["name", "ages"],
      additionalProperties: false,
    },
  },
  { type: "regex", pattern: "[a-z]{2,5}( [0-9]{2}){3}" },
  { type: "choice", options: ["north", "north-east", "south"] },
];

const constrained = (engine: Engine) =>
  Promise.all(
    constraints.map((constraint) =>
      generate(engine, "Hi", { constraint, stopping: { maxTokens: 40, ignoreEos: false } }),
    ),
  );

describeOnVulkan("answers generated on a GPU", () => {
  it.each<[string, Partial<EngineSettings>, string]>([
    ["all layers", {}, "all-layers"],
    ["some layers", { gpuLayers: 1 }, "some-layers"],
    ["no layers", { gpuLayers: 0 }, "none"],
    ["all layers and a unified cache", { kvCacheLayout: "unified" }, "all-layers"],
    ["all layers and the cache in main memory", { noKvOffload: true }, "all-layers"],
    ["some layers and small passes", { gpuLayers: 1, ubatchSize: 16 }, "some-layers"],
    ["some layers and a unified cache", { gpuLayers: 2, kvCacheLayout: "unified" }, "some-layers"],
  ])(
    "with %s equal those of the CPU: alone, concurrently, with shared prefixes and constraints",
    async (_, settings) => {
      const [cpu, gpu] = [await onCpu("tiny"), await onGpu(settings)];
      expect(gpu.description.device).toMatch(/^Vulkan \(.+\)$/);
      expect(textsOf(await oneByOne(gpu))).toEqual(textsOf(await oneByOne(cpu)));
      expect(textsOf(await together(gpu))).toEqual(textsOf(await together(cpu)));
      const withCache = await withPrefix(gpu);
      expect(textsOf(withCache)).toEqual(textsOf(await withPrefix(cpu)));
      expect(Math.min(...cachedTokensOf(withCache).slice(1))).toBeGreaterThan(100);
      expect(textsOf(await constrained(gpu))).toEqual(textsOf(await constrained(cpu)));
    },
  );

  it.each<ShapeName>(["cohere2-tiny", "mamba-tiny", "jamba-tiny"])(
    "equal those of the CPU for the model %s",
    async (shape) => {
      const [cpu, gpu] = [await onCpu(shape), await onGpu({}, shape)];
      expect(textsOf(await together(gpu))).toEqual(textsOf(await together(cpu)));
    },
  );

  it("equal those of the CPU if the experts are in main memory (--cpu-moe)", async () => {
    const gpu = await onGpu({ placement: { cpuMoe: "all" } }, "moe-tiny");
    const cpu = await onCpu("moe-tiny");
    // Rounding would decide between equally likely experts.
    for (const question of [questions[0], questions[2], questions[5]].map(String)) {
      expect((await generate(gpu, question)).text).toBe((await generate(cpu, question)).text);
    }
  });

  it("are unchanged by drafts of a model on the same GPU", async () => {
    const gpu = await onGpu({ draftModelPath: tinyModel() });
    const answers = [...(await oneByOne(gpu)), ...(await together(gpu))];
    const cpu = await onCpu("tiny");
    expect(textsOf(answers)).toEqual(textsOf([...(await oneByOne(cpu)), ...(await together(cpu))]));
    const proposed = answers.map(({ timings }) => timings?.draftTokens ?? 0);
    expect(Math.max(...proposed)).toBeGreaterThan(0);
  });

  it("are unchanged after their states were saved to main memory and restored", async () => {
    const gpu = await onGpu({ slots: 1, cacheRamMiB: 16 });
    await withPrefix(gpu);
    const [before] = await oneByOne(gpu);
    const again = await withPrefix(gpu);
    expect(textsOf(again)).toEqual(textsOf(await withPrefix(await onCpu("tiny"))));
    expect(Math.min(...cachedTokensOf(again))).toBeGreaterThan(100);
    expect(gpu.statistics?.cachedTokens.ram).toBeGreaterThan(100);
    expect((await generate(gpu, questions[0] ?? "")).text).toBe(before?.text);
  });

  it("have the same log-probabilities as on the CPU", async () => {
    const ask = (engine: Engine) => generate(engine, "Hello", { topLogProbabilities: 3 });
    const [ofGpu, ofCpu] = [await ask(await onGpu()), await ask(await onCpu("tiny"))];
    expect(ofGpu.scores.length).toBeGreaterThan(10);
    expect(ofGpu.scores.map(({ bytes }) => bytes)).toEqual(ofCpu.scores.map(({ bytes }) => bytes));
    for (const [index, { logProbability, top }] of ofGpu.scores.entries()) {
      const expected = ofCpu.scores[index];
      expect(Math.abs(logProbability - (expected?.logProbability ?? 0))).toBeLessThan(0.05);
      expect(top).toHaveLength(3);
      expect(top[0]?.logProbability).toBe(logProbability);
    }
  });

  it("end when they are cancelled, while others continue", async () => {
    const gpu = await onGpu({ contextSize: 2048 });
    const id = "cancelled";
    const stopped = generate(gpu, "Hello", { id, stopping: { maxTokens: 2000 } });
    const others = await together(gpu);
    gpu.cancel(id);
    expect((await stopped).reason).toBe("cancelled");
    expect(textsOf(others)).toEqual(textsOf(await together(await onCpu("tiny"))));
  });
});
