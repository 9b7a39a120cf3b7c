import { SAMPLERS } from "../../core/samplers.js";
import { activeBiases, penalisedTokens } from "../sampling/penalties.js";
import type { Penalties, SamplingOptions } from "../sampling/sampling-options.js";
import type { SamplingContext } from "./token-context.js";

/** The configuration of node-llama-cpp's `AddonSampler`. */
export interface SamplerConfig {
  readonly temperature: number;
  readonly minP: number;
  /** Absent: no limit. Zero means the same, but makes the native sampler sort the vocabulary. */
  readonly topK?: number;
  readonly topP: number;
  readonly seed: number;
  readonly xtcProbability?: number;
  readonly xtcThreshold?: number;
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

/**
 * Draws the most likely of the tokens that are left, which at 0 the native sampler does without top-k,
 * top-p and min-p: XTC would see other probabilities than in llama.cpp.
 */
const GREEDY_TEMPERATURE = 1e-6;

/** The configuration for sampling the next token of a generation. */
export function samplerConfig({
  options,
  promptTokens,
  generated,
}: SamplingContext): SamplerConfig {
  const { temperature, minP, topK, topP, seed, penalties, xtc } = options;
  const biases = activeBiases(options, promptTokens, generated);
  return {
    temperature: xtc === undefined ? temperature : Math.max(temperature, GREEDY_TEMPERATURE),
    minP,
    ...(topK > 0 && { topK }),
    topP,
    seed,
    ...(xtc && { xtcProbability: xtc.probability, xtcThreshold: xtc.threshold }),
    ...(penalties && penaltyConfig(penalties, penalisedTokens(penalties, promptTokens, generated))),
    ...(biases.size > 0 && {
      tokenBiasKeys: Uint32Array.from(biases.keys()),
      tokenBiasValues: Float32Array.from(biases.values()),
    }),
  };
}

function penaltyConfig({ repetition, presence, frequency, window }: Penalties, tokens: number[]) {
  const limit = window === "generated" ? Number.POSITIVE_INFINITY : window;
  return {
    repeatPenaltyTokens: Uint32Array.from(tokens),
    repeatPenaltyMaxTokens: Math.min(limit, capacityFor(tokens.length)),
    repeatPenalty: repetition,
    repeatPenaltyPresencePenalty: presence,
    repeatPenaltyFrequencyPenalty: frequency,
  };
}

/**
 * Capacity of the penalty window for so many tokens: it grows by doubling, because the native sampler
 * is rebuilt, token by token, whenever it changes.
 */
function capacityFor(tokens: number): number {
  return Math.max(MIN_PENALTY_WINDOW_TOKENS, 2 ** Math.ceil(Math.log2(Math.max(1, tokens))));
}

/**
 * What the binding's chain cannot do; without it, samplers that the request leaves out change nothing.
 * @returns the names of such parameters
 */
export function beyondBinding(options: SamplingOptions): readonly string[] {
  const { typicalP, topNSigma, dynamicTemperature, mirostat, adaptiveP, minKeep, samplers } =
    options;
  const isInOrder = samplers.every(
    (name, index) =>
      index === 0 || SAMPLERS.indexOf(name) > SAMPLERS.indexOf(samplers[index - 1] ?? name),
  );
  const needed: Readonly<Record<string, boolean>> = {
    typical_p: typicalP < 1,
    top_n_sigma: topNSigma > 0,
    dynatemp_range: dynamicTemperature !== undefined,
    mirostat: mirostat !== undefined,
    // Without a target it draws from the distribution, as the binding does.
    adaptive_target: adaptiveP !== undefined && adaptiveP.target >= 0,
    min_keep: minKeep > 1,
    samplers: !isInOrder,
  };
  return Object.keys(needed).filter((name) => needed[name]);
}

/** Whether the most likely token is taken, and no chance decides. */
export function isGreedy({ temperature, xtc }: SamplingOptions): boolean {
  return temperature === 0 && xtc === undefined;
}

/** Whether the configuration depends on the tokens generated so far. */
export function variesBetweenTokens({ penalties, dry, forbidden }: SamplingOptions): boolean {
  const isTemporary = forbidden.some(({ until }) => Number.isFinite(until));
  return penalties !== undefined || dry !== undefined || isTemporary;
}

/**
 * A configuration that also forbids the tokens that are not allowed.
 * @param allowed a bit for each token of the vocabulary, lowest first
 */
export function withForbidden(config: SamplerConfig, allowed: Uint32Array): SamplerConfig {
  const forbidden: number[] = [];
  for (const [word, bits] of allowed.entries()) {
    for (let bit = 0; bit < 32; bit++)
      if (((bits >>> bit) & 1) === 0) forbidden.push(word * 32 + bit);
  }
  const { tokenBiasKeys = [], tokenBiasValues = [] } = config;
  return {
    ...config,
    tokenBiasKeys: Uint32Array.from([...tokenBiasKeys, ...forbidden]),
    tokenBiasValues: Float32Array.from([
      ...tokenBiasValues,
      ...forbidden.map(() => Number.NEGATIVE_INFINITY),
    ]),
  };
}
