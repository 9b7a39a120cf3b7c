import type { ContextParams } from "./companion/native-companion.js";

/** llama.cpp's `llama_rope_scaling_type`. */
const scalingTypes = { none: 0, linear: 1, yarn: 2 } as const;

/** Rotary position embedding (RoPE) settings of a model; absent ones are read from its file. */
export interface RopeSettings {
  readonly scaling?: keyof typeof scalingTypes | undefined;
  /** Factor by which the context exceeds the training context. */
  readonly scale?: number | undefined;
  readonly freqBase?: number | undefined;
  /** The reciprocal of {@link scale}, given instead of it. */
  readonly freqScale?: number | undefined;
  /** Training context before YaRN scaling, in tokens. */
  readonly yarnOrigCtx?: number | undefined;
  readonly yarnExtFactor?: number | undefined;
  readonly yarnAttnFactor?: number | undefined;
  readonly yarnBetaSlow?: number | undefined;
  readonly yarnBetaFast?: number | undefined;
}

/** Builds the RoPE parameters of a model's contexts. */
export function buildRopeParams(settings: RopeSettings): ContextParams {
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

/** Context sizes stated in a model's file. */
export interface TrainedContext {
  readonly trainTokens: number;
  /** Size before YaRN scaling; the same as `trainTokens` if absent. */
  readonly originalTokens: number | undefined;
}

/**
 * Returns the usable context of a model with scaled positions, in tokens. YaRN's factor applies to
 * the original training context, as in llama.cpp (`llama_init_from_model`).
 */
export function computeScaledContextSize(
  settings: RopeSettings,
  { trainTokens, originalTokens = trainTokens }: TrainedContext,
): number {
  const scale = scaleOf(settings);
  if (scale === undefined || settings.scaling === "none") return trainTokens;
  const tokens =
    settings.scaling === "yarn" ? (settings.yarnOrigCtx ?? originalTokens) : trainTokens;
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(1, Math.floor(tokens * scale)));
}
