import assert from "node:assert/strict";
import type { SamplingParameters, StoppingParameters } from "../../core/generation-request.js";
import {
  type ResolvedSampling,
  type SamplingDefaults,
  samplingDefaults,
  withDefaults,
} from "../../core/sampling-table.js";

/** How the tokens of one generation are sampled, resolved to definite values. */
export interface SamplingOptions extends ResolvedSampling {
  readonly seed: number;
  /** `undefined`: nothing is penalised. */
  readonly penalties: Penalties | undefined;
  /** Of DRY; `undefined`: it is off. */
  readonly breakers: SequenceBreakers | undefined;
  readonly logitBias: ReadonlyMap<number, number>;
  readonly forbidden: readonly ForbiddenTokens[];
}

/** Penalties on the tokens that a text has already. */
export interface Penalties {
  readonly repetition: number;
  readonly presence: number;
  readonly frequency: number;
  /** The tokens that count: all generated ones, or so many last ones, prompt included. */
  readonly window: "generated" | number;
}

/**
 * Where sequence breakers occur in a text's tokens: for each token in which one begins, the sequences
 * of tokens that complete one. A token that contains one has the empty sequence.
 */
export type SequenceBreakers = ReadonlyMap<number, readonly (readonly number[])[]>;

/** Tokens that are forbidden until so many tokens have been generated. */
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
 * Completes a request's sampling parameters: from the model's defaults, then from llama.cpp's.
 * @param fallbackSeed used when the request has no seed
 * @param choice position among the choices of the request, each of which has a seed of its own
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
  assert(Number.isInteger(choice) && choice >= 0, `a choice has the position ${choice}`);
  const { seed = fallbackSeed, logitBias = new Map(), ...given } = requested;
  const said = withDefaults(given, defaults);
  const sampling: ResolvedSampling = { ...samplingDefaults, ...said } as ResolvedSampling;
  return {
    ...sampling,
    dryBase: sampling.dryBase < MIN_DRY_BASE ? samplingDefaults.dryBase : sampling.dryBase,
    seed: normaliseSeed(normaliseSeed(seed) + choice),
    penalties: resolvePenalties(sampling, said.repeatLastN),
    breakers:
      sampling.dryMultiplier === 0 ||
      sampling.dryPenaltyLastN === 0 ||
      !sampling.samplers.includes("dry")
        ? undefined
        : breakersIn(sampling.drySequenceBreakers),
    logitBias,
    forbidden: forbiddenTokens(stopping, endOfGeneration),
  };
}

/** llama-server replaces smaller bases with its default. */
const MIN_DRY_BASE = 1;

/** llama.cpp's value for a window of all tokens. */
const ALL_TOKENS = -1;

/** The number of last tokens that a parameter names, which may be infinite. */
export function windowTokens(lastN: number): number {
  return lastN === ALL_TOKENS ? Number.POSITIVE_INFINITY : lastN;
}

/**
 * Presence and frequency penalties count the generated tokens, as OpenAI defines them. A repetition
 * penalty looks at the last 64 tokens including the prompt, as in llama.cpp, and then all three share
 * that window; and so do they in a window that the request specifies.
 * @param lastN that request or model specify
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
    window: isOpenAi ? "generated" : windowTokens(repeatLastN),
  };
}

function forbiddenTokens(
  { ignoreEos, minTokens, stopTokens = [] }: StoppingParameters,
  endOfGeneration: ReadonlySet<number>,
): readonly ForbiddenTokens[] {
  return [
    { tokens: endOfGeneration, until: ignoreEos ? Number.POSITIVE_INFINITY : minTokens },
    { tokens: new Set(stopTokens), until: minTokens },
  ].filter(({ tokens, until }) => tokens.size > 0 && until > 0);
}

/** Greedy decoding. */
export const greedy: SamplingOptions = {
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
