import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { calibrationFile } from "../../../src/engine/threads/calibration-cache.js";
import { chooseThreads } from "../../../src/engine/threads/choose-threads.js";
import { readCpuTopology } from "../../../src/engine/threads/cpu-topology.js";
import { SimulatedContext } from "../simulated/simulated-context.js";
import { alphabetModel } from "../simulated/simulated-engine.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ggufd-threads-"));
  vi.stubEnv("XDG_CACHE_HOME", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function threadedContext() {
  const used: number[] = [];
  const context = new SimulatedContext({ sequences: 4, batchSize: 32, next: alphabetModel });
  const setThreads = (threads: number) => void used.push(threads);
  return { used, context: Object.assign(context, { setThreads }) };
}

const scope = {
  build: "prebuilt",
  modelFingerprint: "m",
  device: "CPU",
  gpuLayers: 0,
  offloading: "none",
} as const;

test("the configured number is set without a measurement", async () => {
  const { context, used } = threadedContext();
  expect(await chooseThreads(context, { threads: 3 }, scope)).toBe(3);
  expect(used).toEqual([3]);
  expect(context.calls).toEqual([]);
});

test("with all layers on a GPU nothing is measured, and nothing is cached", async () => {
  const { context, used } = threadedContext();
  const offloaded = { ...scope, device: "CUDA", gpuLayers: 33, offloading: "all-layers" } as const;
  const threads = await chooseThreads(context, { threads: "auto" }, offloaded);
  expect(threads).toBe(Math.min(4, readCpuTopology().performanceCores));
  expect(used).toEqual([threads]);
  expect(context.calls).toEqual([]);
  expect(() => readFileSync(calibrationFile())).toThrow("ENOENT");
});

test("a calibration is cached and not repeated, for as many layers on the same device", async () => {
  const first = threadedContext();
  const chosen = await chooseThreads(first.context, { threads: "auto" }, scope);
  const again = threadedContext();
  expect(await chooseThreads(again.context, { threads: "auto" }, scope)).toBe(chosen);
  expect(again.context.calls).toEqual([]);
  const other = threadedContext();
  const partly = { ...scope, gpuLayers: 12, offloading: "some-layers" } as const;
  await chooseThreads(other.context, { threads: "auto" }, partly);
  expect(Object.keys(JSON.parse(readFileSync(calibrationFile(), "utf8")))).toHaveLength(2);
});
