import { GgmlType } from "node-llama-cpp";
import type { ContextParams } from "../companion/native-companion.js";
import { type FlashAttentionQuestion, flashAttention } from "../flash-attention.js";
import type { AttentionShape, KvCacheType } from "../kv-cache.js";
import type { CacheLayout } from "../token-context.js";

/** What determines the memory of a context. */
export interface ContextOptions {
  readonly slots: number;
  /** Tokens of one slot. */
  readonly contextSize: number;
  readonly batchSize: number;
  readonly kvCacheType: KvCacheType;
  readonly layout: CacheLayout["kind"];
}

/**
 * The same options in the binding's terms. The context and the dry run that decides whether it fits
 * both take them from here: otherwise what was found to fit would not be what is created.
 */
export function nativeContextOptions(
  attention: AttentionShape,
  processor: FlashAttentionQuestion["processor"],
  { slots, contextSize, batchSize, kvCacheType, layout }: ContextOptions,
) {
  return {
    sequences: slots,
    contextSize,
    batchSize,
    kvCacheType: GgmlType[kvCacheType.toUpperCase() as Uppercase<KvCacheType>],
    flashAttention: flashAttention({
      attention,
      kvCacheType,
      attendedTokens: layout === "unified" ? slots * contextSize : contextSize,
      batchSize,
      processor,
    }),
  };
}

/** Rows of logits at least that one batch may request: drafts need one for each token. */
const MIN_MAX_OUTPUTS = 64;
const MAX_OUTPUTS_PER_SLOT = 4;

/**
 * Rows of logits that one batch may request. llama.cpp reserves memory for a whole batch of them
 * otherwise: 311 MB for 512 rows of a vocabulary of 152 thousand tokens.
 */
export function maxOutputsOf({
  slots,
  batchSize,
}: Pick<ContextOptions, "slots" | "batchSize">): number {
  const rows = Math.max(MIN_MAX_OUTPUTS, MAX_OUTPUTS_PER_SLOT * slots);
  return Math.max(slots, Math.min(batchSize, rows));
}

/** The parameters of a context that only the native companion can set. */
export function companionParams(
  options: Pick<ContextOptions, "slots" | "batchSize" | "layout">,
): ContextParams {
  return {
    maxOutputs: maxOutputsOf(options),
    kvUnified: options.layout === "unified",
    abortable: true,
  };
}

/** A draft model's context is as long as the main model's, but at most what it was trained with. */
export function draftContextSize(
  draft: { readonly trainContextSize: number },
  contextSize: number,
): number {
  return Math.min(contextSize, draft.trainContextSize);
}
