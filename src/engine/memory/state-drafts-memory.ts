import { addMemory, type MemoryUse } from "../../core/memory-use.js";
import { type ContextOptions, computeMaxOutputs } from "./context-options.js";
import type { ModelEstimates } from "./model-estimates.js";

/**
 * Hidden states stored per sequence: those waiting for evaluation and those kept for truncation.
 */
const STATES_PER_SEQUENCE = 104;
/** Copies of a batch's states: as written by llama.cpp, in batch order, and with their texts. */
const COPIES_PER_BATCH = 3;
const FLOAT_BYTES = 4;

/**
 * Returns the main memory for the hidden states used for drafting; dry runs do not include it.
 * @param width floats per token
 */
export function computeHiddenStatesBytes(
  width: number,
  { slots, batchSize }: Pick<ContextOptions, "slots" | "batchSize">,
): number {
  return width * FLOAT_BYTES * (COPIES_PER_BATCH * batchSize + STATES_PER_SEQUENCE * slots);
}

/**
 * Adds the memory of the hidden states used for drafting to a model's estimates.
 * @param width floats per token
 */
export function withHiddenStates(model: ModelEstimates, width: number): ModelEstimates {
  return {
    ...model,
    async context(gpuLayers, options): Promise<MemoryUse> {
      const states = { cpuBytes: computeHiddenStatesBytes(width, options), gpuBytes: 0 };
      return addMemory([await model.context(gpuLayers, options), states]);
    },
  };
}

/**
 * Adds the context of a model's layers for multi-token prediction, which are placed like its last
 * layers.
 * @param model estimates including the weights of those layers
 * @param layers estimates of their context
 * @param width floats of a hidden state
 */
export function withMtpContext(
  model: ModelEstimates,
  layers: Pick<ModelEstimates, "context">,
  width: number,
): ModelEstimates {
  const withStates = withHiddenStates(model, width);
  return {
    ...withStates,
    async context(gpuLayers, options): Promise<MemoryUse> {
      return addMemory([
        await withStates.context(gpuLayers, options),
        await layers.context(gpuLayers, options),
      ]);
    },
  };
}

/** Properties of a head that determine the memory of its context. */
export interface HeadSize {
  /** Floats of a hidden state. */
  readonly embeddingLength: number;
  /** Elements of the head's largest matrix. */
  readonly largestMatrix: number;
  readonly vocabularySize: number;
}

/** Rows of a graph that are in memory at once, per token. */
const ROWS_PER_PASS = 16;

/**
 * Adds the context of an EAGLE-3 head. llama.cpp creates it only together with the model's, so
 * there is no dry run: the size of the KV cache is calculated, that of the buffers is estimated
 * from the widest rows of a pass.
 */
export function withHeadContext(head: ModelEstimates, size: HeadSize): ModelEstimates {
  return {
    ...head,
    async context(gpuLayers, options): Promise<MemoryUse> {
      const { slots, contextSize, kvCacheTypes, batchSize, noKvOffload } = options;
      const cacheBytes = head.kvBytesPerToken(kvCacheTypes) * slots * contextSize;
      const widestRow = size.largestMatrix / Math.max(1, size.embeddingLength);
      const rowBytes =
        (ROWS_PER_PASS * Math.max(size.embeddingLength, widestRow) + size.vocabularySize) *
        FLOAT_BYTES;
      const logitsBytes = computeMaxOutputs(options) * size.vocabularySize * FLOAT_BYTES;
      const bufferBytes = batchSize * rowBytes;
      if (gpuLayers === 0) return { cpuBytes: cacheBytes + bufferBytes + logitsBytes, gpuBytes: 0 };
      return noKvOffload
        ? { cpuBytes: cacheBytes + bufferBytes + logitsBytes, gpuBytes: bufferBytes }
        : { cpuBytes: logitsBytes, gpuBytes: cacheBytes + bufferBytes };
    },
  };
}
