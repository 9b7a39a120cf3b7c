import type { NativeBuild } from "../../core/engine.js";
import type { AttentionShape, KvCacheType } from "./kv-cache.js";

/** Memory that plain attention may take for its scores. */
const MOST_SCORE_BYTES = 512 * 2 ** 20;

export interface FlashAttentionQuestion {
  readonly attention: AttentionShape;
  readonly kvCacheType: KvCacheType;
  /** Tokens of one slot. */
  readonly contextSize: number;
  readonly batchSize: number;
  /** What computes; `vectorLength`: fp16 numbers that llama.cpp's vector code takes at a time. */
  readonly processor:
    | { readonly kind: "cpu"; readonly build: NativeBuild; readonly vectorLength: number }
    | { readonly kind: "gpu" };
}

/**
 * Whether attention is computed in the fused way: `auto` leaves it to llama.cpp, which does so
 * wherever it can. The ready-built library for CPUs computes what is left over of a head one number
 * at a time there (`ggml_vec_mad_f16` in ggml's `vec.h`), which is slower than not fusing: with heads
 * of 32 numbers a token took three times as long. Plain attention keeps all scores of a batch, and
 * cannot read a quantised cache.
 */
export function flashAttention(question: FlashAttentionQuestion): "auto" | false {
  const { attention, batchSize, contextSize, kvCacheType, processor } = question;
  if (processor.kind === "gpu" || processor.build === "local") return "auto";
  if (kvCacheType !== "f16" || attention.valueLength % processor.vectorLength === 0) return "auto";
  const scoreBytes = attention.queryHeads * batchSize * contextSize * 4;
  return scoreBytes > MOST_SCORE_BYTES ? "auto" : false;
}
