import { z } from "zod";
import type { EngineDescription } from "../../core/engine.js";
import type { ChoiceEvent, ScoredToken, TokenScore } from "../../core/generation-event.js";
import { isJsonObject, LazyList } from "../../core/json.js";
import {
  readJsonValue,
  type SamplingName,
  type SamplingRow,
  type SamplingTable,
  samplingDefaults,
  samplingRows,
  selectSamplingBy,
  withoutAbsent,
} from "../../core/sampling-table.js";
import type { FinishedEvent } from "../answers/collected-answer.js";
import { collectAnswers } from "../answers/collected-answer.js";
import { toScoredText } from "../fields/logprobs.js";
import { BANNING_BIAS } from "../fields/sampling.js";
import { timings, toTimings } from "../fields/usage.js";
import { RANDOM_SEED, toNativeDefaults } from "./default-parameters.js";
import type { SharedRequest } from "./request.js";

const count = (description: string) => z.int().nonnegative().meta({ description });

/** Token counts in every event of an answer. */
export const countFields = {
  tokens_predicted: z.int().nonnegative(),
  tokens_evaluated: count("Tokens of the whole prompt, cached or not."),
};

/** Fields of a completed answer. */
export const endingFields = {
  ...countFields,
  id_slot: count(
    "The slot that generated the answer. It keeps the tokens as its cache.",
  ).optional(),
  stop: z.literal(true),
  stop_type: z.enum(["eos", "limit", "word"]),
  stopping_word: z
    .string()
    .meta({ description: "The stop string that ended the answer, or an empty string." }),
  has_new_line: z.boolean(),
  truncated: z.boolean().meta({ description: "Whether the context is full." }),
  tokens_cached: z.int().nonnegative(),
  timings,
};

type NativeEnding = z.infer<z.ZodObject<typeof endingFields>>;

const namedToken = {
  id: count("Token id."),
  token: z.string().meta({ description: "May be part of a character; `bytes` is exact." }),
  bytes: z.array(z.int().min(0).max(255)),
};

const scoredToken = {
  ...namedToken,
  logprob: z
    .number()
    .meta({ description: "Log-probability under the model, before sampling parameters apply." }),
};

const tokenAfterSampling = {
  ...namedToken,
  prob: z
    .number()
    .min(0)
    .max(1)
    .meta({ description: "Probability after all sampling parameters were applied." }),
};

const probability = z.union([
  z.object({ ...scoredToken, top_logprobs: z.array(z.object(scoredToken)) }),
  z
    .object({ ...tokenAfterSampling, top_probs: z.array(z.object(tokenAfterSampling)) })
    .meta({ description: "Present with `post_sampling_probs`." }),
]);

type NativeProbability = z.infer<typeof probability>;

const probabilities = z
  .array(probability)
  .optional()
  .meta({ description: "The tokens of the content. Present with `n_probs`." });

/** Fields of every answer, complete or streamed. */
export const contentFields = {
  index: count("Index of the answer. Answers to the first prompt come first."),
  content: z.string(),
  tokens: z.array(z.int().nonnegative()).meta({
    description:
      "Generated token ids: in a stream, the new ones; otherwise all of them, with `return_tokens`.",
  }),
  completion_probabilities: probabilities,
};

/** Schemas of sampling parameter values, as reported. */
const shownValues = {
  number: () => z.number(),
  integer: ({ min = Number.MIN_SAFE_INTEGER }) => z.int().min(min),
  window: () => z.int().min(-1),
  mirostat: () => z.literal([0, 1, 2]),
  samplers: () => z.array(z.string()),
  breakers: () => z.array(z.string()),
} as const satisfies Record<SamplingRow["kind"], (row: SamplingRow) => z.ZodType>;

type ShownFields = {
  readonly [Name in SamplingName as SamplingTable[Name]["json"]]: ReturnType<
    (typeof shownValues)[SamplingTable[Name]["kind"]]
  >;
};

/** Settings of the request, as repeated in its answer. */
export const nativeSettings = z.looseObject({
  seed: z.int().meta({ description: "Seed of the random generator. 4294967295: a random one." }),
  n_ctx: count("Context size of one request, in tokens."),
  n_predict: z.int().min(-1),
  max_tokens: z.int().min(-1),
  n_probs: z.int().nonnegative(),
  stop: z.array(z.string()),
  stream: z.boolean(),
  ignore_eos: z.boolean(),
  ...(Object.fromEntries(
    samplingRows.map((row) => [row.json, shownValues[row.kind](row)]),
  ) as ShownFields),
  logit_bias: z
    .array(
      z.object({
        token: count("A token id."),
        bias: z
          .number()
          .nullable()
          .meta({ description: "Bias on the logit. `null`: the token is banned." }),
      }),
    )
    .meta({
      description: "Logit biases. Includes the end-of-generation tokens with `ignore_eos`.",
    }),
});

type NativeSettings = z.infer<typeof nativeSettings>;

/** Complete answer, and also the last event of a stream, whose content is empty. */
export const nativeCompletion = z
  .object({
    ...contentFields,
    ...endingFields,
    model: z.string().meta({ description: "Name of the served model." }),
    prompt: z.string().meta({
      description: "Text of the prompt tokens, including a BOS token if the model uses one.",
    }),
    generation_settings: nativeSettings,
  })
  .meta({ id: "NativeCompletion" });

export type NativeCompletion = z.infer<typeof nativeCompletion>;

/** One answer, or an array of answers if the request has several prompts or `n_cmpl`. */
export const nativeCompletions = z
  .union([nativeCompletion, z.array(nativeCompletion)])
  .meta({ id: "NativeCompletions" });

/** Properties of the request and the model that an answer repeats. */
export interface AnswerOrigin {
  /** Alias of the served model. */
  readonly model: string;
  readonly settings: NativeSettings;
  /** Distribution of the reported token probabilities. */
  readonly probabilities: "of-the-model" | "after-sampling";
  /** Returns the text of the prompt that an answer continues, as evaluated. */
  readonly promptOf: (answer: number) => Promise<string>;
}

/** Answer whose log-probabilities are serialised one at a time. */
interface WholeCompletion extends Omit<NativeCompletion, "completion_probabilities"> {
  readonly completion_probabilities?: LazyList<NativeProbability>;
}

/**
 * Collects the answers to all prompts.
 * @param tokens whether the answers include token ids
 * @returns `undefined` if the client disconnected
 * @throws {GgufdError} the error that ended a generation
 */
export async function toNativeCompletions(
  events: AsyncIterable<ChoiceEvent>,
  origin: AnswerOrigin,
  tokens: "reported" | "left-out",
): Promise<readonly WholeCompletion[] | undefined> {
  const printProbability = createProbabilityPrinter(origin);
  const wholeAnswers = await collectAnswers(events);
  if (wholeAnswers === undefined) return undefined;
  return Promise.all(
    wholeAnswers.map(async ({ answer, finished }, index) => ({
      ...buildContent(index, answer.text, tokens === "reported" ? answer.tokens : []),
      ...(answer.scores && {
        completion_probabilities: LazyList.from(answer.scores, printProbability),
      }),
      ...(await buildEnd(index, finished, answer.text, origin)),
    })),
  );
}

/** Returns the function that formats a token and its most probable alternatives. */
export function createProbabilityPrinter({
  probabilities,
}: AnswerOrigin): (score: TokenScore) => NativeProbability {
  return probabilities === "after-sampling"
    ? (score) => ({
        ...toTokenAfterSampling(score),
        top_probs: score.top.map(toTokenAfterSampling),
      })
    : (score) => ({ ...toScoredToken(score), top_logprobs: score.top.map(toScoredToken) });
}

function toScoredToken(scored: ScoredToken) {
  return { id: scored.id, ...toScoredText(scored) };
}

function toTokenAfterSampling({ id, ...text }: ScoredToken) {
  const { token, bytes } = toScoredText({ id, ...text });
  return { id, token, bytes, prob: Math.exp(text.logProbability) };
}

/** Builds the fields of {@link contentFields}, without log-probabilities. */
export function buildContent(index: number, content: string, tokens: readonly number[]) {
  return { index, content, tokens: [...tokens] };
}

/**
 * Builds the end of an answer, which repeats the settings of its request.
 * @param index index of the answer
 * @param text text of the complete answer
 */
export async function buildEnd(
  index: number,
  finished: FinishedEvent,
  text: string,
  { model, settings, promptOf }: AnswerOrigin,
) {
  return {
    ...toEnding(finished, text, settings.n_ctx),
    model,
    prompt: await promptOf(index),
    generation_settings: settings,
  };
}

/**
 * Builds the fields of a completed answer.
 * @param text text of the complete answer
 * @param contextSize maximum number of tokens of one request
 */
export function toEnding(finished: FinishedEvent, text: string, contextSize: number): NativeEnding {
  const { reason, slot, stopString, usage } = finished;
  return {
    ...(slot !== undefined && { id_slot: slot }),
    tokens_predicted: usage.completionTokens,
    tokens_evaluated: usage.promptTokens,
    stop: true,
    stop_type: stopString !== undefined ? "word" : reason === "length" ? "limit" : "eos",
    stopping_word: stopString ?? "",
    has_new_line: text.includes("\n"),
    truncated: usage.promptTokens + usage.completionTokens >= contextSize,
    tokens_cached: usage.cachedTokens,
    timings: toTimings([finished]),
  };
}

/** Fields that are repeated as sent, in addition to the sampling parameters. */
const REPEATED_FIELDS = ["post_sampling_probs", "grammar", "lora"] as const;

/**
 * Builds the settings of a request, as llama-server repeats them in its answers. Absent sampling
 * parameters have the model's default, or else llama.cpp's.
 */
export function toSettings(
  request: SharedRequest,
  { defaults, endTokens, model }: Pick<EngineDescription, "defaults" | "endTokens" | "model">,
): NativeSettings {
  const body = {
    ...selectSamplingBy("json", samplingDefaults),
    ...(defaults === undefined ? { seed: RANDOM_SEED } : toNativeDefaults(defaults)),
    ...withoutAbsent(request),
  } as SharedRequest & { readonly seed: number } & z.infer<z.ZodObject<ShownFields>>;
  const { n_predict = -1, n_probs = 0, stop, stream = false, ignore_eos = false } = body;
  const biases = Object.entries(body.logit_bias ?? {}).map(([token, bias]) => ({
    token: Number(token),
    bias: bias <= BANNING_BIAS ? null : bias,
  }));
  const endTokenBans = ignore_eos ? endTokens.map((token) => ({ token, bias: null })) : [];
  return {
    ...Object.fromEntries(
      REPEATED_FIELDS.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
    ),
    seed: body.seed,
    n_ctx: model.contextSize,
    n_predict,
    max_tokens: n_predict,
    n_probs,
    stop,
    stream,
    ignore_eos,
    ...(Object.fromEntries(
      samplingRows.map((row) => [row.json, readJsonValue(row, body)]),
    ) as z.infer<z.ZodObject<ShownFields>>),
    logit_bias: [...biases, ...endTokenBans],
  };
}

/**
 * Selects fields of an answer as llama-server does: a path with slashes becomes the name of the
 * value found there. Nonexistent fields are left out.
 * @param paths absent: the complete answer
 */
export function pickFields(answer: object, paths: readonly string[] | undefined): object {
  if (paths === undefined || paths.length === 0) return answer;
  return Object.fromEntries(
    paths.map((path) => [path, valueAt(answer, path)]).filter(([, value]) => value !== undefined),
  );
}

function valueAt(answer: unknown, path: string): unknown {
  return path
    .split("/")
    .reduce<unknown>(
      (value, key) => (isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      answer,
    );
}
