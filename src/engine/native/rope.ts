import type { ContextParams } from "./companion/native-companion.js";

/** llama.cpp's `llama_rope_scaling_type`. */
const scalingTypes = { none: 0, linear: 1, yarn: 2 } as const;

/** How a model's rotary position embeddings (RoPE) are computed; absent: as its file says. */
export interface RopeSettings {
  readonly scaling?: keyof typeof scalingTypes | undefined;
  /** By how much the context is longer than what the model was trained with. */
  readonly scale?: number | undefined;
  readonly freqBase?: number | undefined;
  /** One divided by {@link scale}, which it is instead of. */
  readonly freqScale?: number | undefined;
  /** Tokens that a model was trained with before it was scaled by YaRN. */
  readonly yarnOrigCtx?: number | undefined;
  readonly yarnExtFactor?: number | undefined;
  readonly yarnAttnFactor?: number | undefined;
  readonly yarnBetaSlow?: number | undefined;
  readonly yarnBetaFast?: number | undefined;
}

/** The parameters that a model's contexts are created with. */
export function ropeParamsOf(settings: RopeSettings): ContextParams {
  const { scaling, freqBase, yarnOrigCtx, yarnExtFactor, yarnAttnFactor } = settings;
  const { yarnBetaSlow, yarnBetaFast } = settings;
  const scale = scaleOf(settings);
  return {
    ...(scaling && { ropeScaling: scalingTypes[scaling] }),
    ...(freqBase !== undefined && { ropeFreqBase: freqBase }),
    ...(scale !== undefined && { ropeFreqScale: 1 / scale }),
    ...(yarnOrigCtx !== undefined && { yarnOriginalContext: yarnOrigCtx }),
    ...(yarnExtFactor !== undefined && { yarnExtFactor }),
    ...(yarnAttnFactor !== undefined && { yarnAttnFactor }),
    ...(yarnBetaSlow !== undefined && { yarnBetaSlow }),
    ...(yarnBetaFast !== undefined && { yarnBetaFast }),
  };
}

function scaleOf({ scale, freqScale }: RopeSettings): number | undefined {
  return scale ?? (freqScale === undefined ? undefined : 1 / freqScale);
}

/** Context sizes that a model's file tells. */
export interface TrainedContext {
  readonly trainTokens: number;
  /** Before it was scaled by YaRN; absent: the same. */
  readonly originalTokens: number | undefined;
}

/**
 * The context that a model is good for, in tokens, with its positions scaled: YaRN's factor is of what it was trained
 * with at first, as in llama.cpp (`llama_init_from_model`).
 */
export function scaledContextSize(
  settings: RopeSettings,
  { trainTokens, originalTokens = trainTokens }: TrainedContext,
): number {
  const scale = scaleOf(settings);
  if (scale === undefined || settings.scaling === "none") return trainTokens;
  const tokens =
    settings.scaling === "yarn" ? (settings.yarnOrigCtx ?? originalTokens) : trainTokens;
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(1, Math.floor(tokens * scale)));
}
