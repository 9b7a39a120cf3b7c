/** Schemas of the answers of llama-server's own endpoints. */
import { z } from "zod";
import { promptProgress, timings } from "../response-schema.js";

const count = (description: string) => z.int().nonnegative().meta({ description });

/** Fields of every piece of an answer. */
export const countFields = {
  tokens_predicted: z.int().nonnegative(),
  tokens_evaluated: count("Tokens of the whole prompt."),
};

/** Fields of an answer that has ended. */
export const endingFields = {
  ...countFields,
  id_slot: count("The slot that it had, which goes on to hold its tokens.").optional(),
  stop: z.literal(true),
  stop_type: z.enum(["eos", "limit", "word"]),
  stopping_word: z.string().meta({ description: "The stop string that ended it, or empty." }),
  has_new_line: z.boolean(),
  truncated: z.literal(false).meta({ description: "A prompt that is too long is refused." }),
  tokens_cached: z.int().nonnegative(),
  timings,
};

export type NativeEnding = z.infer<z.ZodObject<typeof endingFields>>;

const namedToken = {
  id: count("Its id in the vocabulary."),
  token: z.string().meta({ description: "May be a part of a character: see bytes." }),
  bytes: z.array(z.int().min(0).max(255)),
};
const scoredToken = {
  ...namedToken,
  logprob: z.number().meta({ description: "By the model itself, before sampling parameters." }),
};
const tokenAfterSampling = {
  ...namedToken,
  prob: z.number().min(0).max(1).meta({ description: "Behind all sampling parameters." }),
};

const probability = z.union([
  z.object({ ...scoredToken, top_logprobs: z.array(z.object(scoredToken)) }),
  z
    .object({ ...tokenAfterSampling, top_probs: z.array(z.object(tokenAfterSampling)) })
    .meta({ description: "With `post_sampling_probs`." }),
]);

export type NativeProbability = z.infer<typeof probability>;

const probabilities = z
  .array(probability)
  .optional()
  .meta({ description: "With `n_probs`: the tokens of the content." });

const common = {
  index: count("Position among the answers: those of the first prompt come first."),
  content: z.string(),
  tokens: z.array(z.int().nonnegative()).meta({
    description:
      "Token ids: in a stream those behind the piece before, else, with `return_tokens`, all that were generated.",
  }),
  completion_probabilities: probabilities,
};

/** What a request asks for. */
export const nativeSettings = z.looseObject({
  n_ctx: count("What one request may hold, in tokens."),
  n_predict: z.int().min(-1),
  max_tokens: z.int().min(-1),
  n_probs: z.int().nonnegative(),
  stop: z.array(z.string()),
  stream: z.boolean(),
  ignore_eos: z.boolean(),
  logit_bias: z
    .array(
      z.object({
        token: count("A token id."),
        bias: z.number().nullable().meta({ description: "null: the token is banned." }),
      }),
    )
    .meta({ description: "With `ignore_eos`, also the tokens that would end the answer." }),
});

export type NativeSettings = z.infer<typeof nativeSettings>;

/** An answer, and the last event of a stream, in which the content is empty. */
export const nativeCompletion = z
  .object({
    ...common,
    ...endingFields,
    model: z.string().meta({ description: "The name of the served model." }),
    prompt: z.string().meta({
      description:
        "The text of the tokens that were evaluated, with a BOS where the model uses one.",
    }),
    generation_settings: nativeSettings,
  })
  .meta({ id: "NativeCompletion" });

export type NativeCompletion = z.infer<typeof nativeCompletion>;

/** One answer; several for several prompts, or for `n_cmpl`. */
export const nativeCompletions = z
  .union([nativeCompletion, z.array(nativeCompletion)])
  .meta({ id: "NativeCompletions" });

/** An event of a stream before the last one of its answer. */
export const nativePiece = z
  .object({
    ...common,
    ...countFields,
    stop: z.literal(false),
    timings: timings.optional().meta({ description: "With `timings_per_token`." }),
    prompt_progress: promptProgress
      .optional()
      .meta({ description: "With `return_progress`: the piece has nothing else." }),
  })
  .meta({ id: "NativePiece" });

export type NativePiece = z.infer<typeof nativePiece>;
