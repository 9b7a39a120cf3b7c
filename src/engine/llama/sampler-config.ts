import {
  activeBiases,
  penalisedTokens,
  type SamplingOptions,
} from "../sampling/sampling-options.js";
import type { SamplingContext } from "./token-context.js";

/** The configuration of a native sampler, in its own words. */
export interface SamplerConfig {
  readonly temperature: number;
  readonly minP: number;
  readonly topK: number;
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

/** Window of the native penalties when fewer tokens are given: it must hold the tokens to come. */
const LEAST_PENALTY_WINDOW = 64;

/** How the next token of a generation is to be drawn. */
export function samplerConfig({
  options,
  promptTokens,
  generated,
}: SamplingContext): SamplerConfig {
  const { temperature, minP, topK, topP, seed, penalties } = options;
  const biases = activeBiases(options, generated.length);
  const punished = penalties && penalisedTokens(penalties, promptTokens, generated);
  return {
    temperature,
    minP,
    topK,
    topP,
    seed,
    ...(penalties === undefined || punished === undefined
      ? {}
      : {
          repeatPenaltyTokens: Uint32Array.from(punished),
          repeatPenaltyMaxTokens: Math.max(LEAST_PENALTY_WINDOW, punished.length),
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

/** Whether the configuration depends on what has been generated. */
export function variesBetweenTokens({ penalties, forbiddenUntil }: SamplingOptions): boolean {
  return penalties !== undefined || (forbiddenUntil > 0 && Number.isFinite(forbiddenUntil));
}
