import { z } from "zod";
import { boundedArray, boundedRecord } from "../../validation/bounded-collections.js";
import {
  integerBetween,
  nonEmptyText,
  numberBetween,
  text,
  trueOrFalse,
} from "../../validation/fields.js";
import { SAMPLERS } from "./samplers.js";

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

/** When a completion ends. Made anew for each request: a description belongs to one place. */
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

const repetitionPenalty = numberBetween(0.01, 10);
/** A number of last tokens, as in llama.cpp. */
const window = integerBetween(-1, UNBOUNDED);

export type StoppingFields = z.output<z.ZodObject<ReturnType<typeof stoppingFields>>>;

/** How tokens are drawn. Made anew for each request. */
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
  samplers: samplers.optional().meta({
    description: `The samplers that are used, in this order: ${SAMPLERS.join(", ")}; or their letters.`,
  }),
  logit_bias: logitBias.optional().meta({
    description: "Token ids and the bias that is added to their logits; -100 bans the token.",
  }),
});

export type SamplingFields = z.output<z.ZodObject<ReturnType<typeof samplingFields>>>;
