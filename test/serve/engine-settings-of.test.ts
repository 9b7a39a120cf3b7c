import { describe, expect, it } from "vitest";
import { mainModelSpecOf, modelSpecsOf } from "../../src/config/configured-models.js";
import { loadConfig } from "../../src/config/load-config.js";

import {
  engineSettingsOf,
  poolingSettingsOf,
  probedModelOf,
} from "../../src/serve/engine-settings-of.js";
import { version } from "../../src/version.js";

const flags = { model: "/m.gguf", draft: "/d.gguf", parallel: "2", seed: "5", gpu: "off" };
const { config } = loadConfig({
  flags: {
    ...flags,
    embeddingModel: "/e.gguf",
    embeddingPooling: "cls",
    rerankingModel: "/r.gguf",
  },
  environment: {},
});
const [main, ...others] = modelSpecsOf(config);
const pooling = others.flatMap((spec) => (spec.kind === "generation" ? [] : [spec]));

const placement = {
  devices: undefined,
  mainGpu: undefined,
  splitMode: undefined,
  tensorSplit: undefined,
  overrideTensor: undefined,
  cpuMoe: undefined,
};

const computing = { gpu: "off", gpuLayers: "auto", threads: "auto", threadsBatch: "auto" };

describe("what engines are loaded with", () => {
  it("is the facts of the model, the version, and what others take", () => {
    const besides = { cpuBytes: 7, gpuBytes: 0 };
    const expected = {
      modelPath: "/m.gguf",
      draftModelPath: "/d.gguf",
      mtp: "off",
      ...computing,
      placement,
      slots: 2,
      contextSize: undefined,
      batchSize: 512,
      kvCacheType: "f16",
      kvCacheLayout: "auto",
      itlTargetMs: 150,
      speculation: "auto",
      deviceSampling: "auto",
      toolFormat: "auto",
      cacheRamMiB: 1024,
      cacheDir: undefined,
      cacheDiskMiB: 8192,
      slotSavePath: undefined,
      seed: 5,
      version,
    };
    expect(engineSettingsOf(mainModelSpecOf(config))).toStrictEqual(expected);
    expect(engineSettingsOf(mainModelSpecOf(config), besides)).toEqual({ ...expected, besides });
  });

  it.each([
    [{}, { draftModelPath: undefined, mtp: "auto" }],
    [{ draft: "auto" }, { draftModelPath: undefined, mtp: "auto" }],
    [{ draft: "none" }, { draftModelPath: undefined, mtp: "off" }],
    [{ draft: "/d.gguf" }, { draftModelPath: "/d.gguf", mtp: "off" }],
    [{ speculation: "off" }, { draftModelPath: undefined, mtp: "off" }],
  ])(
    "has the model's own layers where nothing else drafts, and drafts are wanted (%j)",
    (given, expected) => {
      const { config } = loadConfig({ flags: { model: "/m.gguf", ...given }, environment: {} });
      expect(engineSettingsOf(mainModelSpecOf(config))).toMatchObject(expected);
    },
  );

  it("is of a pooling model how it pools; of a reranker its file says so", () => {
    const common = { ...computing, placement, maxInputTokens: undefined, version };
    expect(pooling.map(poolingSettingsOf)).toStrictEqual([
      {
        kind: "embedding",
        pooling: "cls",
        source: { role: "embedding-model", path: "/e.gguf" },
        ...common,
      },
      {
        kind: "reranking",
        pooling: "auto",
        source: { role: "reranking-model", path: "/r.gguf" },
        ...common,
      },
    ]);
  });

  it("is what devices are tried with", () => {
    expect([main, ...pooling].map((spec) => spec && probedModelOf(spec))).toMatchObject([
      { kind: "generation", settings: { modelPath: "/m.gguf" } },
      { kind: "pooling", settings: { kind: "embedding" } },
      { kind: "pooling", settings: { kind: "reranking" } },
    ]);
  });
});
