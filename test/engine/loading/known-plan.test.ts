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

describe("the plan of a model that was loaded before", () => {
  it("applies while its files are the same and the memory suffices, with the current free memory", () => {
    const memory = machine(4 * GIB);
    expect(reuseKnownPlan(known, [file], memory)).toEqual({ ...known.plan, memory });
  });

  it.each([
    ["nothing was planned before", undefined, [file], machine(6 * GIB)],
    ["a file has another size", known, [{ ...file, sizeBytes: 101 }], machine(6 * GIB)],
    ["a file was written since", known, [{ ...file, modifiedMs: 6 }], machine(6 * GIB)],
    ["there is a draft now", known, [file, { ...file, path: "/draft" }], machine(6 * GIB)],
    ["it does not fit any more", known, [file], machine(GIB / 2)],
    [
      "there is a GPU now",
      known,
      [file],
      { ...machine(6 * GIB), gpu: "separate", free: { cpuBytes: 6 * GIB, gpuBytes: GIB } } as const,
    ],
  ])("is computed again if %s", (_, plan, files, memory) => {
    expect(reuseKnownPlan(plan, files, memory)).toBeUndefined();
  });

  it("identifies a file by its identity alone", () => {
    expect(stampOf({ ...file, ...{ architecture: "llama" } })).toEqual(file);
  });
});
