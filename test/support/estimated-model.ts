import type { ModelEstimates } from "../../src/engine/memory/model-estimates.js";

interface EstimatedSizes {
  readonly layers?: number;
  readonly layerBytes?: number;
  /** Bytes of one token in the KV cache, over all layers. */
  readonly kvBytes?: number;
  readonly bufferBytes?: number;
  readonly trainContextSize?: number;
}

/** Model whose layers are all alike; buffers are needed on every device that computes. */
export function estimatedModel({
  layers = 33,
  layerBytes = 2 ** 28,
  kvBytes = 2 ** 17,
  bufferBytes = 2 ** 28,
  trainContextSize = 131_072,
}: EstimatedSizes = {}): ModelEstimates {
  return {
    layers,
    trainContextSize,
    kvBytesPerToken: ({ keys }) => (keys === "f16" ? kvBytes : (kvBytes * 17) / 32),
    async weights(gpuLayers) {
      return {
        cpuBytes: (layers - gpuLayers) * layerBytes,
        gpuBytes: gpuLayers * layerBytes,
      };
    },
    async context(gpuLayers, { slots, contextSize, kvCacheTypes, noKvOffload }) {
      const cacheBytes = this.kvBytesPerToken(kvCacheTypes) * slots * contextSize;
      const share = noKvOffload ? 0 : gpuLayers / layers;
      return {
        cpuBytes: cacheBytes * (1 - share) + bufferBytes,
        gpuBytes: cacheBytes * share + (gpuLayers > 0 ? bufferBytes : 0),
      };
    },
  };
}
