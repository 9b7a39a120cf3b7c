import type { GenerationDefaults, SamplingDefaults } from "../../../core/generation-request.js";
import type { NamedSampler } from "../../../core/samplers.js";

/** llama-server's values for as many tokens as fit, and for a window of all tokens. */
const NO_LIMIT = -1;

const windowOf = (tokens: number | undefined) =>
  tokens === Number.POSITIVE_INFINITY ? NO_LIMIT : tokens;

/** Sampling parameters by llama-server's names. */
export interface NativeSampling {
  readonly temperature?: number;
  readonly top_k?: number;
  readonly top_p?: number;
  readonly min_p?: number;
  readonly typical_p?: number;
  readonly top_n_sigma?: number;
  readonly repeat_penalty?: number;
  readonly repeat_last_n?: number;
  readonly presence_penalty?: number;
  readonly frequency_penalty?: number;
  readonly dry_multiplier?: number;
  readonly dry_base?: number;
  readonly dry_allowed_length?: number;
  readonly dry_penalty_last_n?: number;
  readonly xtc_probability?: number;
  readonly xtc_threshold?: number;
  readonly dynatemp_range?: number;
  readonly dynatemp_exponent?: number;
  readonly mirostat?: 0 | 1 | 2;
  readonly mirostat_tau?: number;
  readonly mirostat_eta?: number;
  readonly adaptive_target?: number;
  readonly adaptive_decay?: number;
  readonly samplers?: NamedSampler[];
}

/** What holds where a request says nothing, in llama-server's words; what the model has no default for is absent. */
export function toNativeSampling(sampling: SamplingDefaults): NativeSampling {
  const { dry, xtc, dynamicTemperature, mirostat, adaptiveP, samplers } = sampling;
  const fields: NativeSampling = {
    temperature: sampling.temperature,
    top_k: sampling.topK,
    top_p: sampling.topP,
    min_p: sampling.minP,
    typical_p: sampling.typicalP,
    top_n_sigma: sampling.topNSigma,
    repeat_penalty: sampling.repetitionPenalty,
    repeat_last_n: windowOf(sampling.penaltyWindow),
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    dry_multiplier: dry?.multiplier,
    dry_base: dry?.base,
    dry_allowed_length: dry?.allowedLength,
    dry_penalty_last_n: windowOf(dry?.window),
    xtc_probability: xtc?.probability,
    xtc_threshold: xtc?.threshold,
    dynatemp_range: dynamicTemperature?.range,
    dynatemp_exponent: dynamicTemperature?.exponent,
    mirostat: mirostat?.version,
    mirostat_tau: mirostat?.tau,
    mirostat_eta: mirostat?.eta,
    adaptive_target: adaptiveP?.target,
    adaptive_decay: adaptiveP?.decay,
    samplers: samplers && [...samplers],
  };
  return withoutAbsent(fields);
}

/** The same, with the longest answer. */
export function toNativeDefaults({ sampling, maxTokens = NO_LIMIT }: GenerationDefaults) {
  return { ...toNativeSampling(sampling), max_tokens: maxTokens, n_predict: maxTokens };
}

/** Fields that have values. */
export function withoutAbsent<Fields extends object>(fields: Fields): Fields {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Fields;
}
