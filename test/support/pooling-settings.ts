import type { PoolingSettings } from "../../src/engine/pooling-engine.js";

/** Of a model that is computed on one thread of the CPU, its path and its kind left open. */
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
