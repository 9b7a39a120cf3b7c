import { describe, expect, it } from "vitest";
import { type KnownPlan, reuseKnownPlan, stampOf } from "../../../src/engine/loading/known-plan.js";
import type { MachineMemory } from "../../../src/engine/memory/machine-memory.js";

const GIB = 2 ** 30;
const use = (cpuBytes: number) => ({ cpuBytes, gpuBytes: 0 });
const machine = (freeBytes: number): MachineMemory => ({
  free: use(freeBytes),
  totalCpuBytes: 8 * GIB,
  gpu: "none",
});
const file = { path: "/models/a.gguf", sizeBytes: 100, modifiedMs: 5 };
const known: KnownPlan = {
  files: [file],
  plan: {
    ...{ slots: 4, contextSize: 2048, layout: "split", maxRequestTokens: 2048 },
    kvCacheTypes: { keys: "f16", values: "f16" },
    main: {
      ...{ gpuLayers: 0, layers: 10, contextSize: 2048, kvBytesPerToken: 1024 },
      ...{ weights: use(GIB), cache: use(GIB), buffers: use(0) },
    },
    draft: undefined,
    memory: machine(6 * GIB),
  },
};

describe("the memory plan of a model that was loaded before", () => {
  it("is reused if its files are unchanged and it fits, with the current free memory", () => {
    const memory = machine(4 * GIB);
    expect(reuseKnownPlan(known, [file], memory)).toEqual({ ...known.plan, memory });
  });

  it.each([
    ["there is no earlier plan", undefined, [file], machine(6 * GIB)],
    ["a file has another size", known, [{ ...file, sizeBytes: 101 }], machine(6 * GIB)],
    ["a file has been modified", known, [{ ...file, modifiedMs: 6 }], machine(6 * GIB)],
    ["a draft model was added", known, [file, { ...file, path: "/draft" }], machine(6 * GIB)],
    ["it no longer fits", known, [file], machine(GIB / 2)],
    [
      "a GPU was added",
      known,
      [file],
      { ...machine(6 * GIB), gpu: "separate", free: { cpuBytes: 6 * GIB, gpuBytes: GIB } } as const,
    ],
  ])("is computed again if %s", (_, plan, files, memory) => {
    expect(reuseKnownPlan(plan, files, memory)).toBeUndefined();
  });

  it("compares only the path, size and modification time of files", () => {
    expect(stampOf({ ...file, ...{ architecture: "llama" } })).toEqual(file);
  });
});
