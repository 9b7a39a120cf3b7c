import { describe, expect, it } from "vitest";
import type { NativeCompanion } from "../../../src/engine/native/companion/native-companion.js";
import { buildModelParams, selectGpus } from "../../../src/engine/native/placement.js";

const device = (name: string, isGpu: boolean) => ({
  name,
  description: name,
  isGpu,
  bufferType: name,
  freeBytes: 0,
  totalBytes: 0,
});

function machine(gpus: number): NativeCompanion {
  const devices = Array.from({ length: gpus }, (_, index) => device(`CUDA${index}`, true));
  const companion: Partial<NativeCompanion> = { devices: () => [...devices, device("CPU", false)] };
  return companion as NativeCompanion;
}

describe("the model parameters for placement", () => {
  it("are empty by default", () => {
    expect(buildModelParams({}, machine(1))).toEqual({});
    expect(buildModelParams({ devices: undefined }, machine(1))).toEqual({});
  });

  it("equal the settings for devices and splits", () => {
    const settings = {
      devices: ["CUDA1", "CUDA0"],
      mainGpu: 1,
      splitMode: "row",
      tensorSplit: [3, 1],
    } as const;
    expect(buildModelParams(settings, machine(2))).toEqual({
      devices: ["CUDA1", "CUDA0"],
      mainGpu: 1,
      splitMode: 2,
      tensorSplit: Float32Array.of(3, 1),
    });
  });

  it("have no splits on a machine without a GPU", () => {
    const settings = { mainGpu: 0, splitMode: "none", tensorSplit: [1, 1] } as const;
    expect(buildModelParams(settings, machine(0))).toEqual({});
  });

  it("place the experts of the first layers in main memory, after configured overrides", () => {
    const overrideTensor = [{ pattern: "blk\\.0\\.", bufferType: "CUDA0" }];
    expect(buildModelParams({ overrideTensor, cpuMoe: 2 }, machine(1)).overrides).toEqual([
      { pattern: "blk\\.0\\.", bufferType: "CUDA0" },
      { pattern: "blk\\.0\\.ffn_(up|down|gate|gate_up)_(ch|)exps", bufferType: "CPU" },
      { pattern: "blk\\.1\\.ffn_(up|down|gate|gate_up)_(ch|)exps", bufferType: "CPU" },
    ]);
  });

  it("place all experts in main memory with one pattern", () => {
    const { overrides = [] } = buildModelParams({ cpuMoe: "all" }, machine(1));
    const pattern = new RegExp(overrides[0]?.pattern ?? "");
    expect(overrides).toHaveLength(1);
    expect(pattern.test("blk.17.ffn_gate_exps.weight")).toBe(true);
    expect(pattern.test("blk.17.ffn_gate.weight")).toBe(false);
  });

  it.each([
    [{ devices: ["CUDA7"] }, 1, /--device: expected one of: CUDA0; got CUDA7/],
    [
      { devices: ["CPU"] },
      0,
      /--device: expected no name, because the CPU is the only device; got CPU/,
    ],
    [{ mainGpu: 1 }, 1, /--main-gpu: expected an index of one of 1 devices \(CUDA0\), got 1/],
    [{ tensorSplit: [1, 1] }, 1, /--tensor-split: expected at most 1 proportions.*got 2/],
    [
      { overrideTensor: [{ pattern: "exps", bufferType: "CPUS" }] },
      1,
      /--override-tensor: expected one of: CUDA0, CPU; got CPUS/,
    ],
  ] as const)("are rejected for missing devices: %j", (settings, gpus, reason) => {
    expect(() => buildModelParams(settings, machine(gpus))).toThrow(reason);
  });
});

describe("the GPUs used for layers", () => {
  const available = [...["A0", "A1", "A2"].map((name) => device(name, true)), device("CPU", false)];

  it.each([
    [{}, undefined],
    // No effect if layers are split.
    [{ mainGpu: 1 }, undefined],
    [{ splitMode: "row" }, undefined],
    [{ devices: ["A2", "A0"] }, ["A2", "A0"]],
    [{ splitMode: "none" }, ["A0"]],
    [{ splitMode: "none", mainGpu: 2 }, ["A2"]],
    [{ splitMode: "none", mainGpu: 1, devices: ["A2", "A0"] }, ["A0"]],
  ] as const)("with %j are %j", (settings, expected) => {
    expect(selectGpus(settings, available)?.map(({ name }) => name)).toEqual(expected);
  });

  it("begin with those of workers, as in llama.cpp", () => {
    const withWorker = [...available, device("RPC0", true)];
    const select = (mainGpu: number) => selectGpus({ splitMode: "none", mainGpu }, withWorker);
    expect([select(0), select(1)].flat().map((gpu) => gpu?.name)).toEqual(["RPC0", "A0"]);
  });
});
