import type { SamplingParameters, StoppingParameters } from "../../core/generation-request.js";

/** How the tokens of one generation are sampled, resolved to definite values. */
export interface SamplingOptions {
  readonly temperature: number;
  readonly topP: number;
  readonly topK: number;
  readonly minP: number;
  readonly seed: number;
  readonly penalties:
    | { readonly repetition: number; readonly presence: number; readonly frequency: number }
    | undefined;
  readonly logitBias: ReadonlyMap<number, number>;
  /** Tokens that are forbidden until `forbiddenUntil` tokens have been generated. */
  readonly forbidden: ReadonlySet<number>;
  readonly forbiddenUntil: number;
}

/** llama.cpp's defaults: apply when neither the request nor the model specifies a value. */
export const DEFAULT_SAMPLING = { temperature: 0.8, topK: 40, topP: 0.95, minP: 0.05 } as const;

/** Sampling values that a GGUF file recommends (`general.sampling.*`). */
export type RecommendedSampling = Pick<
  SamplingParameters,
  "temperature" | "topK" | "topP" | "minP"
>;

/** llama.cpp replaces this seed with a random one. */
const RANDOM_SEED = 0xffff_ffff;
const SEEDS = 2 ** 32;

/** Maps an integer to a fixed 32-bit seed of the native sampler. */
export function normaliseSeed(seed: number): number {
  const wrapped = ((seed % SEEDS) + SEEDS) % SEEDS;
  return wrapped === RANDOM_SEED ? RANDOM_SEED - 1 : wrapped;
}

/**
 * Completes a request's sampling parameters: from the model's recommendation, then from llama.cpp's
 * defaults.
 * @param fallbackSeed used when the request has no seed
 */
export function resolveSampling({
  sampling,
  stopping,
  recommended,
  endOfGeneration,
  fallbackSeed,
}: {
  readonly sampling: SamplingParameters;
  readonly stopping: StoppingParameters;
  readonly recommended: RecommendedSampling;
  readonly endOfGeneration: ReadonlySet<number>;
  readonly fallbackSeed: number;
}): SamplingOptions {
  const { repetitionPenalty = 1, presencePenalty = 0, frequencyPenalty = 0 } = sampling;
  const isPenalised = repetitionPenalty !== 1 || presencePenalty !== 0 || frequencyPenalty !== 0;
  return {
    temperature: sampling.temperature ?? recommended.temperature ?? DEFAULT_SAMPLING.temperature,
    topP: sampling.topP ?? recommended.topP ?? DEFAULT_SAMPLING.topP,
    topK: sampling.topK ?? recommended.topK ?? DEFAULT_SAMPLING.topK,
    minP: sampling.minP ?? recommended.minP ?? DEFAULT_SAMPLING.minP,
    seed: normaliseSeed(sampling.seed ?? fallbackSeed),
    penalties: isPenalised
      ? { repetition: repetitionPenalty, presence: presencePenalty, frequency: frequencyPenalty }
      : undefined,
    logitBias: sampling.logitBias ?? new Map(),
    forbidden: endOfGeneration,
    forbiddenUntil: stopping.ignoreEos ? Number.POSITIVE_INFINITY : stopping.minTokens,
  };
}

/** Greedy decoding. */
export const greedy: SamplingOptions = {
  temperature: 0,
  topK: 0,
  topP: 1,
  minP: 0,
  seed: 0,
  penalties: undefined,
  logitBias: new Map(),
  forbidden: new Set(),
  forbiddenUntil: 0,
};
