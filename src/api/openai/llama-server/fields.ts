import { z } from "zod";
import { boundedArray, boundedRecord } from "../../../validation/bounded-collections.js";
import { integerBetween, nonEmptyText, numberBetween, text } from "../../../validation/fields.js";
import { cachePromptField } from "../cache-prompt.js";
import { constraintFields } from "../constraint-schema.js";
import { MAX_LOGIT_BIASES, samplingFields, stoppingFields } from "../sampling-schema.js";

/** Bounds of collections: far above what clients send, and validated within milliseconds. */
const MAX_STOPS = 256;
const MAX_RESPONSE_FIELDS = 100;

const UNBOUNDED = Number.POSITIVE_INFINITY;

const stop = z.union(
  [
    text(),
    boundedArray(z.array(text(), { error: "expected an array of strings" }), {
      max: MAX_STOPS,
      of: "stop strings",
    }),
  ],
  { error: "expected a string or an array of them" },
);

const bias = z.union([numberBetween(-100, 100), z.literal(false)], {
  error: "expected a number from -100 to 100, or false",
});

const biasPair = z.tuple(
  [
    z.union([integerBetween(0, UNBOUNDED), nonEmptyText()], {
      error: "expected a token id or a text",
    }),
    bias,
  ],
  { error: "expected a pair of a token id or a text, and its bias" },
);

const bounds = { max: MAX_LOGIT_BIASES, of: "biases" };
const biases = z.union(
  [boundedRecord(z.record(nonEmptyText(), bias), bounds), boundedArray(z.array(biasPair), bounds)],
  { error: "expected pairs of token ids or texts and biases, or an object of them" },
);

/** What all of llama-server's own endpoints have. Made anew for each request. */
export const nativeFields = () => ({
  model: nonEmptyText()
    .optional()
    .meta({ description: "The model's name. Default: the served model." }),
  ...stoppingFields(),
  ...samplingFields(),
  ...constraintFields(),
  n_predict: integerBetween(-1, UNBOUNDED).optional().meta({
    description:
      "Maximum number of tokens to generate; -1: as many as fit; 0: none, the prompt is evaluated for later requests. Takes precedence over `max_tokens`.",
  }),
  stop: stop.optional().meta({
    description: "Stop strings, which are not part of the text; empty ones are ignored.",
  }),
  seed: integerBetween(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER).optional().meta({
    description: "-1 and 4294967295: a random one.",
  }),
  logit_bias: biases.optional().meta({
    description:
      "Pairs of a token id, or a text for all of its tokens, and the bias that is added to their logits, or an object of them; -100 and false ban a token.",
  }),
  cache_prompt: cachePromptField(),
  response_fields: boundedArray(z.array(text(), { error: "expected an array of strings" }), {
    max: MAX_RESPONSE_FIELDS,
    of: "fields",
  })
    .optional()
    .meta({
      description:
        "Only these fields of an answer that is not streamed; `timings/prompt_n` is answered as a field of that name.",
    }),
});

export type NativeFields = z.output<z.ZodObject<ReturnType<typeof nativeFields>>>;
