import { expect, test } from "vitest";
import { offloadingOf } from "../../../src/engine/loading/loaded-models.js";

const toMainMemory = { pattern: "exps", bufferType: "CPU" };
const toOtherGpu = { pattern: "exps", bufferType: "CUDA1" };

test.each([
  ["none", 0, []],
  ["some-layers", 32, []],
  ["all-layers", 33, []],
  ["all-layers", 33, [toOtherGpu]],
  // The CPU computes weights in main memory, and experts are most of the work.
  ["some-layers", 33, [toOtherGpu, toMainMemory]],
  ["none", 0, [toMainMemory]],
] as const)(
  "the offloading is %s with %i of 33 layers on the GPU and the overrides %j",
  (expected, gpuLayers, overrides) => {
    expect(offloadingOf({ gpuLayers, layers: 33 }, { overrides })).toBe(expected);
  },
);
