import type { CacheLayout } from "../token-context.js";

/** As configured; `auto`: chosen by {@link chooseLayout}. */
export type LayoutSetting = CacheLayout["kind"] | "auto";

export interface LayoutQuestion {
  /** Without the native companion, and where states cannot be truncated, there is only one layout. */
  readonly unified: "possible" | "impossible";
  readonly gpuLayers: number;
  /** Tokens of one slot, as configured; `undefined`: chosen. */
  readonly configuredContextSize: number | undefined;
  /** Tokens of one slot. */
  readonly contextSize: number;
  readonly trainContextSize: number;
}

/**
 * Chooses the layout of a KV cache. A unified one lets a request have all that is free, and copies
 * prefixes for nothing; on a CPU every step takes longer in it, the more so the more streams decode
 * (`docs/decisions/0034-unified-cache.md`). Hence split where nobody would gain any length: where a slot has the whole
 * context of the model already, or the length that was asked for.
 */
export function chooseLayout(question: LayoutQuestion): CacheLayout["kind"] {
  const { unified, gpuLayers, configuredContextSize, contextSize, trainContextSize } = question;
  if (unified === "impossible") return "split";
  if (gpuLayers > 0) return "unified";
  const isLongEnough = configuredContextSize !== undefined || contextSize >= trainContextSize;
  return isLongEnough ? "split" : "unified";
}
