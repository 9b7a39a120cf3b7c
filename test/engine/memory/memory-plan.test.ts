import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { MachineMemory } from "../../../src/engine/memory/machine-memory.js";
import {
  findFittingFlags,
  findShortage,
  isThrashing,
} from "../../../src/engine/memory/memory-fit.js";
import {
  type MemorySettings,
  type PlanInput,
  planMemory,
} from "../../../src/engine/memory/memory-plan.js";
import { estimatedModel } from "../../support/estimated-model.js";

const GiB = 2 ** 30;

function machine(memoryGiB: number, gpuGiB?: number): MachineMemory {
  const free = { cpuBytes: memoryGiB * GiB, gpuBytes: (gpuGiB ?? 0) * GiB };
  return { free, totalCpuBytes: memoryGiB * GiB, gpu: gpuGiB === undefined ? "none" : "separate" };
}

interface Question extends Partial<MemorySettings> {
  readonly memory: MachineMemory;
  readonly main?: PlanInput["main"];
  readonly draft?: PlanInput["draft"];
  readonly unified?: PlanInput["unified"];
}

function question({
  memory,
  main = estimatedModel(),
  draft,
  unified = "possible",
  ...fields
}: Question): PlanInput {
  const settings: MemorySettings = {
    gpuLayers: "auto",
    slots: undefined,
    contextSize: undefined,
    kvCacheTypes: { keys: "f16", values: "f16" },
    kvCacheLayout: "auto",
    batchSize: 512,
    ...fields,
  };
  return { settings, main, draft, memory, unified };
}

/** `33 layers, 4 × 8192` */
async function planOf(fields: Question): Promise<string> {
  const { main, slots, contextSize } = await planMemory(question(fields));
  return `${main.gpuLayers} layers, ${slots} × ${contextSize}`;
}

const contextOnCpu = async () => ({ cpuBytes: GiB, gpuBytes: 0 });

// The model has 8.25 GiB of weights, 128 KiB per token, and buffers of 256 MiB.
describe("the memory plan of an 8 B model", () => {
  test.each<[string, Question, string]>([
    ["uses no GPU if there is none", { memory: machine(32) }, "0 layers, 4 × 32768"],
    ["offloads everything to a large GPU", { memory: machine(64, 80) }, "33 layers, 16 × 32768"],
    ["offloads everything to 24 GiB", { memory: machine(32, 24) }, "33 layers, 4 × 28416"],
    [
      "leaves layers on the CPU to fit the default slots",
      { memory: machine(32, 9) },
      "22 layers, 4 × 8704",
    ],
    [
      "leaves layers on the CPU to fit the configured slots and context",
      { memory: machine(32, 9), slots: 4, contextSize: 8192 },
      "22 layers, 4 × 8192",
    ],
    [
      "prefers fewer slots to layers on the CPU",
      { memory: machine(32, 11) },
      "33 layers, 2 × 8960",
    ],
    ["offloads no layer to a full GPU", { memory: machine(32, 0.1) }, "0 layers, 4 × 32768"],
    [
      "offloads no layer to a full GPU even if contexts take no GPU memory",
      { memory: machine(32, 0), main: { ...estimatedModel(), context: contextOnCpu } },
      "0 layers, 16 × 32768",
    ],
    [
      "offloads the configured number of layers",
      { memory: machine(64, 24), gpuLayers: 10 },
      "10 layers, 15 × 32768",
    ],
    [
      "offloads at most the layers of the model",
      { memory: machine(64, 80), gpuLayers: 99 },
      "33 layers, 16 × 32768",
    ],
    [
      "has as many slots with a long context as fit, even if fewer than four",
      { memory: machine(60), contextSize: 131_072 },
      "0 layers, 2 × 131072",
    ],
  ])("%s", async (_, fields, expected) => {
    expect(await planOf(fields)).toBe(expected);
  });

  test("places a draft model completely on the GPU, and fewer layers of the main model", async () => {
    const size = { layers: 10, layerBytes: 2 ** 27, kvBytes: 2 ** 14 };
    const draft = { ...estimatedModel(size), follows: "texts" as const };
    const plan = await planMemory(question({ memory: machine(32, 9), draft }));
    expect(plan.draft?.gpuLayers).toBe(10);
    expect(plan.main.gpuLayers).toBeLessThan(22);
  });

  test("keeps the cache in main memory, split, and more layers on the GPU", async () => {
    const kept = { memory: machine(32, 10), slots: 4, contextSize: 8192, noKvOffload: true };
    const { main, layout } = await planMemory(question(kept));
    expect(main.gpuLayers).toBe(33);
    expect(main.cache).toEqual({ cpuBytes: 4 * 8192 * 2 ** 17, gpuBytes: 0 });
    expect(layout).toBe("split");
  });

  test("places a draft model on the CPU if it does not fit on the GPU", async () => {
    const size = { layers: 10, layerBytes: 2 ** 30 };
    const draft = { ...estimatedModel(size), follows: "texts" as const };
    const plan = await planMemory(question({ memory: machine(64, 9), draft }));
    expect([plan.main.gpuLayers, plan.draft?.gpuLayers]).toEqual([22, 0]);
  });

  test("counts memory shared by CPU and GPU once", async () => {
    const shared = { ...machine(16, 16), gpu: "unified" } as const;
    const { main, draft, slots, contextSize } = await planMemory(question({ memory: shared }));
    expect(draft).toBeUndefined();
    expect(main.gpuLayers).toBe(33);
    expect(slots * contextSize * 2 ** 17).toBeLessThan(7 * GiB);
  });

  test("contains the memory of each part on each device", async () => {
    const { main } = await planMemory(question({ memory: machine(64, 24), gpuLayers: 11 }));
    expect(main.weights).toEqual({ cpuBytes: 22 * 2 ** 28, gpuBytes: 11 * 2 ** 28 });
    expect(main.cache.gpuBytes / main.cache.cpuBytes).toBeCloseTo(0.5);
    expect(main.buffers.gpuBytes).toBeCloseTo(2 ** 28);
  });
});

test("on any machine, the chosen plan fits or has the minimum size", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.double({ min: 0.5, max: 200, noNaN: true }),
      fc.option(fc.double({ min: 0, max: 100, noNaN: true }), { nil: undefined }),
      async (memoryGiB, gpuGiB) => {
        const plan = await planMemory(question({ memory: machine(memoryGiB, gpuGiB) }));
        if (findShortage(plan) !== undefined) {
          expect([plan.slots, plan.contextSize]).toEqual([1, 256]);
        }
      },
    ),
    { numRuns: 60 },
  );
});

describe("the cache layout of a plan", () => {
  const layoutOf = async (fields: Question) => {
    const { layout, maxRequestTokens } = await planMemory(question(fields));
    return `${layout}, ${maxRequestTokens}`;
  };

  test.each<[string, Question, string]>([
    ["is unified on a GPU", { memory: machine(32, 24) }, "unified, 113664"],
    [
      "is unified on a GPU even if the slot length is configured",
      { memory: machine(32, 24), slots: 4, contextSize: 8192 },
      "unified, 32768",
    ],
    [
      "is unified on a CPU if slots are shorter than the model's context",
      { memory: machine(32) },
      "unified, 131072",
    ],
    [
      "is split on a CPU if each slot has the model's context",
      { memory: machine(32), main: estimatedModel({ trainContextSize: 8192 }) },
      "split, 8192",
    ],
    [
      "is split on a CPU if the slot length is configured",
      { memory: machine(32), contextSize: 4096 },
      "split, 4096",
    ],
    [
      "is split if the model does not support a unified cache",
      { memory: machine(32, 24), unified: "impossible" },
      "split, 28416",
    ],
    ["is split if configured", { memory: machine(32), kvCacheLayout: "split" }, "split, 32768"],
    [
      "is unified if configured",
      { memory: machine(32), contextSize: 4096, slots: 4, kvCacheLayout: "unified" },
      "unified, 16384",
    ],
    [
      "does not shorten the configured slot length",
      { memory: machine(32), contextSize: 262_144, slots: 1, kvCacheLayout: "unified" },
      "unified, 262144",
    ],
  ])("%s", async (_, fields, expected) => {
    expect(await layoutOf(fields)).toBe(expected);
  });
});

describe("a plan that does not fit", () => {
  const planned = async (fields: Question) => {
    const asked = question(fields);
    const plan = await planMemory(asked);
    return { shortage: findShortage(plan), flags: await findFittingFlags(asked, plan) };
  };

  test("reports the required memory and flags that would fit", async () => {
    const fields = { memory: machine(60), slots: 4, contextSize: 131_072 };
    expect(await planned(fields)).toEqual({
      shortage:
        "the weights take 8.3 GiB, the KV cache 64.0 GiB and buffers 256 MiB, but only 60.0 GiB of memory is free",
      flags: ["--parallel 2", "--context-size 84224", "--kv-cache-type q8_0"],
    });
  });

  test("suggests fewer layers if the GPU is too small", async () => {
    const { shortage, flags } = await planned({
      memory: machine(64, 12),
      gpuLayers: 33,
      slots: 4,
      contextSize: 16_384,
    });
    expect(shortage).toBe(
      "the weights take 8.3 GiB, the KV cache 8.0 GiB and buffers 256 MiB on the GPU, but only 12.0 GiB is free",
    );
    expect(flags).toEqual(["--parallel 1", "--context-size 6400", "--gpu-layers 22"]);
  });

  test("suggests no flags if the weights alone are too large", async () => {
    const { shortage, flags } = await planned({ memory: machine(8) });
    expect(shortage).toContain("the machine has only 8.0 GiB");
    expect(flags).toEqual([]);
  });

  test("is not reported if only the mapped weights exceed the free memory", async () => {
    const memory = { ...machine(6), totalCpuBytes: 16 * GiB };
    expect((await planned({ memory })).shortage).toBeUndefined();
    expect(isThrashing(await planMemory(question({ memory })))).toBe(true);
    expect(isThrashing(await planMemory(question({ memory: machine(16) })))).toBe(false);
  });

  test("is reported if it uses all of the free memory", async () => {
    const sizes = { slots: 4, contextSize: 131_072 };
    expect((await planned({ ...sizes, memory: machine(67) })).shortage).toContain("67.0 GiB");
  });
});
