import { expect, it, onTestFinished } from "vitest";
import type { EngineSettings } from "../../src/engine/engine-settings.js";
import { createLlamaEngine } from "../../src/engine/llama-engine.js";
import { engineSettings } from "../support/engine-settings.js";
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

it("a model that is loaded again has the context of its last load, if nothing has changed", async () => {
  const { knownPlan } = await descriptionWith({ contextSize: 256, slots: 2 });
  const again = await descriptionWith({ knownPlan });
  expect([again.slots, again.model.contextSize]).toEqual([2, 256]);
  const files = knownPlan?.files.map((file) => ({ ...file, sizeBytes: 1 })) ?? [];
  const changed = await descriptionWith({ knownPlan: knownPlan && { ...knownPlan, files } });
  expect(changed.model.contextSize).toBeGreaterThan(256);
});
