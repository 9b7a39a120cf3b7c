import { readFileSync } from "node:fs";
import { type Llama, LlamaModel } from "node-llama-cpp";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { inspectModel } from "../../../src/engine/loading/inspected-model.js";
import { loadInspected } from "../../../src/engine/native/load-inspected.js";
import type { FileReading } from "../../../src/engine/native/placement.js";
import { eventually } from "../../support/eventually.js";
import { nativeLibrary } from "../../support/native-library.js";
import { tinyModel } from "../../support/random-models.js";
import { shippedModel } from "../../support/shipped-model.js";

let llama: Llama;
beforeAll(async () => {
  llama = await nativeLibrary();
});

async function loaded(
  path: string,
  options: { parts?: "all" | "vocabulary"; reading?: FileReading } = {},
) {
  const { insights } = await inspectModel(llama, { role: "model", path });
  const model = await loadInspected(llama, path, insights.split, { gpuLayers: 0, ...options });
  onTestFinished(() => model.dispose());
  return { model, insights: insights.split };
}

/** Fields of node-llama-cpp's object that contain data. */
function dataOf(model: LlamaModel): Record<string, unknown> {
  const isData = (value: unknown) => value === null || typeof value !== "object";
  return Object.fromEntries(
    Object.entries(model).filter(([, value]) => isData(value) && typeof value !== "function"),
  );
}

describe("loading a model whose header was already read", () => {
  it.each(["all", "vocabulary"] as const)(
    "gives the same result as node-llama-cpp (%s)",
    async (parts) => {
      const { model } = await loaded(shippedModel, { parts });
      const own = await llama.loadModel({
        ...{ modelPath: shippedModel, vocabOnly: parts === "vocabulary", gpuLayers: 0 },
      });
      onTestFinished(() => own.dispose());
      expect(model).toBeInstanceOf(LlamaModel);
      expect(dataOf(model)).toEqual(dataOf(own));
      expect(Object.keys(model).sort()).toEqual(Object.keys(own).sort());
    },
  );

  it.skipIf(process.platform !== "linux")(
    "locks the weights in memory only if requested",
    async () => {
      const lockedKiB = () =>
        Number(/^VmLck:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
      const before = lockedKiB();
      await loaded(tinyModel());
      expect(lockedKiB()).toBe(before);
      await loaded(tinyModel(), { reading: { lock: true } });
      expect(lockedKiB()).toBeGreaterThan(before);
    },
  );

  it("creates contexts with the defaults of node-llama-cpp", async () => {
    const { model } = await loaded(tinyModel());
    const own = await llama.loadModel({ modelPath: tinyModel() });
    onTestFinished(() => own.dispose());
    const options = { contextSize: 256, sequences: 2 };
    const [ours, theirs] = [await model.createContext(options), await own.createContext(options)];
    expect(ours.flashAttention).toEqual(theirs.flashAttention);
    expect([ours.kvCacheKeyType, ours.kvCacheValueType]).toEqual([
      theirs.kvCacheKeyType,
      theirs.kvCacheValueType,
    ]);
  });

  it("makes no memory estimate for contexts without memory checks", async () => {
    const { model, insights } = await loaded(tinyModel());
    const estimate = vi.spyOn(insights, "estimateContextResourceRequirementsV2");
    await model.createContext({ contextSize: 256, ignoreMemorySafetyChecks: true });
    expect(estimate).not.toHaveBeenCalled();
    expect(model.fileInsights.totalLayers).toBe(insights.totalLayers);
  });

  it("reports progress up to 1", async () => {
    const { insights } = await inspectModel(llama, { role: "model", path: shippedModel });
    const told: number[] = [];
    const model = await loadInspected(llama, shippedModel, insights.split, {
      gpuLayers: 0,
      onLoadProgress: (progress) => told.push(progress),
    });
    onTestFinished(() => model.dispose());
    // Progress is reported by a thread of llama.cpp, so the last report may follow the model.
    await eventually(() => expect(told.at(-1)).toBe(1));
    expect(told).toEqual(told.toSorted((a, b) => a - b));
  });

  it.each([
    ["auto", true],
    ["mmap", true],
    ["none", false],
    ["dio", false],
  ] as const)("with load mode %s, maps the file: %s", async (loadMode, isMapped) => {
    const { model } = await loaded(tinyModel(), { reading: { loadMode, checkTensors: true } });
    expect(model.useMmap).toBe(isMapped);
    expect(model.tokenize("Hi").length).toBeGreaterThan(0);
  });

  it("fails if llama.cpp cannot load the file", async () => {
    const { insights } = await inspectModel(llama, { role: "model", path: tinyModel() });
    const attempt = loadInspected(llama, "/nowhere/no.gguf", insights.split, { gpuLayers: 0 });
    await expect(attempt).rejects.toThrow("Failed to load model");
  });
});
