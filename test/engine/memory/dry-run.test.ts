import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Llama } from "node-llama-cpp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { planModels } from "../../../src/engine/loading/planned-models.js";
import { describePlan } from "../../../src/engine/memory/describe-plan.js";
import type { MachineMemory } from "../../../src/engine/memory/machine-memory.js";
import { findFittingSizes } from "../../../src/engine/memory/memory-fit.js";
import { planMemory, sumModelParts } from "../../../src/engine/memory/memory-plan.js";
import { writeEagle3Head, writeMtpModel, writeTargetModel } from "../../support/drafting-models.js";
import { nativeLibrary } from "../../support/native-library.js";
import { tinyLora } from "../../support/random-models.js";
import { shippedModel } from "../../support/shipped-model.js";

let llama: Llama;
beforeAll(async () => {
  llama = await nativeLibrary();
});

const MiB = 2 ** 20;
const machine = (mebibytes: number, gpuMebibytes?: number): MachineMemory => ({
  free: { cpuBytes: mebibytes * MiB, gpuBytes: (gpuMebibytes ?? 0) * MiB },
  totalCpuBytes: mebibytes * MiB,
  gpu: gpuMebibytes === undefined ? "none" : "separate",
});

function plan(memory: MachineMemory, fields = {}) {
  const settings = {
    modelPath: shippedModel,
    draftModelPath: undefined,
    mtp: "auto",
    gpuLayers: "auto",
    slots: 4,
    contextSize: 2048,
    placement: {},
    metadataOverrides: [],
    rope: {},
    adapters: [],
    kvCacheTypes: { keys: "f16", values: "f16" },
    kvCacheLayout: "auto",
    batchSize: 512,
    ...fields,
  } as const;
  return planModels(llama, settings, memory);
}

test("weights, cache and buffers of a model are estimated without loading it", async () => {
  const { plan: planned } = await plan(machine(4096));
  const { weights, cache, buffers, kvBytesPerToken } = planned.main;
  expect(weights.cpuBytes).toBeGreaterThan(5 * MiB);
  expect(cache.cpuBytes).toBe(kvBytesPerToken * 4 * 2048);
  expect(buffers.cpuBytes).toBeGreaterThan(0);
  expect(buffers.cpuBytes).toBeLessThan(cache.cpuBytes);
});

test("a draft model and a larger cache type require more memory", async () => {
  const bytesOf = async (fields: object) => {
    const { main, draft } = (await plan(machine(4096), fields)).plan;
    return sumModelParts(main).cpuBytes + (draft === undefined ? 0 : sumModelParts(draft).cpuBytes);
  };
  const alone = await bytesOf({});
  expect(await bytesOf({ draftModelPath: shippedModel })).toBeCloseTo(2 * alone, -6);
  expect(await bytesOf({ kvCacheTypes: { keys: "f32", values: "f32" } })).toBeGreaterThan(
    1.3 * alone,
  );
});

test("LoRA adapters require memory on the devices of the layers that they change", async () => {
  const path = tinyLora(2);
  const { size } = statSync(path);
  const adapters = ["a", "b"].map((name) => ({ name, path, scale: 1, use: "always" }) as const);
  const bytesOf = async (fields: object, gpuMebibytes?: number) =>
    sumModelParts((await plan(machine(4096, gpuMebibytes), fields)).plan.main);
  const [plain, adapted] = [await bytesOf({}), await bytesOf({ adapters })];
  expect(adapted).toEqual({ cpuBytes: plain.cpuBytes + size, gpuBytes: 0 });
  const [onGpu, adaptedOnGpu] = [await bytesOf({}, 1024), await bytesOf({ adapters }, 1024)];
  expect(adaptedOnGpu).toEqual({ ...onGpu, gpuBytes: onGpu.gpuBytes + size });
});

test("memory can be planned for a GPU that does not exist", async () => {
  const { main } = (await plan(machine(4096, 1024))).plan;
  expect(main.gpuLayers).toBe(main.layers);
  expect(main.cache).toEqual({ cpuBytes: 0, gpuBytes: main.kvBytesPerToken * 4 * 2048 });
  const { main: kept } = (await plan(machine(4096, 1024), { noKvOffload: true })).plan;
  expect(kept.gpuLayers).toBe(kept.layers);
  expect(kept.cache).toEqual({ cpuBytes: main.cache.gpuBytes, gpuBytes: 0 });
  expect(kept.buffers.cpuBytes).toBe(kept.buffers.gpuBytes);
  const { main: less } = (await plan(machine(4096, 40))).plan;
  expect(less.gpuLayers).toBeLessThan(less.layers);
});

test("a plan is printed with a row for each part and a column for each device", async () => {
  expect(describePlan((await plan(machine(4096))).plan)).toEqual([
    "memory          CPU",
    expect.stringMatching(/^weights +\d+ MiB$/),
    expect.stringMatching(/^cache +\d+ MiB {3}4 × 2048 tokens in f16, [\d.]+ KiB per token$/),
    expect.stringMatching(/^buffers +\d+ MiB$/),
    expect.stringMatching(/^total +\d+ MiB$/),
    "free        4.0 GiB",
  ]);
  const withGpu = describePlan((await plan(machine(4096, 1024))).plan);
  expect(withGpu[0]).toBe("memory          CPU       GPU");
  expect(withGpu[1]).toMatch(/(\d+) of \1 layers on the GPU$/);
});

test("suggested sizes do not exceed the model's context", async () => {
  const { planInput, plan: planned } = await plan(machine(256));
  const sizes = await findFittingSizes(planInput, planned);
  expect(sizes.length).toBeGreaterThan(0);
  for (const { contextSize } of sizes) {
    expect(contextSize).toBeLessThanOrEqual(planInput.main.trainContextSize);
  }
});

test("the estimate of a layout does not depend on earlier estimates", async () => {
  const alone = (await plan(machine(4096), { kvCacheLayout: "unified" })).plan;
  const { planInput } = await plan(machine(4096), { kvCacheLayout: "split" });
  const settings = { ...planInput.settings, kvCacheLayout: "unified" } as const;
  const { main, layout } = await planMemory({ ...planInput, settings });
  expect(layout).toBe("unified");
  expect(main.buffers).toEqual(alone.main.buffers);
});

describe("drafting from hidden states requires memory for", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ggufd-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Bytes of the keys and values of one layer of these models, in f16. */
  const oneLayerBytes = 4 * 2048 * 2 * 2 * 32 * 2;

  test.each(["split", "unified"])(
    "layers for multi-token prediction and their cache (%s)",
    async (kvCacheLayout) => {
      const modelPath = writeMtpModel(folder, { architecture: "glm4moe", drafting: "exact" });
      const bytesOf = async (mtp: "auto" | "off", gpuMebibytes?: number) =>
        (await plan(machine(4096, gpuMebibytes), { modelPath, mtp, kvCacheLayout })).plan.main;
      const [drafting, plain] = [await bytesOf("auto"), await bytesOf("off")];
      // Only the projection and the output matrix: 2 × 128 × 128 and 128 × 512 numbers of 4 bytes.
      const { cpuBytes } = drafting.weights;
      expect(cpuBytes - plain.weights.cpuBytes).toBeGreaterThan(4 * (2 * 128 * 128 + 128 * 512));
      const contexts = [drafting, plain].map(
        ({ cache, buffers }) => cache.cpuBytes + buffers.cpuBytes,
      );
      expect((contexts[0] ?? 0) - (contexts[1] ?? 0)).toBeGreaterThan(oneLayerBytes);
      const onGpu = [await bytesOf("auto", 1024), await bytesOf("off", 1024)].map(
        ({ cache, buffers }) => cache.gpuBytes + buffers.gpuBytes,
      );
      expect((onGpu[0] ?? 0) - (onGpu[1] ?? 0)).toBeGreaterThan(oneLayerBytes);
    },
  );

  test("an EAGLE-3 head, its cache, and the hidden states that it reads", async () => {
    const modelPath = writeTargetModel(folder);
    const draftModelPath = writeEagle3Head(folder, { drafting: "exact" });
    const plain = (await plan(machine(4096), { modelPath })).plan;
    const { main, draft } = (await plan(machine(4096), { modelPath, draftModelPath })).plan;
    expect(sumModelParts(main).cpuBytes).toBeGreaterThan(sumModelParts(plain.main).cpuBytes);
    expect(draft?.weights.cpuBytes).toBeGreaterThan(4 * 3 * 128 * 512);
    expect(draft?.cache.cpuBytes).toBe(oneLayerBytes);
    expect(draft?.buffers.cpuBytes).toBeGreaterThan(512 * 512 * 4);
  });
});
