import { z } from "zod";
import { boundedArray } from "../../../validation/bounded-collections.js";
import { integerBetween, nonEmptyText, trueOrFalse } from "../../../validation/fields.js";
import { nullableWhereOptional } from "../describe-nulls.js";

/** Above the longest context of any model, and answered within some milliseconds. */
const MAX_CHARACTERS = 2 ** 20;
const MAX_TOKENS = 2 ** 20;

const error = `expected a string of at most ${MAX_CHARACTERS} characters`;
const longText = z.string({ error }).max(MAX_CHARACTERS, { error });
const model = () =>
  nonEmptyText().optional().meta({ description: "The model's name. Default: the served model." });

/** The body of `POST /tokenize`. */
export const tokenizeRequest = z
  .looseObject(
    {
      model: model(),
      content: longText.optional().meta({ description: "llama.cpp's name of the text." }),
      prompt: longText.optional().meta({ description: "vLLM's name of the text." }),
      add_special: trueOrFalse().optional().meta({
        description:
          "true: as a prompt begins, with a BOS where the model uses one. Default: false.",
      }),
      add_special_tokens: trueOrFalse()
        .optional()
        .meta({ description: "The same with `prompt`. Default: true." }),
      parse_special: trueOrFalse().optional().meta({
        description: "false: names of control tokens are text. Default: they are these tokens.",
      }),
      with_pieces: trueOrFalse()
        .optional()
        .meta({ description: "true: tokens with what they stand for." }),
      return_token_strs: trueOrFalse()
        .optional()
        .meta({ description: "true: what the tokens stand for, in `token_strs`." }),
    },
    { error: "expected a JSON object" },
  )
  .refine(({ content, prompt }) => (content === undefined) !== (prompt === undefined), {
    path: ["content"],
    error: "expected a string here or in prompt, and not in both",
  })
  .meta({ id: "TokenizeRequest", override: nullableWhereOptional });

export type TokenizeRequest = z.output<typeof tokenizeRequest>;

/** The body of `POST /detokenize`. */
export const detokenizeRequest = z
  .looseObject(
    {
      model: model(),
      tokens: boundedArray(
        z.array(integerBetween(0, Number.MAX_SAFE_INTEGER), {
          error: "expected an array of token ids",
        }),
        { max: MAX_TOKENS, of: "token ids" },
      ),
    },
    { error: "expected a JSON object" },
  )
  .meta({ id: "DetokenizeRequest", override: nullableWhereOptional });

const piece = z
  .union([z.string(), z.array(z.int().min(0).max(255))])
  .meta({ description: "A text; the bytes of a token that is no text by itself." });

/** The answer of `POST /tokenize`. */
export const tokenizeResponse = z
  .object({
    tokens: z.union([
      z.array(z.int().nonnegative()),
      z.array(z.object({ id: z.int().nonnegative(), piece })),
    ]),
    count: z.int().nonnegative(),
    max_model_len: z.int().nonnegative().meta({ description: "What one request may hold." }),
    token_strs: z.array(z.string()).optional(),
  })
  .meta({ id: "TokenizeResponse" });

export type TokenizeResponse = z.infer<typeof tokenizeResponse>;

/** The answer of `POST /detokenize`, in the words of both servers. */
export const detokenizeResponse = z
  .object({ content: z.string(), prompt: z.string() })
  .meta({ id: "DetokenizeResponse" });

/** The answer of `POST /apply-template`. */
export const applyTemplateResponse = z
  .object({ prompt: z.string() })
  .meta({ id: "ApplyTemplateResponse" });
