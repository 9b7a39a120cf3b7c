import assert from "node:assert/strict";
import { expect, it, onTestFinished } from "vitest";
import { buildMainModelSpec } from "../../src/config/configured-models.js";
import { loadConfig } from "../../src/config/load-config.js";
import { buildEngineSettings } from "../../src/serve/build-engine-settings.js";
import { buildReplicaSettings, readPlacements } from "../../src/serve/place-replicas.js";
import { planSpecs } from "../../src/serve/plan-specs.js";
import { generate } from "../support/generate.js";
import { tinyModel } from "../support/random-models.js";
import { describeOnVulkan } from "../support/vulkan-driver.js";
import { openEngineProcess } from "./model-processes.js";

const thisMachine = { memoryGiB: undefined, gpuMemoryGiB: undefined };

function specOf(flags: object) {
  const given = { model: tinyModel(), gpu: "vulkan", parallel: "2", batchSize: "128", ...flags };
  return buildMainModelSpec(loadConfig({ flags: given, environment: {} }).config);
}

describeOnVulkan("replicas on one GPU", () => {
  it("have equal sizes, and give the same answers as the CPU", async () => {
    const spec = specOf({ replicas: "2" });
    const report = await planSpecs([spec], thisMachine);
    const [model] = report.models;
    assert(model?.kind === "generation", "the model generates text");
    const single = await planSpecs([specOf({})], thisMachine);
    expect(model.replicas).toEqual([{ devices: ["Vulkan0"] }, { devices: ["Vulkan0"] }]);
    expect(model.memory.gpuBytes).toBeGreaterThan(0);
    expect(single.models).toMatchObject([{ replicas: [{}] }]);

    const settings = buildReplicaSettings(buildEngineSettings(spec), readPlacements(report));
    const cpu = await openEngineProcess({ modelPath: tinyModel() });
    const engines = await Promise.all(settings.map((one) => openEngineProcess(one)));
    onTestFinished(async () => {
      await Promise.all([cpu, ...engines].map((engine) => engine.close()));
    });
    const { slots, contextSize } = model.plan;
    const { text } = await generate(cpu, "Hello");
    for (const engine of engines) {
      expect(engine.description).toMatchObject({ slots, offloading: "all-layers" });
      expect(engine.description.knownPlan?.plan).toMatchObject({ slots, contextSize });
      expect(engine.description.device).toMatch(/^Vulkan/);
      expect((await generate(engine, "Hello")).text).toBe(text);
    }
  });

  it("are as many as there are GPUs with auto", async () => {
    const { models } = await planSpecs([specOf({ replicas: "auto" })], thisMachine);
    expect(models).toMatchObject([{ shortage: null, replicas: [{}] }]);
  });
});
