import assert from "node:assert/strict";
import type {
  DryParameters,
  DynamicTemperature,
  MirostatParameters,
  SamplingDefaults,
  SamplingParameters,
  StoppingParameters,
  XtcParameters,
} from "../../core/generation-request.js";
import { SAMPLERS, type SamplerName } from "../../core/samplers.js";
import { restricted, withDefaults } from "./sampling-defaults.js";

/** How the tokens of one generation are sampled, resolved to definite values. */
export interface SamplingOptions {
  readonly temperature: number;
  readonly topP: number;
  readonly topK: number;
  readonly minP: number;
  readonly seed: number;
  readonly penalties: Penalties | undefined;
  readonly dry: DryOptions | undefined;
  readonly xtc: Required<XtcParameters> | undefined;
  readonly typicalP: number;
  readonly topNSigma: number;
  readonly dynamicTemperature: Required<DynamicTemperature> | undefined;
  readonly mirostat: MirostatOptions | undefined;
  readonly adaptiveP: { readonly target: number; readonly decay: number } | undefined;
  readonly minKeep: number;
  /** Samplers that are not among them are off. */
  readonly samplers: readonly SamplerName[];
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

/** See `DryParameters`; all values are definite. */
export interface DryOptions {
  readonly multiplier: number;
  readonly base: number;
  readonly allowedLength: number;
  readonly window: number;
  readonly breakers: SequenceBreakers;
}

/** See `MirostatParameters`; all values are definite. */
export interface MirostatOptions {
  readonly version: 1 | 2;
  readonly tau: number;
  readonly eta: number;
}

/** Tokens that are forbidden until so many tokens have been generated. */
export interface ForbiddenTokens {
  readonly tokens: ReadonlySet<number>;
  readonly until: number;
}

/** llama.cpp's defaults: apply when neither the request nor the model specifies a value. */
export const DEFAULT_SAMPLING = { temperature: 0.8, topK: 40, topP: 0.95, minP: 0.05 } as const;

/** llama.cpp's defaults for requests that turn DRY on. */
export const DEFAULT_DRY = {
  base: 1.75,
  allowedLength: 2,
  window: 64,
  sequenceBreakers: ["\n", ":", '"', "*"],
} as const;

/** llama.cpp's default for requests that turn XTC on. */
const DEFAULT_XTC_THRESHOLD = 0.1;

/** llama.cpp's defaults for requests that turn these samplers on. */
const DEFAULT_DYNAMIC_TEMPERATURE = { exponent: 1 } as const;
const DEFAULT_MIROSTAT = { tau: 5, eta: 0.1 } as const;
const DEFAULT_ADAPTIVE_P = { target: -1, decay: 0.9 } as const;

/** Two tokens cannot both be more likely than this. */
const XTC_THRESHOLD_MAX = 0.5;

/** Tokens that a repetition penalty looks back at: llama.cpp's default. */
const REPETITION_WINDOW_TOKENS = 64;

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
  const sampling = restricted(withDefaults(requested, defaults));
  return {
    temperature: sampling.temperature ?? DEFAULT_SAMPLING.temperature,
    topP: sampling.topP ?? DEFAULT_SAMPLING.topP,
    topK: sampling.topK ?? DEFAULT_SAMPLING.topK,
    minP: sampling.minP ?? DEFAULT_SAMPLING.minP,
    seed: normaliseSeed(normaliseSeed(requested.seed ?? fallbackSeed) + choice),
    penalties: resolvePenalties(sampling),
    dry: sampling.dry && resolveDry(sampling.dry, breakersIn),
    xtc: sampling.xtc && resolveXtc(sampling.xtc),
    typicalP: sampling.typicalP ?? 1,
    topNSigma: sampling.topNSigma ?? 0,
    dynamicTemperature: sampling.dynamicTemperature && resolveDynamic(sampling.dynamicTemperature),
    mirostat: sampling.mirostat && resolveMirostat(sampling.mirostat),
    adaptiveP: resolveAdaptiveP(sampling),
    minKeep: sampling.minKeep ?? 0,
    samplers: (sampling.samplers ?? SAMPLERS).filter((name) => name !== "adaptive_p"),
    logitBias: requested.logitBias ?? new Map(),
    forbidden: forbiddenTokens(stopping, endOfGeneration),
  };
}

/**
 * Presence and frequency penalties count the generated tokens, as OpenAI defines them. A repetition
 * penalty looks at the last 64 tokens including the prompt, as in llama.cpp, and then all three share
 * that window; and so do they in a window that the request specifies.
 */
function resolvePenalties(sampling: SamplingParameters): Penalties | undefined {
  const {
    repetitionPenalty: repetition = 1,
    presencePenalty: presence = 0,
    frequencyPenalty: frequency = 0,
    penaltyWindow,
  } = sampling;
  const isPenalised = repetition !== 1 || presence !== 0 || frequency !== 0;
  if (!isPenalised || penaltyWindow === 0) return undefined;
  const ownWindow = repetition === 1 ? "generated" : REPETITION_WINDOW_TOKENS;
  return { repetition, presence, frequency, window: penaltyWindow ?? ownWindow };
}

function resolveDry(
  dry: DryParameters,
  breakersIn: (texts: readonly string[]) => SequenceBreakers,
): DryOptions | undefined {
  const { multiplier = 0, base = DEFAULT_DRY.base } = dry;
  const { allowedLength = DEFAULT_DRY.allowedLength, window = DEFAULT_DRY.window } = dry;
  if (multiplier === 0 || window === 0) return undefined;
  const breakers = breakersIn(dry.sequenceBreakers ?? DEFAULT_DRY.sequenceBreakers);
  return { multiplier, base, allowedLength, window, breakers };
}

function resolveXtc({
  probability = 0,
  threshold = DEFAULT_XTC_THRESHOLD,
}: XtcParameters): SamplingOptions["xtc"] {
  return probability > 0 && threshold <= XTC_THRESHOLD_MAX ? { probability, threshold } : undefined;
}

function resolveDynamic({
  range = 0,
  exponent = DEFAULT_DYNAMIC_TEMPERATURE.exponent,
}: DynamicTemperature): SamplingOptions["dynamicTemperature"] {
  return range > 0 ? { range, exponent } : undefined;
}

function resolveMirostat({
  version = 0,
  tau = DEFAULT_MIROSTAT.tau,
  eta = DEFAULT_MIROSTAT.eta,
}: MirostatParameters): SamplingOptions["mirostat"] {
  return version === 0 ? undefined : { version, tau, eta };
}

function resolveAdaptiveP({ samplers, adaptiveP = {} }: SamplingParameters) {
  const { target = DEFAULT_ADAPTIVE_P.target, decay = DEFAULT_ADAPTIVE_P.decay } = adaptiveP;
  return samplers?.includes("adaptive_p") ? { target, decay } : undefined;
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
  temperature: 0,
  topK: 0,
  topP: 1,
  minP: 0,
  seed: 0,
  penalties: undefined,
  dry: undefined,
  xtc: undefined,
  typicalP: 1,
  topNSigma: 0,
  dynamicTemperature: undefined,
  mirostat: undefined,
  adaptiveP: undefined,
  minKeep: 0,
  samplers: SAMPLERS,
  logitBias: new Map(),
  forbidden: [],
};
