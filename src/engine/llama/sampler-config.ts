import { activeBiases } from "../sampling/active-biases.js";
import { penalisedTokens } from "../sampling/penalised-tokens.js";
import type { SamplingOptions } from "../sampling/sampling-options.js";
import type { SamplingContext } from "./token-context.js";

/** The configuration of node-llama-cpp's `AddonSampler`. */
export interface SamplerConfig {
  readonly temperature: number;
  readonly minP: number;
  /** Absent: no limit. Zero means the same, but makes the native sampler sort the vocabulary. */
  readonly topK?: number;
  readonly topP: number;
  readonly seed: number;
  readonly repeatPenaltyTokens?: Uint32Array;
  readonly repeatPenaltyMaxTokens?: number;
  readonly repeatPenalty?: number;
  readonly repeatPenaltyPresencePenalty?: number;
  readonly repeatPenaltyFrequencyPenalty?: number;
  readonly tokenBiasKeys?: Uint32Array;
  readonly tokenBiasValues?: Float32Array;
}

/** Smallest capacity of the native penalty window. */
const MIN_PENALTY_WINDOW_TOKENS = 64;

/** The configuration for sampling the next token of a generation. */
export function samplerConfig({
  options,
  promptTokens,
  generated,
}: SamplingContext): SamplerConfig {
  const { temperature, minP, topK, topP, seed, penalties } = options;
  const biases = activeBiases(options, generated.length);
  const penalised = penalties && penalisedTokens(penalties, promptTokens, generated);
  return {
    temperature,
    minP,
    ...(topK > 0 && { topK }),
    topP,
    seed,
    ...(penalties === undefined || penalised === undefined
      ? {}
      : {
          repeatPenaltyTokens: Uint32Array.from(penalised),
          repeatPenaltyMaxTokens: penaltyWindow(penalised.length),
          repeatPenalty: penalties.repetition,
          repeatPenaltyPresencePenalty: penalties.presence,
          repeatPenaltyFrequencyPenalty: penalties.frequency,
        }),
    ...(biases.size === 0
      ? {}
      : {
          tokenBiasKeys: Uint32Array.from(biases.keys()),
          tokenBiasValues: Float32Array.from(biases.values()),
        }),
  };
}

/**
 * Capacity of the penalty window for so many tokens: it grows by doubling, because the native sampler
 * is rebuilt, token by token, whenever it changes.
 */
function penaltyWindow(tokens: number): number {
  return Math.max(MIN_PENALTY_WINDOW_TOKENS, 2 ** Math.ceil(Math.log2(Math.max(1, tokens))));
}

/** Whether the configuration depends on the tokens generated so far. */
export function variesBetweenTokens({ penalties, forbiddenUntil }: SamplingOptions): boolean {
  return penalties !== undefined || (forbiddenUntil > 0 && Number.isFinite(forbiddenUntil));
}
