import { expect, it, onTestFinished } from "vitest";
import type { PoolingEngine } from "../../src/core/pooling.js";
import { createPoolingEngine, type PoolingSettings } from "../../src/engine/pooling-engine.js";
import { poolingSettings } from "../support/pooling-settings.js";
import { tinyModel } from "../support/random-models.js";
import { describeOnVulkan } from "../support/vulkan-driver.js";
import { openPoolingProcess } from "./model-processes.js";

const settings: PoolingSettings = {
  source: { role: "embedding-model", path: tinyModel("f32", "embed-tiny") },
  kind: "embedding",
  ...poolingSettings,
};

const texts = ["Where is the library?", "x", "In Park Street, behind the bridge, since 1923."];

async function vectorsOf(engine: PoolingEngine): Promise<readonly Float32Array[]> {
  const inputs = texts.map((text, index) => ({
    content: { type: "text", text } as const,
    field: `input.${index}`,
  }));
  const answer = await engine.pool({ id: "one", inputs, overlongInputs: "refused" });
  if (answer === "cancelled") throw new Error("nobody cancelled it");
  return answer.vectors;
}

describeOnVulkan("embeddings computed on a GPU", () => {
  it("equal those of the CPU", async () => {
    const hooks = { log: () => undefined, onProgress: () => undefined };
    const gpu = await createPoolingEngine({ ...settings, gpu: "vulkan" }, hooks);
    onTestFinished(() => gpu.close());
    const cpu = await openPoolingProcess(settings);
    onTestFinished(() => cpu.close());
    expect(gpu.description.device).toMatch(/^Vulkan/);
    const [ofGpu, ofCpu] = [await vectorsOf(gpu), await vectorsOf(cpu)];
    for (const [index, vector] of ofGpu.entries()) {
      expect(vector).toHaveLength(64);
      for (const [dimension, value] of vector.entries()) {
        expect(value).toBeCloseTo(ofCpu[index]?.[dimension] ?? Number.NaN, 2);
      }
    }
  });
});
