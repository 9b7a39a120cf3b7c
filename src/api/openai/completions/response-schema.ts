/** Schemas of the answers of `/v1/completions`; a test checks them against OpenAI's own types. */
import { z } from "zod";
import { commonFields, openAiError, timings, usage } from "../response-schema.js";

const textLogprobs = z
  .object({
    tokens: z.array(z.string()).meta({
      description: "Their texts; a part of a character is written as its bytes, `bytes:\\xe5`.",
    }),
    token_logprobs: z.array(z.number().nullable()).meta({
      description: "null: the first token of an echoed prompt, which follows nothing.",
    }),
    top_logprobs: z
      .array(z.record(z.string(), z.number()).nullable())
      .meta({ description: "The most probable tokens, and the token itself; null as above." }),
    text_offset: z.array(z.int().nonnegative()).meta({
      description: "Where the tokens begin in the text, in characters.",
    }),
  })
  .meta({
    id: "TextLogprobs",
    description:
      "The tokens of the completion, in the older shape. With `echo`: all of the prompt and of the completion, also those that are no text.",
  });

export type TextLogprobs = z.infer<typeof textLogprobs>;

const choice = {
  index: z.int().nonnegative().meta({
    description: "Position among all: the completions of the first prompt come first.",
  }),
  text: z.string(),
  logprobs: textLogprobs.nullable(),
};

const finishReason = z.enum(["stop", "length"]);

/** The completions of all prompts. */
export const textCompletion = z
  .object({
    ...commonFields,
    object: z.literal("text_completion"),
    choices: z.array(z.object({ ...choice, finish_reason: finishReason })),
    usage,
    timings,
  })
  .meta({ id: "TextCompletion" });

export type TextCompletion = z.infer<typeof textCompletion>;

/** One event of a streamed completion. */
export const textCompletionChunk = z
  .object({
    ...commonFields,
    object: z.literal("text_completion"),
    choices: z
      .array(z.object({ ...choice, finish_reason: finishReason.nullable() }))
      .meta({ description: "One choice, or none in the chunk with the usage." }),
    usage: usage.nullable().optional().meta({
      description: "With `include_usage`: in the last chunk; null in the chunks before it.",
    }),
    timings: timings.optional().meta({ description: "In the chunk with the finish reason." }),
  })
  .meta({ id: "TextCompletionChunk" });

export type TextCompletionChunk = z.infer<typeof textCompletionChunk>;

/** The data of a stream event: a chunk, or the error that ends the stream. */
export const textCompletionEvent = z
  .union([textCompletionChunk, openAiError])
  .meta({ id: "TextCompletionEvent" });
