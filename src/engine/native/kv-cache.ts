import type { GgufInsights } from "node-llama-cpp";
import type { NativeBuild } from "../../core/engine.js";
import type { TokenContext } from "./token-context.js";

/** Element types of the KV cache, with the bytes per element. */
export const kvCacheTypes = {
  f32: 4,
  f16: 2,
  bf16: 2,
  q8_0: 34 / 32,
  q5_1: 24 / 32,
  q5_0: 22 / 32,
  q4_1: 20 / 32,
  q4_0: 18 / 32,
} as const;

export type KvCacheType = keyof typeof kvCacheTypes;

export interface KvCacheTypes {
  readonly keys: KvCacheType;
  readonly values: KvCacheType;
}

/** Formats the types for display: `f16`, or `q8_0/f16` if keys and values differ. */
export function describeKvCacheTypes({ keys, values }: KvCacheTypes): string {
  return keys === values ? keys : `${keys}/${values}`;
}

export interface AttentionShape {
  /** Query heads of the layer with the most. */
  readonly queryHeads: number;
  /** Key/value heads of each layer. */
  readonly kvHeads: readonly number[];
  /** Elements of a head's key. */
  readonly keyLength: number;
  readonly valueLength: number;
}

/**
 * Returns the bytes per token of one sequence in the KV cache. It is an upper bound for models with
 * sliding windows or recurrent layers.
 */
export function computeKvBytesPerToken(
  shape: AttentionShape,
  { keys, values }: KvCacheTypes,
): number {
  const heads = shape.kvHeads.reduce((sum, count) => sum + count, 0);
  return heads * (shape.keyLength * kvCacheTypes[keys] + shape.valueLength * kvCacheTypes[values]);
}

/** Maximum memory for the scores of unfused attention. */
const MAX_SCORE_BYTES = 512 * 2 ** 20;

export interface FlashAttentionInput {
  readonly attention: AttentionShape;
  readonly kvCacheTypes: KvCacheTypes;
  /** Tokens of the cache that a sequence is computed over, masked ones included. */
  readonly attendedTokens: number;
  readonly batchSize: number;
  /**
   * The compute device; `vectorLength` is the number of fp16 elements that llama.cpp's SIMD code
   * processes at once.
   */
  readonly processor:
    | { readonly kind: "cpu"; readonly build: NativeBuild; readonly vectorLength: number }
    | { readonly kind: "gpu" };
}

/**
 * Decides whether flash attention is used; `auto` leaves it to llama.cpp, which uses it wherever it
 * can. On CPUs, the prebuilt library's flash attention processes the remainder of a head that does
 * not fill a SIMD vector element by element (`ggml_vec_mad_f16` in ggml's `vec.h`), which is slower
 * than unfused attention: with heads of 32 elements a token took three times as long. Unfused
 * attention stores all scores of a batch, and cannot read a quantised cache.
 */
export function chooseFlashAttention(input: FlashAttentionInput): "auto" | false {
  const { attention, attendedTokens, batchSize, processor, kvCacheTypes: types } = input;
  if (processor.kind === "gpu" || processor.build === "local") return "auto";
  const isPlain = types.keys === "f16" && types.values === "f16";
  if (!isPlain || attention.valueLength % processor.vectorLength === 0) return "auto";
  const scoreBytes = attention.queryHeads * batchSize * attendedTokens * 4;
  return scoreBytes > MAX_SCORE_BYTES ? "auto" : false;
}

/**
 * Returns whether sequences of a model can be truncated; see
 * {@link TokenContext.partialTruncation}.
 */
export function partialTruncationOf({
  isRecurrent,
  isHybrid,
  swaSize,
}: GgufInsights): TokenContext["partialTruncation"] {
  return isRecurrent || isHybrid || swaSize !== undefined ? "unsupported" : "supported";
}
