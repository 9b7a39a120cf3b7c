import assert from "node:assert/strict";
import { z } from "zod";
import { LazyList } from "../../../core/json.js";
import { pieceAt, type TextAnswer, type TextQuestion } from "../../../core/text-question.js";
import { boundedArray } from "../../../validation/bounded-collections.js";
import { integerBetween, nonEmptyText, trueOrFalse } from "../../../validation/fields.js";
import { allowNullWhereOptional } from "../../fields/nulls.js";
import { textOfBytes } from "../text-of-bytes.js";

/** Above the longest context of any model, and handled within milliseconds. */
const MAX_CHARACTERS = 2 ** 20;

const MAX_TOKENS = 2 ** 20;

const error = `expected a string of at most ${MAX_CHARACTERS} characters`;

const longText = z.string({ error }).max(MAX_CHARACTERS, { error });

const model = () =>
  nonEmptyText()
    .optional()
    .meta({ description: "Name of the model. Default: the first served model." });

/** Body of `POST /tokenize`. */
export const tokenizeRequest = z
  .looseObject(
    {
      model: model(),
      content: longText.optional().meta({ description: "The text (llama.cpp)." }),
      prompt: longText.optional().meta({ description: "The text (vLLM)." }),
      add_special: trueOrFalse().optional().meta({
        description:
          "Whether to add a BOS token, if the model uses one. For `content`. Default: `false`.",
      }),
      add_special_tokens: trueOrFalse().optional().meta({
        description:
          "Whether to add a BOS token, if the model uses one. For `prompt`. Default: `true`.",
      }),
      parse_special: trueOrFalse().optional().meta({
        description: "Whether control tokens in the text are parsed. Default: `true`.",
      }),
      with_pieces: trueOrFalse()
        .optional()
        .meta({ description: "Whether to return each token with its text." }),
      return_token_strs: trueOrFalse()
        .optional()
        .meta({ description: "Whether to return the texts of the tokens in `token_strs`." }),
    },
    { error: "expected a JSON object" },
  )
  .refine(({ content, prompt }) => (content === undefined) !== (prompt === undefined), {
    path: ["content"],
    error: "expected a string here or in prompt, and not in both",
  })
  .meta({ id: "TokenizeRequest", override: allowNullWhereOptional });

type TokenizeRequest = z.output<typeof tokenizeRequest>;

/** Body of `POST /detokenize`. */
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
  .meta({ id: "DetokenizeRequest", override: allowNullWhereOptional });

const piece = z
  .union([z.string(), z.array(z.int().min(0).max(255))])
  .meta({ description: "Text of the token, or its bytes if the token alone is not valid text." });

/** Response of `POST /tokenize`. */
export const tokenizeResponse = z
  .object({
    tokens: z.union([
      z.array(z.int().nonnegative()),
      z.array(z.object({ id: z.int().nonnegative(), piece })),
    ]),
    count: z.int().nonnegative(),
    max_model_len: z
      .int()
      .nonnegative()
      .meta({ description: "Context size of one request, in tokens." }),
    token_strs: z.array(z.string()).optional(),
  })
  .meta({ id: "TokenizeResponse" });

type TokenizeResponse = z.infer<typeof tokenizeResponse>;

/** Response of `POST /detokenize`, with the field names of both servers. */
export const detokenizeResponse = z
  .object({ content: z.string(), prompt: z.string() })
  .meta({ id: "DetokenizeResponse" });

/** Response of `POST /apply-template`. */
export const applyTemplateResponse = z
  .object({ prompt: z.string() })
  .meta({ id: "ApplyTemplateResponse" });

/** Translates the request for the tokenizer. vLLM's clients expect a BOS, llama.cpp's do not. */
export function toQuestion(body: TokenizeRequest): TextQuestion {
  const { content, prompt, add_special: llamaCpp = false, add_special_tokens: vllm = true } = body;
  const hasBeginning = prompt === undefined ? llamaCpp : vllm;
  return {
    type: "tokenize",
    text: prompt ?? content ?? "",
    beginning: hasBeginning ? "model" : "bare",
    controlTokens: body.parse_special === false ? "literal" : "parsed",
    pieces: body.with_pieces || body.return_token_strs ? "wanted" : "unwanted",
  };
}

/** Builds the response of `POST /tokenize`, whose tokens are serialised one at a time. */
export function toTokenizeResponse(
  { tokens, pieces }: Extract<TextAnswer, { type: "tokens" }>,
  { with_pieces: withPieces, return_token_strs: withTexts }: TokenizeRequest,
  maxRequestTokens: number,
): LazyTokenizeResponse {
  assert(
    pieces !== undefined || !(withPieces || withTexts),
    "expected the pieces of the tokens, which the request asks for",
  );
  const bytesAt = (index: number) =>
    pieces === undefined ? new Uint8Array() : pieceAt(pieces, index);
  const tokenAt = (index: number) => tokens[index] ?? 0;
  return {
    tokens: withPieces
      ? new LazyList(tokens.length, (index) => ({
          id: tokenAt(index),
          piece: pieceOf(bytesAt(index)),
        }))
      : new LazyList(tokens.length, tokenAt),
    count: tokens.length,
    max_model_len: maxRequestTokens,
    ...(withTexts && {
      token_strs: new LazyList(tokens.length, (index) => Buffer.from(bytesAt(index)).toString()),
    }),
  };
}

interface LazyTokenizeResponse extends Omit<TokenizeResponse, "tokens" | "token_strs"> {
  readonly tokens: LazyList<TokenizeResponse["tokens"][number]>;
  readonly token_strs?: LazyList<string>;
}

/**
 * Formats a piece of a token like llama-server: a string, or the bytes if they are not valid UTF-8.
 */
function pieceOf(bytes: Uint8Array): string | number[] {
  return textOfBytes(bytes) ?? [...bytes];
}
