import { describe, expect, test } from "vitest";
import type { MachineMemory } from "../../../src/engine/memory/machine-memory.js";
import type { MemoryPlan } from "../../../src/engine/memory/memory-plan.js";
import {
  divideMemory,
  findReplicasShortage,
  sumReplicas,
  weightSharingOf,
} from "../../../src/engine/memory/replica-memory.js";

const GiB = 2 ** 30;
const cpu = (gib: number) => ({ cpuBytes: gib * GiB, gpuBytes: 0 });
const machine = (freeGiB: number, totalGiB = freeGiB): MachineMemory => ({
  free: cpu(freeGiB),
  totalCpuBytes: totalGiB * GiB,
  gpu: "none",
});

/** A plan of 4 GiB of weights, 2 GiB of cache and 1 GiB of buffers. */
const plan: MemoryPlan = {
  slots: 4,
  contextSize: 1024,
  layout: "split",
  kvCacheTypes: { keys: "f16", values: "f16" },
  maxRequestTokens: 1024,
  main: {
    gpuLayers: 0,
    layers: 10,
    weights: cpu(4),
    cache: cpu(2),
    buffers: cpu(1),
    contextSize: 1024,
    kvBytesPerToken: 1,
  },
  draft: undefined,
  memory: machine(64),
};

describe("the memory of replicas", () => {
  test.each([
    [1, "common", 7],
    [3, "common", 4 + 3 * 3],
    [3, "separate", 3 * 7],
  ] as const)("of %i with %s weights is %i GiB", (count, sharing, gib) => {
    expect(sumReplicas({ plan, count, sharing })).toEqual(cpu(gib));
  });

  test("counts weights on GPUs for each replica", () => {
    const onGpu = {
      ...plan,
      main: { ...plan.main, weights: { cpuBytes: GiB, gpuBytes: 3 * GiB } },
    };
    expect(sumReplicas({ plan: onGpu, count: 2, sharing: "common" })).toEqual({
      cpuBytes: (1 + 2 * 3) * GiB,
      gpuBytes: 6 * GiB,
    });
  });

  test.each([
    [2, "common", 20, 4 + 16 / 2],
    [4, "common", 20, 4 + 16 / 4],
    [2, "common", 3, 3],
    [2, "separate", 20, 10],
  ] as const)(
    "of each of %i with %s weights, of %i GiB, is %d GiB",
    (count, sharing, gib, part) => {
      const weights = cpu(4);
      expect(divideMemory(machine(gib), { weights, count, sharing }, 5).free).toEqual({
        cpuBytes: part * GiB,
        gpuBytes: 5,
      });
    },
  );

  test.each([
    [2, "common", 12, undefined],
    [4, "common", 12, "the weights take 4.0 GiB, the KV cache 8.0 GiB and buffers 4.0 GiB"],
    [2, "separate", 13, "the weights take 8.0 GiB"],
    [2, "separate", 14, undefined],
  ] as const)("of %i with %s weights on %i GiB: %s", (count, sharing, gib, shortage) => {
    const found = findReplicasShortage({ plan, count, sharing }, machine(gib));
    if (shortage === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(shortage);
  });
});

test.each([
  [{}, "common"],
  [{ loadMode: "auto" }, "common"],
  [{ loadMode: "mmap" }, "common"],
  [{ loadMode: "none" }, "separate"],
  [{ loadMode: "dio" }, "separate"],
] as const)(
  "replicas with the placement %j have weights in main memory that are %s",
  (placement, sharing) => {
    expect(weightSharingOf(placement)).toBe(sharing);
  },
);
