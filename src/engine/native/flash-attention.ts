import type { NativeBuild } from "../../core/engine.js";
import type { AttentionShape, KvCacheType } from "./kv-cache.js";

/** Memory that unfused attention may use for its scores. */
const MAX_SCORE_BYTES = 512 * 2 ** 20;

export interface FlashAttentionQuestion {
  readonly attention: AttentionShape;
  readonly kvCacheType: KvCacheType;
  /** Tokens of the cache that a sequence is computed with, masked ones included. */
  readonly attendedTokens: number;
  readonly batchSize: number;
  /** The computing device; `vectorLength`: fp16 elements that llama.cpp's SIMD code processes at once. */
  readonly processor:
    | { readonly kind: "cpu"; readonly build: NativeBuild; readonly vectorLength: number }
    | { readonly kind: "gpu" };
}

/**
 * Whether flash attention is used: `auto` leaves it to llama.cpp, which uses it wherever it can. On
 * CPUs, the prebuilt library's flash attention processes the remainder of a head that does not fill
 * a SIMD vector element by element (`ggml_vec_mad_f16` in ggml's `vec.h`), which is slower than
 * unfused attention: with heads of 32 elements a token took three times as long. Unfused attention
 * stores all scores of a batch, and cannot read a quantised cache.
 */
export function flashAttention(question: FlashAttentionQuestion): "auto" | false {
  const { attention, attendedTokens, batchSize, kvCacheType, processor } = question;
  if (processor.kind === "gpu" || processor.build === "local") return "auto";
  if (kvCacheType !== "f16" || attention.valueLength % processor.vectorLength === 0) return "auto";
  const scoreBytes = attention.queryHeads * batchSize * attendedTokens * 4;
  return scoreBytes > MAX_SCORE_BYTES ? "auto" : false;
}
