import type { ContextParams } from "../native/companion/native-companion.js";
import { flashAttention } from "../native/flash-attention.js";
import type { ContextSubject } from "./context-options.js";

/** What determines the memory of a pooling context. */
export interface PoolingSize {
  /** Tokens of a batch at most, which is one pass: an input that is read both ways cannot be divided. */
  readonly batchTokens: number;
  /** Inputs of a batch at most. */
  readonly sequences: number;
  readonly attention: "flash" | "plain";
}

/**
 * Batches for which plain attention is quicker where flash attention is slow for single tokens: llama.cpp
 * has a quick way for 64 tokens and more (tiles in ggml's `ops.cpp`). With MiniLM's shape, 24 tokens took
 * 9 ms instead of 13, 64 took 24 instead of 20, and 250 took 130 instead of 72.
 */
const SHORT_BATCH_TOKENS = 60;
const SHORT_BATCH_SEQUENCES = 4;

/** The size of a context for short batches; `undefined`: they need none of their own. */
export function shortBatchSize(
  { attention, processor }: Pick<ContextSubject, "attention" | "processor">,
  sequences: number,
): PoolingSize | undefined {
  const flash = flashAttention({
    attention,
    kvCacheType: "f16",
    attendedTokens: SHORT_BATCH_TOKENS,
    batchSize: SHORT_BATCH_TOKENS,
    processor,
  });
  if (flash === "auto") return undefined;
  return {
    batchTokens: SHORT_BATCH_TOKENS,
    sequences: Math.min(sequences, SHORT_BATCH_SEQUENCES),
    attention: "plain",
  };
}

/** The options of a pooling context in the binding's terms, for its creation and for the dry run. */
export function nativePoolingOptions({ batchTokens, sequences, attention }: PoolingSize) {
  return {
    sequences,
    // Of each sequence: together they have the tokens of a batch, in one cache.
    contextSize: Math.ceil(batchTokens / sequences),
    batchSize: batchTokens,
    flashAttention: attention === "plain" ? false : ("auto" as const),
  };
}

/** The parameters of a pooling context that only the native companion can set. */
export function poolingParams(
  { batchTokens }: Pick<PoolingSize, "batchTokens">,
  poolingType: number,
): ContextParams {
  return { kvUnified: true, poolingType, microBatchTokens: batchTokens };
}
