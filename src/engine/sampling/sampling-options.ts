import type { SamplingParameters, StoppingParameters } from "../../core/generation-request.js";

/** How one token after the other is sampled, in the words of the native library. */
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
  /** Tokens forbidden until `forbiddenUntil` tokens have been generated. */
  readonly forbidden: ReadonlySet<number>;
  readonly forbiddenUntil: number;
}

/** What applies when neither the request nor the model says anything: llama.cpp's defaults. */
export const DEFAULT_SAMPLING = { temperature: 0.8, topK: 40, topP: 0.95, minP: 0.05 } as const;

/** Sampling values that a GGUF file recommends (`general.sampling.*`). */
export type RecommendedSampling = Pick<
  SamplingParameters,
  "temperature" | "topK" | "topP" | "minP"
>;

/** llama.cpp draws a random seed for this one. */
const RANDOM_SEED = 0xffff_ffff;
const SEEDS = 2 ** 32;

/** The native sampler reads 32 bits; every integer maps to a fixed seed among them. */
export function normaliseSeed(seed: number): number {
  const wrapped = ((seed % SEEDS) + SEEDS) % SEEDS;
  return wrapped === RANDOM_SEED ? RANDOM_SEED - 1 : wrapped;
}

/**
 * Fills in what a request left open: first from the model's recommendation, then from llama.cpp's
 * defaults.
 * @param fallbackSeed used when the request names none.
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
  const penalised = repetitionPenalty !== 1 || presencePenalty !== 0 || frequencyPenalty !== 0;
  return {
    temperature: sampling.temperature ?? recommended.temperature ?? DEFAULT_SAMPLING.temperature,
    topP: sampling.topP ?? recommended.topP ?? DEFAULT_SAMPLING.topP,
    topK: sampling.topK ?? recommended.topK ?? DEFAULT_SAMPLING.topK,
    minP: sampling.minP ?? recommended.minP ?? DEFAULT_SAMPLING.minP,
    seed: normaliseSeed(sampling.seed ?? fallbackSeed),
    penalties: penalised
      ? { repetition: repetitionPenalty, presence: presencePenalty, frequency: frequencyPenalty }
      : undefined,
    logitBias: sampling.logitBias ?? new Map(),
    forbidden: endOfGeneration,
    forbiddenUntil: stopping.ignoreEos ? Number.POSITIVE_INFINITY : stopping.minTokens,
  };
}

/** Tokens of the prompt that the repetition penalty looks back at, as in llama.cpp. */
const PENALTY_WINDOW = 64;

/**
 * The tokens that penalties apply to. Presence and frequency count what has been generated, as
 * OpenAI defines them; a repetition penalty looks at the last 64 tokens, the prompt included, as
 * in llama.cpp, and then all three share that window.
 */
export function penalisedTokens(
  penalties: NonNullable<SamplingOptions["penalties"]>,
  promptTokens: readonly number[],
  generated: readonly number[],
): number[] {
  if (penalties.repetition === 1) return [...generated];
  const fromPrompt = PENALTY_WINDOW - generated.length;
  return fromPrompt > 0
    ? [...promptTokens.slice(-fromPrompt), ...generated]
    : generated.slice(-PENALTY_WINDOW);
}

/** Logit biases in force for the next token. */
export function activeBiases(
  { logitBias, forbidden, forbiddenUntil }: SamplingOptions,
  generatedCount: number,
): Map<number, number> {
  const biases = new Map(logitBias);
  if (generatedCount < forbiddenUntil) {
    for (const token of forbidden) biases.set(token, Number.NEGATIVE_INFINITY);
  }
  return biases;
}

/** The likeliest token, always. */
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
