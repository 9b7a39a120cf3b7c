import { type MemoryUse, sumOf } from "../../core/memory-use.js";
import { type ContextOptions, maxOutputsOf } from "./context-options.js";
import type { ModelEstimates } from "./model-estimates.js";

/** Hidden states of one sequence that wait to be evaluated, or that it may be cut back to. */
const STATES_OF_A_SEQUENCE = 104;
/** Copies of a batch's states: as llama.cpp writes them, in the batch's order, and with the texts that they belong to. */
const COPIES_OF_A_BATCH = 3;
const BYTES_OF_FLOAT = 4;

/**
 * Main memory for the hidden states that drafts are proposed by, which no dry run tells.
 * @param width floats of one token
 */
export function hiddenStatesBytes(
  width: number,
  { slots, batchSize }: Pick<ContextOptions, "slots" | "batchSize">,
): number {
  return width * BYTES_OF_FLOAT * (COPIES_OF_A_BATCH * batchSize + STATES_OF_A_SEQUENCE * slots);
}

/**
 * A model whose hidden states are followed.
 * @param width floats of one token
 */
export function withHiddenStates(model: ModelEstimates, width: number): ModelEstimates {
  return {
    ...model,
    async context(gpuLayers, options): Promise<MemoryUse> {
      const states = { cpuBytes: hiddenStatesBytes(width, options), gpuBytes: 0 };
      return sumOf([await model.context(gpuLayers, options), states]);
    },
  };
}

/**
 * A model with its layers for multi-token prediction: they lie where its last layers do, and have a context of their own.
 * @param model with the weights of those layers
 * @param layers what their context takes
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
      return sumOf([
        await followed.context(gpuLayers, options),
        await layers.context(gpuLayers, options),
      ]);
    },
  };
}

/** What of a head determines the memory of its context. */
export interface HeadSize {
  /** Floats of one of its states. */
  readonly embeddingLength: number;
  /** Elements of its largest matrix. */
  readonly largestMatrix: number;
  readonly vocabularySize: number;
}

/** Rows of a graph that are in memory side by side, of one token. */
const ROWS_OF_A_PASS = 16;

/**
 * An EAGLE-3 head. llama.cpp makes its context together with the model's only, so that there is no dry run of it: keys and
 * values are known, buffers are estimated from the widest rows of a pass.
 */
export function withHeadContext(head: ModelEstimates, size: HeadSize): ModelEstimates {
  return {
    ...head,
    async context(gpuLayers, options): Promise<MemoryUse> {
      const { slots, contextSize, kvCacheTypes, batchSize } = options;
      const cacheBytes = head.kvBytesPerToken(kvCacheTypes) * slots * contextSize;
      const widestRow = size.largestMatrix / Math.max(1, size.embeddingLength);
      const rowBytes =
        (ROWS_OF_A_PASS * Math.max(size.embeddingLength, widestRow) + size.vocabularySize) *
        BYTES_OF_FLOAT;
      const logitsBytes = maxOutputsOf(options) * size.vocabularySize * BYTES_OF_FLOAT;
      const bytes = cacheBytes + batchSize * rowBytes;
      return gpuLayers > 0
        ? { cpuBytes: logitsBytes, gpuBytes: bytes }
        : { cpuBytes: bytes + logitsBytes, gpuBytes: 0 };
    },
  };
}
