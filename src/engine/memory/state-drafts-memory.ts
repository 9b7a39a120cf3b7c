import { addMemory, type MemoryUse } from "../../core/memory-use.js";
import { type ContextOptions, computeMaxOutputs } from "./context-options.js";
import type { ModelEstimates } from "./model-estimates.js";

/**
 * Hidden states stored per sequence: those waiting for evaluation and those kept for truncation.
 */
const STATES_OF_A_SEQUENCE = 104;
/** Copies of a batch's states: as written by llama.cpp, in batch order, and with their texts. */
const COPIES_OF_A_BATCH = 3;
const BYTES_OF_FLOAT = 4;

/**
 * Returns the main memory for the hidden states used for drafting; dry runs do not include it.
 * @param width floats per token
 */
export function hiddenStatesBytes(
  width: number,
  { slots, batchSize }: Pick<ContextOptions, "slots" | "batchSize">,
): number {
  return width * BYTES_OF_FLOAT * (COPIES_OF_A_BATCH * batchSize + STATES_OF_A_SEQUENCE * slots);
}

/**
 * Adds the memory of the hidden states used for drafting to a model's estimates.
 * @param width floats per token
 */
export function withHiddenStates(model: ModelEstimates, width: number): ModelEstimates {
  return {
    ...model,
    async context(gpuLayers, options): Promise<MemoryUse> {
      const states = { cpuBytes: hiddenStatesBytes(width, options), gpuBytes: 0 };
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
  const followed = withHiddenStates(model, width);
  return {
    ...followed,
    async context(gpuLayers, options): Promise<MemoryUse> {
      return addMemory([
        await followed.context(gpuLayers, options),
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
const ROWS_OF_A_PASS = 16;

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
        (ROWS_OF_A_PASS * Math.max(size.embeddingLength, widestRow) + size.vocabularySize) *
        BYTES_OF_FLOAT;
      const logitsBytes = computeMaxOutputs(options) * size.vocabularySize * BYTES_OF_FLOAT;
      const bufferBytes = batchSize * rowBytes;
      if (gpuLayers === 0) return { cpuBytes: cacheBytes + bufferBytes + logitsBytes, gpuBytes: 0 };
      return noKvOffload
        ? { cpuBytes: cacheBytes + bufferBytes + logitsBytes, gpuBytes: bufferBytes }
        : { cpuBytes: logitsBytes, gpuBytes: cacheBytes + bufferBytes };
    },
  };
}
