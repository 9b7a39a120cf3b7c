import type { EngineSettings } from "../../src/engine/engine-settings.js";

/** Settings for small engines on the CPU; nothing depends on measured time or free memory. */
export const engineSettings: EngineSettings = {
  modelPath: "/models/scripted.gguf",
  gpu: "off",
  gpuLayers: "auto",
  threads: 1,
  threadsBatch: "auto",
  slots: 4,
  contextSize: 512,
  placement: {},
  kvCacheType: "f16",
  kvCacheLayout: "split",
  batchSize: 128,
  itlTargetMs: 100,
  speculation: "auto",
  deviceSampling: "auto",
  draftModelPath: undefined,
  mtp: "auto",
  toolFormat: "auto",
  cacheRamMiB: 0,
  cacheDir: undefined,
  cacheDiskMiB: 1,
  slotSavePath: undefined,
  seed: undefined,
  version: "test",
};
