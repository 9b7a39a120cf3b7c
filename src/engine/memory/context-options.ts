import { GgmlType } from "node-llama-cpp";
import type { ContextParams } from "../native/companion/native-companion.js";
import {
  type AttentionShape,
  type FlashAttentionQuestion,
  flashAttention,
  type KvCacheType,
  type KvCacheTypes,
} from "../native/kv-cache.js";
import type { CacheLayout } from "../native/token-context.js";

/** What of a model and its processor determines how a context is created. */
export interface ContextSubject {
  readonly attention: AttentionShape;
  readonly processor: FlashAttentionQuestion["processor"];
  /** `whole`: each pass over a part of a batch costs much, or what it evaluates is lost to others. */
  readonly batches: "divisible" | "whole";
  /** Elements of the largest weight matrix of a layer. */
  readonly largestMatrix: number;
}

/** What determines the memory of a context. */
export interface ContextOptions {
  readonly slots: number;
  /** Tokens of one slot. */
  readonly contextSize: number;
  readonly batchSize: number;
  readonly kvCacheTypes: KvCacheTypes;
  readonly layout: CacheLayout["kind"];
}

/**
 * The same options in the binding's terms. The context and the dry run that decides whether it fits
 * both take them from here: otherwise what was found to fit would not be what is created.
 */
export function nativeContextOptions(
  { attention, processor }: ContextSubject,
  { slots, contextSize, batchSize, kvCacheTypes, layout }: ContextOptions,
) {
  return {
    sequences: slots,
    contextSize,
    batchSize,
    keyType: ggmlType(kvCacheTypes.keys),
    valueType: ggmlType(kvCacheTypes.values),
    flashAttention: flashAttention({
      attention,
      kvCacheTypes,
      attendedTokens: layout === "unified" ? slots * contextSize : contextSize,
      batchSize,
      processor,
    }),
  };
}

function ggmlType(type: KvCacheType): GgmlType {
  return GgmlType[type.toUpperCase() as Uppercase<KvCacheType>];
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

/** A tile of llama.cpp's flash attention: fewer tokens take longer each. */
const MIN_CPU_PASS_TOKENS = 64;
const MAX_CPU_PASS_TOKENS = 256;
/**
 * Multiplications of one operation: a batch is aborted between two of them. With a model of 8 B one took
 * up to 635 ms for 512 tokens on two cores, 240 ms for 128.
 */
const MAX_CPU_MULTIPLICATIONS = 4e9;

/**
 * Tokens that are evaluated in one pass. On a CPU they are few, because reading the weights takes little
 * of a pass there: a hang-up takes effect sooner, and buffers are smaller, with a model of 8 B by 111 MiB
 * for 64 tokens than for 512.
 */
export function subBatchTokens(
  { processor, batches, largestMatrix }: ContextSubject,
  batchSize: number,
): number {
  if (processor.kind === "gpu" || batches === "whole") return batchSize;
  const tiles = Math.floor(MAX_CPU_MULTIPLICATIONS / largestMatrix / MIN_CPU_PASS_TOKENS);
  const tokens = Math.max(MIN_CPU_PASS_TOKENS, tiles * MIN_CPU_PASS_TOKENS);
  return Math.min(batchSize, tokens, MAX_CPU_PASS_TOKENS);
}

/** The parameters of a context that only the native companion can set. */
export function companionParams(
  subject: ContextSubject,
  options: Pick<ContextOptions, "slots" | "batchSize" | "layout">,
): ContextParams {
  return {
    maxOutputs: maxOutputsOf(options),
    maxSampledOutputs: 1,
    microBatchTokens: subBatchTokens(subject, options.batchSize),
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
