import type { EngineSettings } from "../../src/engine/llama-engine.js";

/** Settings for engines that do not look at them. */
export const settings: EngineSettings = {
  modelPath: "/models/scripted.gguf",
  gpu: "off",
  gpuLayers: "auto",
  threads: 1,
  slots: 2,
  contextSize: 100,
  kvCacheType: "f16",
  batchSize: 64,
  itlTargetMs: 100,
  speculation: "auto",
  cacheRamMiB: 0,
  cacheDir: undefined,
  cacheDiskMiB: 1,
  seed: undefined,
  version: "test",
};
