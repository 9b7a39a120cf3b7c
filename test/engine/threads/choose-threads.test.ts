import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ThreadCounts } from "../../../src/core/engine.js";
import { chooseThreads, findCalibrationFile } from "../../../src/engine/threads/choose-threads.js";
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
  const used: ThreadCounts[] = [];
  const context = new SimulatedContext({ sequences: 4, batchSize: 32, next: alphabetModel });
  const setThreads = (threads: ThreadCounts) => void used.push(threads);
  return { used, context: Object.assign(context, { setThreads }) };
}

const automatic = { threads: "auto", threadsBatch: "auto" } as const;

const scope = {
  build: "prebuilt",
  modelFingerprint: "m",
  device: "CPU",
  gpuWeightBytes: 0,
  offloading: "none",
} as const;

test.each([
  [
    { threads: 3, threadsBatch: "auto" },
    { decode: 3, prefill: 3 },
  ],
  [
    { threads: 3, threadsBatch: 5 },
    { decode: 3, prefill: 5 },
  ],
] as const)(
  "configured thread counts are used without a measurement: %j",
  async (settings, expected) => {
    const { context, used } = threadedContext();
    expect(await chooseThreads(context, settings, scope)).toEqual(expected);
    expect(used).toEqual([expected]);
    expect(context.calls).toEqual([]);
  },
);

test("the thread count for decoding is measured if only the count for prompts is configured", async () => {
  const { context, used } = threadedContext();
  const chosen = await chooseThreads(context, { threads: "auto", threadsBatch: 7 }, scope);
  expect(chosen.prefill).toBe(7);
  expect(used.at(-1)).toEqual(chosen);
  expect(context.calls).not.toEqual([]);
});

test("with all layers on a GPU, no calibration is measured or cached", async () => {
  const { context, used } = threadedContext();
  const offloaded = {
    ...scope,
    device: "CUDA",
    gpuWeightBytes: 33,
    offloading: "all-layers",
  } as const;
  const threads = await chooseThreads(context, automatic, offloaded);
  const count = Math.min(4, readCpuTopology().performanceCores);
  expect(threads).toEqual({ decode: count, prefill: count });
  expect(used).toEqual([threads]);
  expect(context.calls).toEqual([]);
  expect(() => readFileSync(findCalibrationFile())).toThrow("ENOENT");
});

test("a calibration is cached for the number of layers on the device", async () => {
  const first = threadedContext();
  const chosen = await chooseThreads(first.context, automatic, scope);
  const again = threadedContext();
  expect(await chooseThreads(again.context, automatic, scope)).toEqual(chosen);
  expect(again.context.calls).toEqual([]);
  const other = threadedContext();
  const partly = { ...scope, gpuWeightBytes: 12, offloading: "some-layers" } as const;
  await chooseThreads(other.context, automatic, partly);
  expect(Object.keys(JSON.parse(readFileSync(findCalibrationFile(), "utf8")))).toHaveLength(2);
});
