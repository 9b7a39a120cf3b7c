import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";

const load = (flags: Readonly<Record<string, unknown>>, environment: NodeJS.ProcessEnv = {}) =>
  loadConfig({ flags, environment }).config;

describe("the placement flags of a model", () => {
  it("are unset by default", () => {
    const { device, mainGpu, splitMode, tensorSplit, overrideTensor, cpuMoe } = load({});
    expect([device, mainGpu, splitMode, tensorSplit, overrideTensor, cpuMoe]).toEqual(
      new Array(6).fill(undefined),
    );
  });

  it("accept lists separated by commas, repeated, or from the environment", () => {
    expect(load({ device: ["CUDA0,CUDA1"] }).device).toEqual(["CUDA0", "CUDA1"]);
    expect(load({ device: ["CUDA0", "CUDA1"] }).device).toEqual(["CUDA0", "CUDA1"]);
    expect(load({}, { GGUFD_DEVICE: "CUDA0,CUDA1" }).device).toEqual(["CUDA0", "CUDA1"]);
  });

  it("accept proportions, overrides and layers in llama-server's syntax", () => {
    expect(load({ tensorSplit: "3,1.5" }).tensorSplit).toEqual([3, 1.5]);
    expect(load({ overrideTensor: ["ffn_.*_exps=CPU,attn=CUDA0"] }).overrideTensor).toEqual([
      { pattern: "ffn_.*_exps", bufferType: "CPU" },
      { pattern: "attn", bufferType: "CUDA0" },
    ]);
    expect([load({ cpuMoe: "7" }).cpuMoe, load({ cpuMoe: "all" }).cpuMoe]).toEqual([7, "all"]);
  });

  it.each([
    [{ tensorSplit: "3,x" }, "--tensor-split: expected proportions such as 3,1"],
    [{ tensorSplit: "0,0" }, "--tensor-split: expected proportions such as 3,1"],
    [{ tensorSplit: "3,,1" }, "--tensor-split: expected proportions such as 3,1"],
    [{ overrideTensor: ["exps"] }, "--override-tensor: expected PATTERN=TYPE"],
    [{ overrideTensor: ["(=CPU"] }, "--override-tensor: expected PATTERN=TYPE"],
    [{ overrideTensor: ["a=b=c"] }, "--override-tensor: expected PATTERN=TYPE"],
    [{ splitMode: "rows" }, "--split-mode: expected one of none, layer, row, tensor"],
    [{ cpuMoe: "some" }, "--cpu-moe: expected a number of layers, or all"],
    [{ cpuMoe: "-1" }, "--cpu-moe: expected a number of layers, or all"],
    [{ mainGpu: "first" }, "--main-gpu: expected an integer from 0 to 255"],
    [{ device: ["CUDA0,"] }, "--device: expected a non-empty string"],
  ])("are rejected with the expected value: %j", (flags, reason) => {
    expect(() => load(flags)).toThrow(reason);
  });
});
