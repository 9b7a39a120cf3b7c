import type {
  DryParameters,
  SamplingParameters,
  StoppingParameters,
  XtcParameters,
} from "../../core/generation-request.js";
import { restrictTo } from "./samplers.js";
import type { SamplingFields, StoppingFields } from "./sampling-schema.js";

/** llama-server's value for as many tokens as fit, or as there are. */
const NO_LIMIT = -1;
/** OpenAI's minimum logit bias: the token is banned. */
export const BANNING_BIAS = -100;
/** llama-server replaces smaller bases with its default. */
const MIN_DRY_BASE = 1;

/** How a request's tokens are drawn. */
export function toSampling(body: SamplingFields): SamplingParameters {
  const sampling = {
    temperature: body.temperature,
    topP: body.top_p,
    topK: body.top_k === undefined ? undefined : Math.max(body.top_k, 0),
    minP: body.min_p,
    seed: body.seed,
    presencePenalty: body.presence_penalty,
    frequencyPenalty: body.frequency_penalty,
    repetitionPenalty: body.repetition_penalty ?? body.repeat_penalty,
    penaltyWindow: toWindow(body.repeat_last_n),
    dry: toDry(body),
    xtc: toXtc(body),
    logitBias: body.logit_bias === undefined ? undefined : toLogitBias(body.logit_bias),
  };
  return body.samplers === undefined ? sampling : restrictTo(body.samplers, sampling);
}

/**
 * When a request's generation ends.
 * @param defaultLimit tokens of a request without a limit; -1 for as many as fit
 */
export function toStopping(body: StoppingFields, defaultLimit = NO_LIMIT): StoppingParameters {
  const limit = body.max_completion_tokens ?? body.max_tokens ?? body.n_predict ?? defaultLimit;
  return {
    maxTokens: limit === NO_LIMIT ? undefined : limit,
    minTokens: body.min_tokens ?? 0,
    stop: typeof body.stop === "string" ? [body.stop] : (body.stop ?? []),
    stopTokens: body.stop_token_ids,
    ignoreEos: body.ignore_eos ?? false,
  };
}

function toDry(body: SamplingFields): DryParameters | undefined {
  const { dry_multiplier: multiplier = 0, dry_base: base = 0 } = body;
  if (multiplier === 0) return undefined;
  return {
    multiplier,
    base: base < MIN_DRY_BASE ? undefined : base,
    allowedLength: body.dry_allowed_length,
    window: toWindow(body.dry_penalty_last_n),
    sequenceBreakers: body.dry_sequence_breakers,
  };
}

function toXtc(body: SamplingFields): XtcParameters | undefined {
  const { xtc_probability: probability = 0, xtc_threshold: threshold } = body;
  return probability === 0 ? undefined : { probability, threshold };
}

function toWindow(lastTokens: number | undefined): number | undefined {
  return lastTokens === NO_LIMIT ? Number.POSITIVE_INFINITY : lastTokens;
}

function toLogitBias(biases: Readonly<Record<string, number>>): ReadonlyMap<number, number> {
  return new Map(
    Object.entries(biases).map(([token, bias]) => [
      Number(token),
      bias <= BANNING_BIAS ? Number.NEGATIVE_INFINITY : bias,
    ]),
  );
}
