import type { PoolingSettings } from "../../src/engine/pooling-engine.js";

/** Settings of a model on one thread of the CPU, without its path and kind. */
export const poolingSettings = {
  pooling: "auto",
  gpu: "off",
  gpuLayers: "auto",
  placement: {},
  metadataOverrides: [],
  maxInputTokens: undefined,
  threads: 1,
  threadsBatch: "auto",
  version: "test",
} as const satisfies Omit<PoolingSettings, "source" | "kind">;
