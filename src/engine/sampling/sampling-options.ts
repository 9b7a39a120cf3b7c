import assert from "node:assert/strict";
import type { SamplingParameters, StoppingParameters } from "../../core/generation-request.js";
import {
  type ResolvedSampling,
  type SamplingDefaults,
  samplingDefaults,
  withDefaults,
} from "../../core/sampling-table.js";

/** Sampling parameters of one generation, all resolved to values. */
export interface SamplingOptions extends ResolvedSampling {
  readonly seed: number;
  /** `undefined` without penalties. */
  readonly penalties: Penalties | undefined;
  /** Sequence breakers of DRY; `undefined` if DRY is off. */
  readonly breakers: SequenceBreakers | undefined;
  readonly logitBias: ReadonlyMap<number, number>;
  readonly forbidden: readonly ForbiddenTokens[];
}

/** Penalties for tokens that already occur in the text. */
export interface Penalties {
  readonly repetition: number;
  readonly presence: number;
  readonly frequency: number;
  /**
   * Tokens that are penalised: all generated ones, or a number of last ones, including the prompt.
   */
  readonly window: "generated" | number;
}

/**
 * Occurrences of sequence breakers in a text's tokens: for each token in which one begins, the
 * token sequences that complete it. A token that contains a whole breaker has the empty sequence.
 */
export type SequenceBreakers = ReadonlyMap<number, readonly (readonly number[])[]>;

/** Tokens that are forbidden until a number of tokens has been generated. */
export interface ForbiddenTokens {
  readonly tokens: ReadonlySet<number>;
  readonly until: number;
}

/** llama.cpp replaces this seed with a random one. */
const RANDOM_SEED = 0xffff_ffff;
const SEEDS = 2 ** 32;

/** Maps an integer to a fixed 32-bit seed of the native sampler. */
export function normaliseSeed(seed: number): number {
  const wrapped = ((seed % SEEDS) + SEEDS) % SEEDS;
  return wrapped === RANDOM_SEED ? RANDOM_SEED - 1 : wrapped;
}

/**
 * Completes a request's sampling parameters with the model's defaults, then with llama.cpp's.
 * @param fallbackSeed used if the request has no seed
 * @param choice index among the choices of the request, each of which has its own seed
 * @param breakersIn finds texts in the tokens of the model's vocabulary
 */
export function resolveSampling({
  sampling: requested,
  stopping,
  defaults,
  endOfGeneration,
  fallbackSeed,
  choice = 0,
  breakersIn,
}: {
  readonly sampling: SamplingParameters;
  readonly stopping: StoppingParameters;
  readonly defaults: SamplingDefaults;
  readonly endOfGeneration: ReadonlySet<number>;
  readonly fallbackSeed: number;
  readonly choice?: number | undefined;
  readonly breakersIn: (texts: readonly string[]) => SequenceBreakers;
}): SamplingOptions {
  assert(Number.isInteger(choice) && choice >= 0, `invalid choice index: ${choice}`);
  const { seed = fallbackSeed, logitBias = new Map(), ...requestParameters } = requested;
  const mergedParameters = withDefaults(requestParameters, defaults);
  const sampling: ResolvedSampling = {
    ...samplingDefaults,
    ...mergedParameters,
  } as ResolvedSampling;
  return {
    ...sampling,
    dryBase: sampling.dryBase < MIN_DRY_BASE ? samplingDefaults.dryBase : sampling.dryBase,
    seed: normaliseSeed(normaliseSeed(seed) + choice),
    penalties: resolvePenalties(sampling, mergedParameters.repeatLastN),
    breakers:
      sampling.dryMultiplier === 0 ||
      sampling.dryPenaltyLastN === 0 ||
      !sampling.samplers.includes("dry")
        ? undefined
        : breakersIn(sampling.drySequenceBreakers),
    logitBias,
    forbidden: buildForbiddenTokens(stopping, endOfGeneration),
  };
}

/** llama-server replaces smaller bases with its default. */
const MIN_DRY_BASE = 1;

/** llama.cpp's value for a window of all tokens. */
const ALL_TOKENS = -1;

/** Returns the window in tokens, which may be infinite. */
export function toWindowTokens(lastN: number): number {
  return lastN === ALL_TOKENS ? Number.POSITIVE_INFINITY : lastN;
}

/**
 * Resolves the penalties. Presence and frequency penalties count the generated tokens, as OpenAI
 * defines them. With a repetition penalty, or a window given by the request or the model, all three
 * share the window: by default the last 64 tokens including the prompt, as in llama.cpp.
 * @param lastN window given by the request or the model
 */
function resolvePenalties(
  { repeatPenalty, presencePenalty, frequencyPenalty, repeatLastN }: ResolvedSampling,
  lastN: number | undefined,
): Penalties | undefined {
  const isPenalised = repeatPenalty !== 1 || presencePenalty !== 0 || frequencyPenalty !== 0;
  if (!isPenalised || lastN === 0) return undefined;
  const isOpenAi = lastN === undefined && repeatPenalty === 1;
  return {
    repetition: repeatPenalty,
    presence: presencePenalty,
    frequency: frequencyPenalty,
    window: isOpenAi ? "generated" : toWindowTokens(repeatLastN),
  };
}

function buildForbiddenTokens(
  { ignoreEos, minTokens, stopTokens = [] }: StoppingParameters,
  endOfGeneration: ReadonlySet<number>,
): readonly ForbiddenTokens[] {
  return [
    { tokens: endOfGeneration, until: ignoreEos ? Number.POSITIVE_INFINITY : minTokens },
    { tokens: new Set(stopTokens), until: minTokens },
  ].filter(({ tokens, until }) => tokens.size > 0 && until > 0);
}

export const greedySampling: SamplingOptions = {
  ...samplingDefaults,
  temperature: 0,
  topK: 0,
  topP: 1,
  minP: 0,
  seed: 0,
  penalties: undefined,
  breakers: undefined,
  logitBias: new Map(),
  forbidden: [],
};
