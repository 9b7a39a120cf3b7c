import { z } from "zod";
import type { SamplingParameters, StoppingParameters } from "../../core/generation-request.js";
import { NAMED_SAMPLERS } from "../../core/samplers.js";
import {
  readJsonValue,
  type SamplingDefaults,
  type SamplingName,
  type SamplingTable,
  type SamplingValue,
  samplingRows,
} from "../../core/sampling-table.js";
import { boundedArray, boundedRecord } from "../../validation/bounded-collections.js";
import {
  integerBetween,
  nonEmptyText,
  numberBetween,
  text,
  trueOrFalse,
} from "../../validation/fields.js";
import { describeSampling, samplingValue } from "../../validation/sampling-schema.js";
import { toSamplers } from "./named-samplers.js";

const UNBOUNDED = Number.POSITIVE_INFINITY;

/** Bounds of collections: far above typical requests, and validated within milliseconds. */
const MAX_STOP_TOKENS = 1_000;

const MAX_SAMPLERS = 100;

const completionLimitError = "expected a positive integer, or -1 for as many as fit";

const completionLimit = z
  .int({ error: completionLimitError })
  .min(-1, { error: completionLimitError })
  .refine((limit) => limit !== 0, { error: completionLimitError })
  .meta({
    not: { const: 0 },
    description: "Maximum number of tokens to generate; -1: as many as fit into the context.",
  });

const stop = z.union([nonEmptyText(), z.array(nonEmptyText()).max(4)], {
  error: "expected a non-empty string or up to 4 of them",
});

/**
 * Fields that end a completion. Returns new schema instances on each call, because a description
 * belongs to one schema.
 */
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
    .meta({ description: "Strings that end the completion. They are not part of its text." }),
  stop_token_ids: boundedArray(
    z.array(integerBetween(0, UNBOUNDED), { error: "expected an array of token ids" }),
    { max: MAX_STOP_TOKENS, of: "token ids" },
  )
    .optional()
    .meta({ description: "Tokens that end the completion. They are not part of its text." }),
  ignore_eos: trueOrFalse().optional().meta({
    description:
      "Whether end-of-generation tokens are banned, so that the model cannot end the completion.",
  }),
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

const samplersError = `expected at most ${MAX_SAMPLERS} samplers' names, or their letters`;

const samplers = z.union(
  [
    boundedArray(z.array(text()), { max: MAX_SAMPLERS, of: "samplers" }),
    z.string().max(MAX_SAMPLERS, { error: samplersError }),
  ],
  { error: samplersError },
);

type StoppingFields = z.output<z.ZodObject<ReturnType<typeof stoppingFields>>>;

/** Schemas of the sampling parameters, by JSON name. */
type ParameterFields = {
  readonly [Name in SamplingName as JsonNames<SamplingTable[Name]>]: z.ZodOptional<
    z.ZodType<Name extends "samplers" ? string | string[] : SamplingValue<Name>>
  >;
};

type JsonNames<Row> =
  | (Row extends { readonly json: infer Name extends string } ? Name : never)
  | (Row extends { readonly jsonAlias: infer Name extends string } ? Name : never);

function parameterFields(): ParameterFields {
  const fields = samplingRows.flatMap((row) => {
    const schema = () =>
      row.kind === "samplers"
        ? samplers
        : samplingValue({ ...row, ...(row.maxInRequests && { max: row.maxInRequests }) });
    const { json, jsonAlias } = row;
    const description = row.kind === "samplers" ? samplersDescription : describeSampling(row);
    const field = (text: string) => schema().optional().meta({ description: text });
    if (jsonAlias === undefined) return [[json, field(description)]];
    return [
      [jsonAlias, field(description)],
      [json, field(`${description} \`${jsonAlias}\` takes precedence.`)],
    ];
  });
  return Object.fromEntries(fields);
}

const samplersDescription = `Samplers to apply, in order, each at most once: ${NAMED_SAMPLERS.join(", ")}; or their letters. Samplers that are not listed are off. Default: all except adaptive_p, in this order.`;

/** Sampling fields of a request. Returns new schema instances on each call. */
export const samplingFields = () => ({
  ...parameterFields(),
  seed: integerBetween(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER).optional().meta({
    description:
      "Seed of the random generator. The same model, prompt, parameters and seed give the same completion.",
  }),
  logit_bias: logitBias.optional().meta({
    description: "Bias to add to the logits of token ids; -100 bans the token.",
  }),
});

type SamplingFields = z.output<z.ZodObject<ReturnType<typeof samplingFields>>>;

/** llama-server's value for unlimited tokens, or for a window of all tokens. */
const NO_LIMIT = -1;

/** OpenAI's minimum logit bias, which bans the token. */
export const BANNING_BIAS = -100;

/**
 * Translates the sampling fields of a request.
 * @throws {GgufdError} `invalid_request`, see {@link toSamplers}
 */
export function toSampling(body: SamplingFields): SamplingParameters {
  const values = samplingRows.map((row) => [row.name, readJsonValue(row, body)]);
  return {
    ...(Object.fromEntries(values) as SamplingDefaults),
    samplers: body.samplers === undefined ? undefined : toSamplers(body.samplers),
    seed: body.seed,
    logitBias: body.logit_bias === undefined ? undefined : toLogitBias(body.logit_bias),
  };
}

/**
 * Translates the fields that end a generation.
 * @param usualMaxTokens limit if neither the request nor the model has one; absent: unlimited
 */
export function toStopping(body: StoppingFields, usualMaxTokens?: number): StoppingParameters {
  const field = limitFields.find((name) => body[name] !== undefined);
  return {
    maxTokens: field && toLimit(body[field]),
    ...(field !== undefined && { maxTokensField: field }),
    ...(usualMaxTokens !== undefined && { usualMaxTokens }),
    minTokens: body.min_tokens ?? 0,
    stop: typeof body.stop === "string" ? [body.stop] : (body.stop ?? []),
    stopTokens: body.stop_token_ids,
    ignoreEos: body.ignore_eos ?? false,
  };
}

/** Fields of the maximum number of tokens; the first of them takes precedence. */
const limitFields = ["max_completion_tokens", "max_tokens", "n_predict"] as const;

/** Maps the token limit -1 to Infinity. */
export function toLimit(tokens: number | undefined): number | undefined {
  return tokens === NO_LIMIT ? Number.POSITIVE_INFINITY : tokens;
}

function toLogitBias(biases: Readonly<Record<string, number>>): ReadonlyMap<number, number> {
  return new Map(
    Object.entries(biases).map(([token, bias]) => [
      Number(token),
      bias <= BANNING_BIAS ? Number.NEGATIVE_INFINITY : bias,
    ]),
  );
}
