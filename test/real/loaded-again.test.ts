import { expect, it, onTestFinished } from "vitest";
import type { EngineSettings } from "../../src/engine/engine-settings.js";
import { createLlamaEngine } from "../../src/engine/llama-engine.js";
import { engineSettings } from "../support/engine-settings.js";
import { tinyLora, tinyModel } from "../support/random-models.js";
import { shippedModel } from "../support/shipped-model.js";

async function descriptionWith(settings: Partial<EngineSettings>) {
  const silent = () => undefined;
  const engine = await createLlamaEngine(
    { ...engineSettings, modelPath: shippedModel, contextSize: undefined, ...settings },
    { log: silent, onProgress: silent, onStepEnd: silent },
  );
  onTestFinished(() => engine.close());
  return engine.description;
}

it("a reloaded model keeps its previous context size if nothing has changed", async () => {
  const { knownPlan } = await descriptionWith({ contextSize: 256, slots: 2 });
  const again = await descriptionWith({ knownPlan });
  expect([again.slots, again.model.contextSize]).toEqual([2, 256]);
  const files = knownPlan?.files.map((file) => ({ ...file, sizeBytes: 1 })) ?? [];
  const changed = await descriptionWith({ knownPlan: knownPlan && { ...knownPlan, files } });
  expect(changed.model.contextSize).toBeGreaterThan(256);
});

it("a model that is reloaded with different adapters gets a new memory plan", async () => {
  const base = { modelPath: tinyModel() };
  const [first, second] = [2, 3].map((seed) => ({
    ...{ name: "a", path: tinyLora(seed) },
    scale: 1,
    use: "when-asked" as const,
  }));
  if (first === undefined || second === undefined) throw new Error("two adapters are needed");
  const { knownPlan } = await descriptionWith({
    ...{ ...base, adapters: [first] },
    ...{ contextSize: 256, slots: 2 },
  });
  const again = await descriptionWith({ ...base, adapters: [first], knownPlan });
  expect(again.model.contextSize).toBe(256);
  for (const adapters of [[second], [first, { ...second, name: "b" }], []]) {
    const other = await descriptionWith({ ...base, adapters, knownPlan });
    expect(other.model.contextSize, `${adapters.length} adapters`).toBeGreaterThan(256);
  }
});
