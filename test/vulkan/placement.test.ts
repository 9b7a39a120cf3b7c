import { LlamaLogLevel } from "node-llama-cpp";
import { expect, it, onTestFinished } from "vitest";
import { StartupError } from "../../src/core/startup-error.js";
import type { EngineSettings } from "../../src/engine/engine-settings.js";
import { planModels } from "../../src/engine/loading/planned-models.js";
import { readMachineMemory } from "../../src/engine/memory/machine-memory.js";
import type { ModelParts } from "../../src/engine/memory/memory-plan.js";
import { loadBackend } from "../../src/engine/native/llama-backend.js";
import type { PlacementSettings } from "../../src/engine/native/placement.js";
import { engineSettings } from "../support/engine-settings.js";
import { eventually } from "../support/eventually.js";
import { generate, openEngine } from "../support/generate.js";
import { tinyModel } from "../support/random-models.js";
import { describeOnVulkan } from "../support/vulkan-driver.js";
import { openEngineProcess, twoDevices } from "./model-processes.js";

const MiB = 2 ** 20;

/** Allocations reported by llama.cpp, in MiB. */
interface Allocated {
  readonly weights: { cpu: number; gpu: number };
  /** The cache and buffers. */
  readonly context: { cpu: number; gpu: number };
}

/** `load_tensors:      Vulkan0 model buffer size =     3.57 MiB` */
const ALLOCATION = /(\S+) +(model|KV|compute|output) buffer size = +([\d.]+) MiB/g;

/**
 * Opens an engine and closes it.
 * @returns its allocations, from the messages that have arrived
 */
async function allocatedBy(settings: EngineSettings): Promise<Allocated> {
  const llama = await loadBackend({ gpu: "vulkan", log: () => undefined });
  const allocated = { weights: { cpu: 0, gpu: 0 }, context: { cpu: 0, gpu: 0 } };
  llama.logLevel = LlamaLogLevel.info;
  onTestFinished(() => {
    llama.logLevel = LlamaLogLevel.warn;
  });
  const engine = await openEngine(settings.modelPath, settings, {
    log: (_, message) => {
      // Messages that arrive together are joined into one message of several lines.
      for (const [, place = "", part, mebibytes] of message.matchAll(ALLOCATION)) {
        allocated[part === "model" ? "weights" : "context"][
          /^Vulkan\d+$/.test(place) ? "gpu" : "cpu"
        ] += Number(mebibytes);
      }
    },
  });
  await engine.close();
  return allocated;
}

function inMebibytes({ weights, cache, buffers }: ModelParts): Allocated {
  return {
    weights: { cpu: weights.cpuBytes / MiB, gpu: weights.gpuBytes / MiB },
    context: {
      cpu: (cache.cpuBytes + buffers.cpuBytes) / MiB,
      gpu: (cache.gpuBytes + buffers.gpuBytes) / MiB,
    },
  };
}

describeOnVulkan("the memory plan of a GPU", () => {
  it.each<Partial<EngineSettings>>([
    {},
    { kvCacheLayout: "unified" },
    { kvCacheTypes: { keys: "q8_0", values: "q8_0" } },
    { gpuLayers: 2 },
    { gpuLayers: 0 },
    { ubatchSize: 16 },
    { noOpOffload: true, gpuLayers: 2 },
    { noKvOffload: true },
    { noKvOffload: true, gpuLayers: 2, kvCacheLayout: "unified" },
    { placement: { devices: ["Vulkan0"] } },
    { placement: { splitMode: "none", mainGpu: 0 } },
    { placement: { overrideTensor: [{ pattern: "ffn_(up|down)", bufferType: "CPU" }] } },
    { modelPath: "moe-tiny", placement: { cpuMoe: "all" } },
    { modelPath: "moe-tiny", placement: { cpuMoe: 1 } },
  ])("equals llama.cpp's allocation, with %j", async ({ modelPath, ...others }) => {
    const settings = {
      ...engineSettings,
      contextSize: 4096,
      gpu: "vulkan",
      ...others,
      modelPath: tinyModel("f32", modelPath === undefined ? "1m" : "moe-tiny"),
    } as const;
    const llama = await loadBackend({ gpu: "vulkan", log: () => undefined });
    const { plan } = await planModels(
      llama,
      settings,
      await readMachineMemory(llama, settings.placement),
    );
    const planned = inMebibytes(plan.main);
    // node-llama-cpp drops a message that arrives while one of its dry runs silences the log, so it
    // is requested again. Weights in main memory are mapped from their file, with the bytes between
    // them.
    await eventually(async () => {
      const allocated = await allocatedBy(settings);
      expect(allocated.weights.gpu).toBeCloseTo(planned.weights.gpu, 1);
      expect(allocated.context.gpu).toBeCloseTo(planned.context.gpu, 1);
      expect(allocated.context.cpu).toBeCloseTo(planned.context.cpu, 1);
      expect(allocated.context[settings.noKvOffload ? "cpu" : "gpu"]).toBeGreaterThan(1);
    });
  });
});

describeOnVulkan("two GPUs", () => {
  it.each<PlacementSettings>([
    {},
    { devices: ["Vulkan1", "Vulkan0"], tensorSplit: [1, 3] },
    { splitMode: "none", mainGpu: 1 },
  ])("give the same answers as the CPU, with %j", async (placement) => {
    const model = { modelPath: tinyModel() };
    const gpu = await openEngineProcess({ ...model, gpu: "vulkan", placement }, twoDevices);
    const cpu = await openEngineProcess(model);
    onTestFinished(async () => {
      await Promise.all([gpu.close(), cpu.close()]);
    });
    expect(gpu.description.device).toMatch(/^Vulkan \(.+, .+\)$/);
    expect((await generate(gpu, "Hello")).text).toBe((await generate(cpu, "Hello")).text);
  });

  it.each<[PlacementSettings, string]>([
    [{ devices: ["Vulkan2"] }, "--device: expected one of: Vulkan0, Vulkan1; got Vulkan2"],
    [{ mainGpu: 2 }, "--main-gpu: expected an index of one of 2 devices (Vulkan0, Vulkan1), got 2"],
  ])("are listed in the error if an unknown one is requested: %j", async (placement, reason) => {
    const opening = openEngineProcess(
      { modelPath: tinyModel(), gpu: "vulkan", placement },
      twoDevices,
    );
    await expect(opening).rejects.toEqual(new StartupError(reason));
  });
});
