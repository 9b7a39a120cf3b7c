import { GgmlType } from "node-llama-cpp";
import { type FlashAttentionQuestion, flashAttention } from "../flash-attention.js";
import type { AttentionShape, KvCacheType } from "../kv-cache.js";

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
export function nativeContextOptions(
  attention: AttentionShape,
  processor: FlashAttentionQuestion["processor"],
  { slots, contextSize, batchSize, kvCacheType }: ContextOptions,
) {
  return {
    sequences: slots,
    contextSize,
    batchSize,
    kvCacheType: GgmlType[kvCacheType.toUpperCase() as Uppercase<KvCacheType>],
    flashAttention: flashAttention({
      attention,
      kvCacheType,
      contextSize,
      batchSize,
      processor,
    }),
  };
}

/** A draft model's context is as long as the main model's, but at most what it was trained with. */
export function draftContextSize(
  draft: { readonly trainContextSize: number },
  contextSize: number,
): number {
  return Math.min(contextSize, draft.trainContextSize);
}
