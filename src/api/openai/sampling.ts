import { z } from "zod";
import type {
  AdaptivePParameters,
  DryParameters,
  DynamicTemperature,
  MirostatParameters,
  SamplingParameters,
  StoppingParameters,
  XtcParameters,
} from "../../core/generation-request.js";
import { NAMED_SAMPLERS } from "../../core/samplers.js";
import { boundedArray, boundedRecord } from "../../validation/bounded-collections.js";
import {
  integerBetween,
  nonEmptyText,
  numberBetween,
  text,
  trueOrFalse,
} from "../../validation/fields.js";
import { toSamplers } from "./named-samplers.js";

const UNBOUNDED = Number.POSITIVE_INFINITY;

/** Bounds of collections: far above what clients send, and validated within milliseconds. */
const MAX_STOP_TOKENS = 1_000;

const MAX_SAMPLERS = 100;

/** Every breaker is searched for in the whole vocabulary. */
const MAX_SEQUENCE_BREAKERS = 16;

/** The length at which llama.cpp truncates breakers, in characters. */
const MAX_BREAKER_LENGTH = 40;

const completionLimitError = "expected a positive integer, or -1 for as many as fit";

const completionLimit = z
  .int({ error: completionLimitError })
  .min(-1, { error: completionLimitError })
  .refine((limit) => limit !== 0, { error: completionLimitError })
  .meta({
    not: { const: 0 },
    description: "Maximum number of tokens to generate; -1 for as many as fit.",
  });

const stop = z.union([nonEmptyText(), z.array(nonEmptyText()).max(4)], {
  error: "expected a non-empty string or up to 4 of them",
});

/** When a completion ends. Made anew for each schema: a description belongs to one place. */
export const stoppingFields = () => ({
  max_tokens: completionLimit.optional(),
  max_completion_tokens: completionLimit.optional(),
  n_predict: completionLimit.optional(),
  min_tokens: integerBetween(0, UNBOUNDED).optional().meta({
    description:
      "Minimum number of tokens before the model or a stop string can end the completion.",
  }),
  stop: stop
    .optional()
    .meta({ description: "Stop sequences, which are not part of the completion." }),
  stop_token_ids: boundedArray(
    z.array(integerBetween(0, UNBOUNDED), { error: "expected an array of token ids" }),
    { max: MAX_STOP_TOKENS, of: "token ids" },
  )
    .optional()
    .meta({ description: "Tokens that end the completion and are not part of it." }),
  ignore_eos: trueOrFalse()
    .optional()
    .meta({ description: "true: the model cannot end the completion." }),
});

export const MAX_LOGIT_BIASES = 10_000;

/** Token ids and their biases. */
export const logitBias = boundedRecord(
  z.record(z.string().regex(/^\d+$/), numberBetween(-100, 100), {
    error: ({ code }) =>
      code === "invalid_key"
        ? "expected token ids as keys"
        : "expected an object of token ids and biases",
  }),
  { max: MAX_LOGIT_BIASES, of: "token ids" },
);

const breakerError = `expected a string of 1 to ${MAX_BREAKER_LENGTH} characters`;

const sequenceBreakers = boundedArray(
  z.array(
    z
      .string({ error: breakerError })
      .min(1, { error: breakerError })
      .max(MAX_BREAKER_LENGTH, { error: breakerError }),
    { error: "expected an array of strings" },
  ),
  { max: MAX_SEQUENCE_BREAKERS, of: "sequence breakers" },
);

const samplersError = `expected at most ${MAX_SAMPLERS} samplers' names, or their letters`;

const samplers = z.union(
  [
    boundedArray(z.array(text()), { max: MAX_SAMPLERS, of: "samplers" }),
    z.string().max(MAX_SAMPLERS, { error: samplersError }),
  ],
  { error: samplersError },
);

const mirostat = z.literal([0, 1, 2], { error: "expected 0, 1 or 2" });

const repetitionPenalty = numberBetween(0.01, 10);

/** A number of last tokens, as in llama.cpp. */
const window = integerBetween(-1, UNBOUNDED);

type StoppingFields = z.output<z.ZodObject<ReturnType<typeof stoppingFields>>>;

/** How tokens are drawn. Made anew for each schema. */
export const samplingFields = () => ({
  temperature: numberBetween(0, 2).optional().meta({ description: "0: greedy sampling." }),
  top_p: numberBetween(0, 1).optional(),
  top_k: integerBetween(-1, UNBOUNDED).optional().meta({ description: "-1 and 0: no limit." }),
  min_p: numberBetween(0, 1).optional(),
  seed: integerBetween(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER).optional().meta({
    description: "The same model, prompt, parameters and seed give the same completion.",
  }),
  presence_penalty: numberBetween(-2, 2).optional(),
  frequency_penalty: numberBetween(-2, 2).optional(),
  repetition_penalty: repetitionPenalty.optional(),
  repeat_penalty: repetitionPenalty
    .optional()
    .meta({ description: "llama.cpp's name of `repetition_penalty`, which takes precedence." }),
  repeat_last_n: window.optional().meta({
    description:
      "Number of last tokens, prompt included, that the penalties apply to; 0: none, -1: all.",
  }),
  dry_multiplier: numberBetween(0, UNBOUNDED).optional().meta({
    description:
      "DRY: a token that continues a repetition of n tokens loses multiplier × base^(n − allowed length) of its logit. 0: off.",
  }),
  dry_base: numberBetween(0, UNBOUNDED)
    .optional()
    .meta({ description: "Below 1: the default, 1.75." }),
  dry_allowed_length: integerBetween(0, UNBOUNDED).optional(),
  dry_penalty_last_n: window.optional().meta({
    description:
      "Number of last tokens, prompt included, that are searched for repetitions; 0: none, -1: all.",
  }),
  dry_sequence_breakers: sequenceBreakers
    .optional()
    .meta({ description: "Texts that end a repetition." }),
  xtc_probability: numberBetween(0, 1).optional().meta({
    description:
      "XTC: probability that, of the tokens that are as likely as the threshold, only the least likely one is kept. 0: off.",
  }),
  xtc_threshold: numberBetween(0, 1).optional().meta({ description: "Above 0.5: off." }),
  typical_p: numberBetween(0, UNBOUNDED).optional().meta({
    description:
      "Locally typical sampling: cumulative probability of the tokens that are kept, those whose information is nearest to the expected one first. From 1 on: off.",
  }),
  top_n_sigma: numberBetween(-UNBOUNDED, UNBOUNDED).optional().meta({
    description:
      "Tokens are kept whose logits are at most so many standard deviations below the largest. Up to 0: off.",
  }),
  dynatemp_range: numberBetween(-UNBOUNDED, UNBOUNDED).optional().meta({
    description:
      "Dynamic temperature: how far it may be from `temperature`, by how sure the model is. Up to 0: off.",
  }),
  dynatemp_exponent: numberBetween(0, UNBOUNDED).optional().meta({
    description: "How entropy maps to the dynamic temperature. Default: 1.",
  }),
  mirostat: mirostat.optional().meta({
    description:
      "Version of Mirostat, which takes the place of all samplers but the temperature. 0: off.",
  }),
  mirostat_tau: numberBetween(0, UNBOUNDED).optional().meta({
    description: "The surprise that Mirostat aims at, in bits. Default: 5.",
  }),
  mirostat_eta: numberBetween(0, UNBOUNDED).optional().meta({
    description: "Mirostat's learning rate. Default: 0.1.",
  }),
  adaptive_target: numberBetween(-UNBOUNDED, 1).optional().meta({
    description:
      "The probability near which adaptive-p chooses tokens, if `samplers` names it. Negative, the default: off.",
  }),
  adaptive_decay: numberBetween(0, 0.99).optional().meta({
    description: "How slowly adaptive-p forgets. Default: 0.9.",
  }),
  min_keep: integerBetween(0, UNBOUNDED).optional().meta({
    description: "Number of tokens that top-p, min-p, typical-p and XTC keep at least.",
  }),
  samplers: samplers.optional().meta({
    description: `The samplers that are used, in their order, each at most once: ${NAMED_SAMPLERS.join(", ")}; or their letters. The others are off. Default: all but adaptive_p, in this order.`,
  }),
  logit_bias: logitBias.optional().meta({
    description: "Token ids and the bias that is added to their logits; -100 bans the token.",
  }),
});

type SamplingFields = z.output<z.ZodObject<ReturnType<typeof samplingFields>>>;

/** llama-server's value for as many tokens as fit, or for a window of all tokens. */
const NO_LIMIT = -1;

/** OpenAI's minimum logit bias: the token is banned. */
export const BANNING_BIAS = -100;

/** llama-server replaces smaller bases with its default. */
const MIN_DRY_BASE = 1;

/**
 * How a request's tokens are drawn.
 * @throws {GgufdError} `invalid_request`, see {@link toSamplers}
 */
export function toSampling(body: SamplingFields): SamplingParameters {
  return {
    temperature: body.temperature,
    topP: body.top_p,
    topK: body.top_k === undefined ? undefined : Math.max(body.top_k, 0),
    minP: body.min_p,
    seed: body.seed,
    presencePenalty: body.presence_penalty,
    frequencyPenalty: body.frequency_penalty,
    repetitionPenalty: body.repetition_penalty ?? body.repeat_penalty,
    penaltyWindow: toLimit(body.repeat_last_n),
    dry: toDry(body),
    xtc: toXtc(body),
    typicalP: body.typical_p === undefined ? undefined : Math.min(body.typical_p, 1),
    topNSigma: body.top_n_sigma,
    dynamicTemperature: toDynamicTemperature(body),
    mirostat: toMirostat(body),
    adaptiveP: toAdaptiveP(body),
    minKeep: body.min_keep,
    samplers: body.samplers === undefined ? undefined : toSamplers(body.samplers),
    logitBias: body.logit_bias === undefined ? undefined : toLogitBias(body.logit_bias),
  };
}

/**
 * When a request's generation ends.
 * @param usualMaxTokens where neither request nor model has a limit; absent: as many as fit
 */
export function toStopping(body: StoppingFields, usualMaxTokens?: number): StoppingParameters {
  return {
    maxTokens: toLimit(body.max_completion_tokens ?? body.max_tokens ?? body.n_predict),
    ...(usualMaxTokens !== undefined && { usualMaxTokens }),
    minTokens: body.min_tokens ?? 0,
    stop: typeof body.stop === "string" ? [body.stop] : (body.stop ?? []),
    stopTokens: body.stop_token_ids,
    ignoreEos: body.ignore_eos ?? false,
  };
}

/** A number of tokens, -1 as Infinity. */
export function toLimit(tokens: number | undefined): number | undefined {
  return tokens === NO_LIMIT ? Number.POSITIVE_INFINITY : tokens;
}

/** `undefined` where the client says nothing of a sampler: the model's defaults are for it then. */
function ifGiven<Fields extends object>(fields: Fields): Fields | undefined {
  return Object.values(fields).some((value) => value !== undefined) ? fields : undefined;
}

function toDry(body: SamplingFields): DryParameters | undefined {
  const { dry_base: base } = body;
  return ifGiven({
    multiplier: body.dry_multiplier,
    base: base === undefined || base < MIN_DRY_BASE ? undefined : base,
    allowedLength: body.dry_allowed_length,
    window: toLimit(body.dry_penalty_last_n),
    sequenceBreakers: body.dry_sequence_breakers,
  });
}

function toXtc(body: SamplingFields): XtcParameters | undefined {
  return ifGiven({ probability: body.xtc_probability, threshold: body.xtc_threshold });
}

function toDynamicTemperature(body: SamplingFields): DynamicTemperature | undefined {
  return ifGiven({ range: body.dynatemp_range, exponent: body.dynatemp_exponent });
}

function toMirostat(body: SamplingFields): MirostatParameters | undefined {
  const { mirostat: version, mirostat_tau: tau, mirostat_eta: eta } = body;
  return ifGiven({ version, tau, eta });
}

function toAdaptiveP(body: SamplingFields): AdaptivePParameters | undefined {
  return ifGiven({ target: body.adaptive_target, decay: body.adaptive_decay });
}

function toLogitBias(biases: Readonly<Record<string, number>>): ReadonlyMap<number, number> {
  return new Map(
    Object.entries(biases).map(([token, bias]) => [
      Number(token),
      bias <= BANNING_BIAS ? Number.NEGATIVE_INFINITY : bias,
    ]),
  );
}
