import { describe, expect, test } from "vitest";
import type { EngineSettings } from "../../src/engine/engine-settings.js";
import type { MachineMemory } from "../../src/engine/memory/machine-memory.js";
import { planMemory } from "../../src/engine/memory/memory-plan.js";
import { planReplicas, type ReplicaSupply } from "../../src/serve/plan-replicas.js";
import type { ReplicaCount } from "../../src/serve/replica-placements.js";
import { engineSettings } from "../support/engine-settings.js";
import { estimatedModel } from "../support/estimated-model.js";

const GiB = 2 ** 30;

/** Settings of a model with 8.25 GiB of weights, 128 KiB per token, and buffers of 256 MiB. */
const automatic: EngineSettings = {
  ...engineSettings,
  slots: undefined,
  contextSize: undefined,
  kvCacheLayout: "auto",
  threads: "auto",
};

interface Machine {
  readonly memoryGiB?: number;
  /** Free memory of each GPU. */
  readonly gpus?: readonly number[];
  readonly nodes?: ReplicaSupply["nodes"];
}

function supplyOf({ memoryGiB = 64, gpus = [], nodes = [[[0], [1], [2], [3]]] }: Machine) {
  const gpuBytes = gpus.reduce((sum, gib) => sum + gib, 0) * GiB;
  const memory: MachineMemory = {
    free: { cpuBytes: memoryGiB * GiB, gpuBytes },
    totalCpuBytes: memoryGiB * GiB,
    gpu: gpus.length === 0 ? "none" : "separate",
  };
  return {
    memory,
    gpus: gpus.map((gib, index) => ({ name: `CUDA${index}`, freeBytes: gib * GiB })),
    nodes,
    parallelism: nodes.flat(2).length,
  };
}

/** Plans the model, and records the devices and the memory of each plan. */
async function plan(
  replicas: ReplicaCount,
  machine: Machine,
  settings: Partial<EngineSettings> = {},
) {
  const plannedDevices: (readonly string[] | undefined)[] = [];
  const { planned, placements, refusal } = await planReplicas(
    async (engine, memory) => {
      plannedDevices.push(engine.placement.devices);
      const input = { settings: engine, main: estimatedModel(), draft: undefined, memory };
      return { plan: await planMemory({ ...input, unified: "possible" }) };
    },
    { replicas },
    { ...automatic, ...settings },
    supplyOf(machine),
  );
  const { main, slots, contextSize } = planned.plan;
  return {
    placements,
    refusal,
    sizes: `${main.gpuLayers} layers, ${slots} × ${contextSize}`,
    plannedDevices,
  };
}

describe("replicas on GPUs", () => {
  test("have one GPU each, and the sizes of one that uses half of the memory", async () => {
    const { placements, sizes, plannedDevices } = await plan("auto", { gpus: [24, 24] });
    expect(placements).toEqual([{ devices: ["CUDA0"] }, { devices: ["CUDA1"] }]);
    expect(sizes).toBe((await plan(1, { gpus: [24] })).sizes);
    expect(plannedDevices).toEqual([undefined, ["CUDA0"], ["CUDA1"]]);
  });

  test("have the sizes that fit on the smallest of their GPUs", async () => {
    const { placements, sizes } = await plan("auto", { gpus: [80, 24] });
    expect(placements).toHaveLength(2);
    expect(sizes).toBe((await plan(1, { gpus: [24] })).sizes);
  });

  test("share a GPU if they fit on it together", async () => {
    const { placements, sizes } = await plan(2, { gpus: [80] });
    expect(placements).toEqual([{ devices: ["CUDA0"] }, { devices: ["CUDA0"] }]);
    expect(sizes).toBe((await plan(1, { gpus: [40] })).sizes);
  });

  test("are distributed unevenly if the GPUs differ", async () => {
    const { placements } = await plan(3, { gpus: [80, 12] });
    expect(placements.map(({ devices }) => devices?.[0])).toEqual(["CUDA0", "CUDA1", "CUDA0"]);
  });

  test("are refused with the number that fits", async () => {
    expect(await plan(8, { gpus: [24, 24] })).toMatchObject({
      placements: [{}],
      refusal: {
        obstacle:
          "--replicas 8: each replica needs a GPU that all its layers fit on, and 4 fit: 2 on CUDA0, 2 on CUDA1",
        fitting: 4,
      },
    });
  });

  test("are not used for a model that fits on no GPU as a whole", async () => {
    const machine = { gpus: [9, 9] };
    const single = await plan(1, machine);
    expect(await plan("auto", machine)).toMatchObject({ placements: [{}], sizes: single.sizes });
    expect((await plan(2, machine)).refusal?.obstacle).toContain("and 0 fit");
  });

  test("have the configured layers", async () => {
    const { placements, sizes } = await plan(2, { gpus: [9, 9] }, { gpuLayers: 5 });
    expect(placements).toHaveLength(2);
    expect(sizes).toMatch(/^5 layers/);
  });

  test("are on cores if no layers are on GPUs", async () => {
    const { placements } = await plan(2, { gpus: [24, 24] }, { gpuLayers: 0 });
    expect(placements).toEqual([{ cores: [0, 1] }, { cores: [2, 3] }]);
  });
});

describe("replicas on cores", () => {
  test("divide the memory that the weights leave", async () => {
    const { placements, sizes } = await plan(2, { memoryGiB: 40.25 });
    expect(placements).toEqual([{ cores: [0, 1] }, { cores: [2, 3] }]);
    expect(sizes).toBe((await plan(1, { memoryGiB: 8.25 + 16 })).sizes);
  });

  test("that have weights of their own fit less often", async () => {
    const settings = { slots: 4, contextSize: 8192 };
    const machine = { memoryGiB: 24 };
    expect((await plan(2, machine, settings)).placements).toHaveLength(2);
    const { refusal } = await plan(2, machine, { ...settings, placement: { loadMode: "none" } });
    expect(refusal).toMatchObject({ fitting: 1 });
    expect(refusal?.obstacle).toMatch(/^--replicas 2: the weights take 16\.5 GiB/);
  });

  test("are refused with the number whose memory fits", async () => {
    const { refusal } = await plan(4, { memoryGiB: 22 }, { slots: 4, contextSize: 8192 });
    expect(refusal).toMatchObject({ fitting: 3 });
    expect(refusal?.obstacle).toContain("--replicas 4: the weights take 8.3 GiB");
  });

  test("are as many as there are NUMA nodes, or as fit", async () => {
    const nodes = [[[0]], [[1]], [[2]], [[3]]];
    const settings = { slots: 4, contextSize: 8192 };
    expect((await plan("auto", { nodes }, settings)).placements).toHaveLength(4);
    const { placements } = await plan("auto", { nodes, memoryGiB: 22 }, settings);
    expect(placements).toEqual([{ cores: [0] }, { cores: [1] }, { cores: [2, 3] }]);
  });

  test("need a core each", async () => {
    expect((await plan(5, {})).refusal).toMatchObject({ fitting: 4 });
  });

  test("are not planned if the model does not fit even once", async () => {
    const { placements, refusal, plannedDevices } = await plan(2, { memoryGiB: 4 });
    expect(placements).toEqual([{}]);
    expect(refusal).toBeUndefined();
    expect(plannedDevices).toHaveLength(1);
  });
});
