import { expect, it, onTestFinished } from "vitest";
import type { ShapeName } from "../../models/random/shapes.js";
import type { EngineSettings } from "../../src/engine/engine-settings.js";
import { generate, openEngine } from "../support/generate.js";
import { tinyModel } from "../support/random-models.js";
import { shippedModel } from "../support/shipped-model.js";

async function answers(settings: Partial<EngineSettings>, modelPath = shippedModel) {
  const engine = await openEngine(modelPath, settings);
  onTestFinished(() => engine.close());
  const sampling = { temperature: 0.8, seed: 7 };
  const stopping = { maxTokens: 30 };
  const constraint = { type: "regex", pattern: "[a-z ]{10,40}" } as const;
  const all = await Promise.all([
    generate(engine, "Tell me about a cat.", { sampling, stopping }),
    generate(engine, "Tell me about a dog.", { stopping }),
    generate(engine, "Tell me about a fox.", { sampling, stopping, constraint }),
    generate(engine, "Tell me about an owl.", { sampling, stopping, topLogProbabilities: 2 }),
    generate(engine, "Tell me about a hen.", { sampling: { ...sampling, topK: 0 }, stopping }),
  ]);
  return { device: engine.description.samplingDevice, texts: all.map(({ text }) => text) };
}

it("answers with device sampling (--device-sampling on) are the same as without it", async () => {
  const expected = await answers({ deviceSampling: "off" });
  const sampled = await answers({ deviceSampling: "on" });
  expect([expected.device, sampled.device]).toEqual([undefined, "CPU"]);
  expect(sampled.texts).toEqual(expected.texts);
  expect(new Set(sampled.texts).size).toBe(5);
});

it.each<[ShapeName, Partial<EngineSettings>]>([
  ["tiny", { kvCacheLayout: "unified" }],
  ["tiny", { draftModelPath: tinyModel() }],
  ["cohere2-tiny", {}],
  ["mamba-tiny", {}],
  ["jamba-tiny", {}],
])("answers of the model %s with %j are the same with device sampling", async (shape, settings) => {
  const of = (deviceSampling: EngineSettings["deviceSampling"]) =>
    answers({ ...settings, deviceSampling, gpu: "off" }, tinyModel("f32", shape));
  const [expected, sampled] = [await of("off"), await of("on")];
  expect(sampled.device).toBe("CPU");
  expect(sampled.texts).toEqual(expected.texts);
});

it("device sampling is off by default on a CPU, without a warning", async () => {
  const warnings: string[] = [];
  const log = (level: string, message: string) => {
    if (level === "warn") warnings.push(message);
  };
  const engine = await openEngine(shippedModel, { deviceSampling: "auto" }, { log });
  onTestFinished(() => engine.close());
  expect(engine.description.samplingDevice).toBeUndefined();
  expect(warnings).toEqual([]);
});
