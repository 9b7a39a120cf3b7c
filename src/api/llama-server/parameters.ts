import assert from "node:assert/strict";
import { z } from "zod";
import type {
  GenerationRequest,
  SamplingParameters,
  StoppingParameters,
} from "../../core/generation-request.js";
import type { TextService } from "../../core/text-question.js";
import { boundedArray, boundedRecord } from "../../validation/bounded-collections.js";
import { integerBetween, nonEmptyText, numberBetween, text } from "../../validation/fields.js";
import { constraintFields } from "../fields/constraint.js";
import { cachePromptField, toEvaluation } from "../fields/generation-fields.js";
import { loraField } from "../fields/lora.js";
import { toSamplers } from "../fields/named-samplers.js";
import {
  BANNING_BIAS,
  MAX_LOGIT_BIASES,
  samplingFields,
  stoppingFields,
  toLimit,
  toSampling,
  toStopping,
} from "../fields/sampling.js";
import { RANDOM_SEED } from "./default-parameters.js";

/** Bounds of collections: far above typical requests, and validated within milliseconds. */
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

/** Fields of all native endpoints of llama-server. Returns new schema instances on each call. */
export const nativeFields = () => ({
  model: nonEmptyText()
    .optional()
    .meta({ description: "Name of the model. Default: the first served model." }),
  ...stoppingFields(),
  ...samplingFields(),
  ...constraintFields(),
  n_predict: integerBetween(-1, UNBOUNDED).optional().meta({
    description:
      "Maximum number of tokens to generate. -1: as many as fit into the context. 0: only evaluates the prompt into the cache. Takes precedence over `max_tokens`.",
  }),
  stop: stop.optional().meta({
    description:
      "Strings that end the answer. They are not part of its text. Empty strings are ignored.",
  }),
  seed: integerBetween(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER).optional().meta({
    description: "Seed of the random generator. -1 and 4294967295 select a random seed.",
  }),
  logit_bias: biases.optional().meta({
    description:
      "Bias to add to the logits of tokens: an object, or pairs of a token id or text and a bias. A text stands for all of its tokens. -100 and `false` ban a token.",
  }),
  cache_prompt: cachePromptField(),
  lora: loraField(),
  response_fields: boundedArray(z.array(text(), { error: "expected an array of strings" }), {
    max: MAX_RESPONSE_FIELDS,
    of: "fields",
  })
    .optional()
    .meta({
      description:
        "Fields to return in an answer that is not streamed. A nested field such as `timings/prompt_n` is returned under that name.",
    }),
});

type NativeFields = z.output<z.ZodObject<ReturnType<typeof nativeFields>>>;

const RANDOM_SEEDS: ReadonlySet<number | undefined> = new Set([-1, RANDOM_SEED]);

/**
 * Samplers that clients name by default and that have no effect here. `infill` joins tokens with a
 * common prefix, which makes endings likelier, and is not needed to fill gaps. `tfs_z` no longer
 * exists.
 */
const IGNORED_SAMPLERS: ReadonlySet<string> = new Set(["infill", "tfs_z"]);

/**
 * Translates conventions that only llama-server's clients use to the shared ones.
 * @throws {GgufdError} `invalid_request`, see {@link toSamplers}
 */
export function withSharedNames<Body extends NativeFields>(body: Body) {
  const { samplers, seed, stop } = body;
  return {
    ...body,
    samplers: samplers === undefined ? undefined : toSamplers(samplers, IGNORED_SAMPLERS),
    seed: RANDOM_SEEDS.has(seed) ? undefined : seed,
    stop: stop === undefined ? [] : [stop].flat().filter((text) => text !== ""),
  };
}

/** Replaces biases of texts by biases of their tokens. */
export async function withTokenBiases<Body extends Pick<NativeFields, "logit_bias">>(
  body: Body,
  texts: TextService,
) {
  return { ...body, logit_bias: await toTokenBiases(body.logit_bias, texts) };
}

/** Request in the form that the translations of the OpenAI endpoints accept. */
export type SharedNames<Body extends NativeFields> = Awaited<
  ReturnType<typeof withTokenBiases<ReturnType<typeof withSharedNames<Body>>>>
>;

/** Translates the fields for evaluation, sampling and stopping. */
export function toNativeParameters(body: SharedNames<NativeFields>): {
  readonly sampling: SamplingParameters;
  readonly stopping: StoppingParameters;
  readonly evaluation: GenerationRequest["evaluation"];
} {
  const limit = toLimit(body.n_predict);
  const stopping = toStopping(body);
  return {
    sampling: toSampling(body),
    stopping:
      limit === undefined
        ? stopping
        : { ...stopping, maxTokens: limit, maxTokensField: "n_predict" },
    evaluation: toEvaluation(body.cache_prompt),
  };
}

type Biases = NonNullable<NativeFields["logit_bias"]>;

type BiasPair = readonly [tokenOrText: number | string, bias: number | false];

/**
 * Converts the biases of a request to biases by token id. As in llama-server, the bias of a text
 * applies to each of its tokens, and a numeric key of an object is a token id. Several biases of
 * one token add up.
 */
async function toTokenBiases(
  biases: Biases | undefined,
  texts: TextService,
): Promise<Record<string, number> | undefined> {
  if (biases === undefined) return undefined;
  const pairs = Array.isArray(biases) ? biases : Object.entries(biases).map(toBiasPair);
  const tokenBiases = await Promise.all(
    pairs.map(async ([tokenOrText, bias]) => {
      const tokens =
        typeof tokenOrText === "number" ? [tokenOrText] : await tokenizeText(tokenOrText, texts);
      return tokens.map((token) => [token, bias === false ? BANNING_BIAS : bias] as const);
    }),
  );
  const sums = new Map<number, number>();
  for (const [token, bias] of tokenBiases.flat()) {
    sums.set(
      token,
      (sums.get(token) ?? 0) + (bias <= BANNING_BIAS ? Number.NEGATIVE_INFINITY : bias),
    );
  }
  return Object.fromEntries(sums);
}

function toBiasPair([key, bias]: [string, number | false]): BiasPair {
  return [/^\d+$/.test(key) ? Number(key) : key, bias];
}

async function tokenizeText(text: string, texts: TextService): Promise<readonly number[]> {
  const answer = await texts.ask({
    type: "tokenize",
    text,
    beginning: "bare",
    controlTokens: "literal",
    pieces: "unwanted",
  });
  assert(answer.type === "tokens", `expected an answer of type tokens, got ${answer.type}`);
  return [...answer.tokens];
}
