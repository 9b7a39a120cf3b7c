/** Schemas of the answers of llama-server's own endpoints. */
import { z } from "zod";
import { timings } from "../response-schema.js";

const count = (description: string) => z.int().nonnegative().meta({ description });

/** Fields of every piece of an answer. */
export const countFields = {
  tokens_predicted: z.int().nonnegative(),
  tokens_evaluated: count("Tokens of the whole prompt."),
};

/** Fields of an answer that has ended. */
export const endingFields = {
  ...countFields,
  stop: z.literal(true),
  stop_type: z.enum(["eos", "limit", "word"]),
  stopping_word: z.string().meta({ description: "The stop string that ended it, or empty." }),
  has_new_line: z.boolean(),
  truncated: z.literal(false).meta({ description: "A prompt that is too long is refused." }),
  tokens_cached: z.int().nonnegative(),
  timings,
};

export type NativeEnding = z.infer<z.ZodObject<typeof endingFields>>;

const scoredToken = {
  token: z.string().meta({ description: "May be a part of a character: see bytes." }),
  bytes: z.array(z.int().min(0).max(255)),
  logprob: z.number().meta({ description: "By the model itself, before sampling parameters." }),
};

const probabilities = z
  .array(z.object({ ...scoredToken, top_logprobs: z.array(z.object(scoredToken)) }))
  .optional()
  .meta({ description: "With `n_probs`: the tokens of the content." });

const common = {
  index: count("Position among the answers: those of the first prompt come first."),
  content: z.string(),
  tokens: z.array(z.never()).meta({ description: "Always empty: token ids are not reported." }),
  completion_probabilities: probabilities,
};

/** An answer, and the last event of a stream, in which the content is empty. */
export const nativeCompletion = z
  .object({
    ...common,
    ...endingFields,
    model: z.string().meta({ description: "The name of the served model." }),
    prompt: z.string().optional().meta({ description: "As it was sent, if it is one text." }),
    generation_settings: z.object({
      n_ctx: count("What one request may hold, in tokens."),
      n_predict: z.int().min(-1),
      n_probs: z.int().nonnegative(),
      stop: z.array(z.string()),
      stream: z.boolean(),
    }),
  })
  .meta({ id: "NativeCompletion" });

export type NativeCompletion = z.infer<typeof nativeCompletion>;

/** One answer; several for several prompts, or for `n_cmpl`. */
export const nativeCompletions = z
  .union([nativeCompletion, z.array(nativeCompletion)])
  .meta({ id: "NativeCompletions" });

/** An event of a stream before the last one of its answer. */
export const nativePiece = z
  .object({ ...common, ...countFields, stop: z.literal(false) })
  .meta({ id: "NativePiece" });

export type NativePiece = z.infer<typeof nativePiece>;
