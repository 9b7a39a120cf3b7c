import { GgmlType, type LlamaModel } from "node-llama-cpp";
import { flashAttention } from "../flash-attention.js";
import type { KvCacheType } from "../kv-cache.js";
import { processorOf } from "../llama-backend.js";
import { readModelMetadata } from "./model-metadata.js";

/** What determines the memory of a context. */
export interface ContextOptions {
  readonly slots: number;
  /** Tokens of one slot. */
  readonly contextSize: number;
  readonly batchSize: number;
  readonly kvCacheType: KvCacheType;
}

/**
 * The same options in the binding's terms. The context and the dry run that decides whether it fits
 * both take them from here: otherwise what was found to fit would not be what is created.
 */
export function nativeContextOptions(model: LlamaModel, options: ContextOptions) {
  const { slots, contextSize, batchSize, kvCacheType } = options;
  return {
    sequences: slots,
    contextSize,
    batchSize,
    kvCacheType: GgmlType[kvCacheType.toUpperCase() as Uppercase<KvCacheType>],
    flashAttention: flashAttention({
      attention: readModelMetadata(model).attention,
      kvCacheType,
      contextSize,
      batchSize,
      processor: processorOf(model.llama),
    }),
  };
}

/** A draft model's context is as long as the main model's, but at most what it was trained with. */
export function draftContextSize(draft: LlamaModel, contextSize: number): number {
  return Math.min(contextSize, draft.trainContextSize);
}
