import { z } from "zod";
import { boundedArray } from "../../../validation/bounded-collections.js";
import { integerBetween, text, trueOrFalse } from "../../../validation/fields.js";
import { nullableWhereOptional } from "../describe-nulls.js";
import { progressFields } from "../progress.js";
import { nativeFields } from "./fields.js";

/** Above what a body may hold. */
const MAX_PROMPT_TOKENS = 1_000_000;
/** Answers to one prompt. */
const MAX_COMPLETIONS = 16;
/** Most probable tokens that are reported for each token. */
const MAX_PROBABILITIES = 20;

const expectedPart = { error: "expected a text or a token id" };
const textOrToken = z.union([z.string(), integerBetween(0, Number.MAX_SAFE_INTEGER)], expectedPart);
const promptObject = z.looseObject(
  {
    prompt_string: text().meta({ description: "The text." }),
    multimodal_data: z
      .array(z.unknown())
      .max(0, { error: "expected an empty list, because this model reads text only" })
      .optional(),
  },
  { error: "expected an object with prompt_string" },
);
const parts = boundedArray(
  z.array(textOrToken).min(1, { error: "expected at least one text or token id" }),
  { max: MAX_PROMPT_TOKENS, of: "texts and token ids" },
);
const prompts = boundedArray(
  z
    .array(
      z.union([z.string(), promptObject, parts], {
        error: "expected a text, an object with prompt_string, or texts and token ids",
      }),
    )
    .min(1, {
      error: "expected at least one prompt",
    }),
  { max: MAX_PROMPT_TOKENS, of: "prompts" },
);
const promptError =
  "expected a text, texts and token ids, or a list of these, because this model reads text only";

/** The body of `POST /completion`. Nulls, which mean absent, have been removed. */
export const nativeCompletionRequest = z
  .looseObject(
    {
      ...nativeFields(),
      prompt: z.union([z.string(), promptObject, parts, prompts], { error: promptError }).meta({
        description:
          'What is continued: a text, `{"prompt_string": text}`, or a list with token ids in it. A list of texts only, of such objects, or of lists, are several prompts.',
      }),
      n_cmpl: integerBetween(1, MAX_COMPLETIONS).optional().meta({
        description: "Number of answers to each prompt.",
      }),
      n: integerBetween(1, MAX_COMPLETIONS).optional().meta({ description: "The same." }),
      return_tokens: trueOrFalse().optional().meta({
        description: "true: an answer that is not streamed has the ids of its tokens.",
      }),
      n_probs: integerBetween(0, MAX_PROBABILITIES).optional().meta({
        description: "Number of most probable tokens that are reported for each token; 0: none.",
      }),
      post_sampling_probs: trueOrFalse().optional().meta({
        description:
          "true: the tokens of `n_probs` have the probabilities that they were drawn with, behind all sampling parameters, and impossible ones are left out.",
      }),
      id_slot: integerBetween(-1, Number.MAX_SAFE_INTEGER).optional().meta({
        description:
          "The slot that it takes if that is idle, else another one; -1: the one that suits its prompt best. `id_slot` in the answer is the one that it had.",
      }),
      ...progressFields(),
      stream: trueOrFalse().optional().meta({ description: "true: server-sent events." }),
    },
    { error: "expected a JSON object" },
  )
  .meta({
    id: "NativeCompletionRequest",
    description: "null means absent for every optional field. Unknown fields are ignored.",
    override: nullableWhereOptional,
  });

export type NativeCompletionRequest = z.output<typeof nativeCompletionRequest>;
