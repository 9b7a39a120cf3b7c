import { GgmlType } from "node-llama-cpp";
import { StartupError } from "../../core/startup-error.js";
import type { ContextParams } from "../native/companion/native-companion.js";
import {
  type AttentionShape,
  chooseFlashAttention,
  type FlashAttentionInput,
  type KvCacheType,
  type KvCacheTypes,
  kvCacheTypes,
} from "../native/kv-cache.js";
import type { CacheLayout } from "../native/token-context.js";

/** Properties of a model and its processor that determine how contexts are created. */
export interface ContextSubject {
  readonly attention: AttentionShape;
  readonly processor: FlashAttentionInput["processor"];
  /**
   * `whole` if dividing a batch into passes is expensive, or would overwrite cells still needed.
   */
  readonly batches: "divisible" | "whole";
  /** Elements of the largest weight matrix of a layer. */
  readonly largestMatrix: number;
}

/** Limits of what one step and one pass evaluate, in tokens. */
export interface BatchLimits {
  readonly batchSize: number;
  /** Maximum tokens of a pass; `undefined` for no further limit. */
  readonly ubatchSize?: number | undefined;
}

/** Data and operations of a context that remain on the CPU although layers are on a GPU. */
export interface KeptOnCpu {
  /** Whether the KV cache is in main memory, where the CPU computes the attention. */
  readonly noKvOffload?: boolean | undefined;
  /** Whether operations on weights in main memory are never computed by a GPU. */
  readonly noOpOffload?: boolean | undefined;
}

/** Choice of the attention of a context. */
export interface AttentionChoice {
  /** `auto`: flash attention where it is faster. @default auto */
  readonly flashAttn?: "auto" | "on" | "off" | undefined;
}

/** Options that determine the memory of a context. */
export interface ContextOptions extends BatchLimits, KeptOnCpu, AttentionChoice {
  readonly slots: number;
  /** Tokens per slot. */
  readonly contextSize: number;
  readonly kvCacheTypes: KvCacheTypes;
  readonly layout: CacheLayout["kind"];
}

/**
 * Converts options into the binding's form. Both the context and the dry run use this function, so
 * that the dry run measures the context that is created.
 * @throws {StartupError} for a quantised value cache without flash attention
 */
export function toNativeContextOptions(
  subject: ContextSubject,
  {
    slots,
    contextSize,
    kvCacheTypes: types,
    layout,
    flashAttn = "auto",
    ...limits
  }: ContextOptions,
) {
  const { attention, processor } = subject;
  if (flashAttn === "off") assertNotQuantised(types.values);
  const batchSize = batchTokens(subject, limits);
  return {
    sequences: slots,
    contextSize,
    batchSize,
    keyType: toGgmlType(types.keys),
    valueType: toGgmlType(types.values),
    flashAttention:
      flashAttn === "auto"
        ? chooseFlashAttention({
            attention,
            kvCacheTypes: types,
            attendedTokens: layout === "unified" ? slots * contextSize : contextSize,
            batchSize,
            processor,
          })
        : flashAttn === "on",
  };
}

function assertNotQuantised(values: KvCacheType): void {
  if (kvCacheTypes[values] >= 2) return;
  throw new StartupError(
    `--flash-attn: expected auto or on with values in ${values} (--cache-type-v), got off`,
  );
}

function toGgmlType(type: KvCacheType): GgmlType {
  return GgmlType[type.toUpperCase() as Uppercase<KvCacheType>];
}

/** Lower bound of the maximum rows of logits per batch; drafts need one for each token. */
const MIN_MAX_OUTPUTS = 64;
const MAX_OUTPUTS_PER_SLOT = 4;

/**
 * Returns the maximum rows of logits per batch. By default llama.cpp reserves memory for a row per
 * token: 311 MB for 512 rows of a vocabulary of 152 thousand tokens.
 */
export function computeMaxOutputs({
  slots,
  batchSize,
}: Pick<ContextOptions, "slots" | "batchSize">): number {
  const rows = Math.max(MIN_MAX_OUTPUTS, MAX_OUTPUTS_PER_SLOT * slots);
  return Math.max(slots, Math.min(batchSize, rows));
}

/** A tile of llama.cpp's flash attention; in smaller passes each token takes longer. */
const MIN_CPU_PASS_TOKENS = 64;
const MAX_CPU_PASS_TOKENS = 256;
/**
 * Maximum multiplications per operation, since a batch can only be aborted between operations. With
 * an 8B model on two cores, one operation took up to 635 ms for 512 tokens, and 240 ms for 128.
 */
const MAX_CPU_MULTIPLICATIONS = 4e9;

/** Returns the maximum tokens of a batch that is one pass. */
export function wholeBatchTokens({ batchSize, ubatchSize = batchSize }: BatchLimits): number {
  return Math.min(batchSize, ubatchSize);
}

/** Returns the maximum tokens of a batch. */
function batchTokens({ batches }: ContextSubject, limits: BatchLimits): number {
  return batches === "whole" ? wholeBatchTokens(limits) : limits.batchSize;
}

/**
 * Returns the tokens evaluated in one pass. CPUs use short passes, because reading the weights is a
 * small part of a pass there: aborts take effect sooner, and buffers are smaller. With an 8B model,
 * those for 64 tokens take 111 MiB less than those for 512.
 */
function passTokens(
  { processor, batches, largestMatrix }: ContextSubject,
  limits: BatchLimits,
): number {
  const mostTokens = wholeBatchTokens(limits);
  if (processor.kind === "gpu" || batches === "whole") return mostTokens;
  const tileCount = Math.floor(MAX_CPU_MULTIPLICATIONS / largestMatrix / MIN_CPU_PASS_TOKENS);
  const tokens = Math.max(MIN_CPU_PASS_TOKENS, tileCount * MIN_CPU_PASS_TOKENS);
  return Math.min(mostTokens, tokens, MAX_CPU_PASS_TOKENS);
}

/** Builds the context parameters that only the native companion can set. */
export function buildCompanionParams(
  subject: ContextSubject,
  options: Pick<ContextOptions, "slots" | "layout"> & BatchLimits & KeptOnCpu,
): ContextParams {
  const { slots, layout } = options;
  return {
    maxOutputs: computeMaxOutputs({ slots, batchSize: batchTokens(subject, options) }),
    maxSampledOutputs: 1,
    microBatchTokens: passTokens(subject, options),
    kvUnified: layout === "unified",
    abortable: true,
    ...offloadParams(options),
  };
}

/** Builds the context parameters of what stays with the CPU. */
export function offloadParams({ noKvOffload, noOpOffload }: KeptOnCpu): ContextParams {
  return {
    ...(noKvOffload && { offloadKv: false }),
    ...(noOpOffload && { offloadOperations: false }),
  };
}

/**
 * Returns the context size of a draft model: the main model's, limited by the draft's training
 * context.
 */
export function limitDraftContext(
  draft: { readonly trainContextSize: number },
  contextSize: number,
): number {
  return Math.min(contextSize, draft.trainContextSize);
}
