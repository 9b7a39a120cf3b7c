import type { ContextParams } from "../companion/native-companion.js";
import { flashAttention } from "../flash-attention.js";
import type { ContextSubject } from "./context-options.js";

/** What determines the memory of a pooling context. */
export interface PoolingSize {
  /** Tokens of a batch at most, which is one pass: an input that is read both ways cannot be divided. */
  readonly batchTokens: number;
  /** Inputs of a batch at most. */
  readonly sequences: number;
}

/** The options of a pooling context in the binding's terms, for its creation and for the dry run. */
export function nativePoolingOptions(
  { attention, processor }: Pick<ContextSubject, "attention" | "processor">,
  { batchTokens, sequences }: PoolingSize,
) {
  return {
    sequences,
    // Of each sequence: together they have the tokens of a batch, in one cache.
    contextSize: Math.ceil(batchTokens / sequences),
    batchSize: batchTokens,
    flashAttention: flashAttention({
      attention,
      kvCacheType: "f16",
      attendedTokens: batchTokens,
      batchSize: batchTokens,
      processor,
    }),
  };
}

/** The parameters of a pooling context that only the native companion can set. */
export function poolingParams(
  { batchTokens }: Pick<PoolingSize, "batchTokens">,
  poolingType: number,
): ContextParams {
  return { kvUnified: true, poolingType, microBatchTokens: batchTokens };
}
