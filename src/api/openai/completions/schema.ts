import { z } from "zod";
import { boundedArray, boundedCount } from "../../../validation/bounded-collections.js";
import { integerBetween, nonEmptyText, text, trueOrFalse } from "../../../validation/fields.js";
import { cachePromptField } from "../cache-prompt.js";
import { constraintFields } from "../constraint-schema.js";
import { nullableWhereOptional } from "../describe-nulls.js";
import { priorityField } from "../priority-schema.js";
import { samplingFields, stoppingFields } from "../sampling-schema.js";
import { streamOptions } from "../stream-options-schema.js";

/** Prompts of one request. Each of their completions takes a slot, so the queue may refuse fewer. */
const MAX_PROMPTS = 1_000;
/** Above what a body may hold. */
const MAX_PROMPT_TOKENS = 1_000_000;
/** Completions of one prompt. */
const MAX_COMPLETIONS = 16;

const atLeastOnePrompt = { error: "expected at least one prompt" };
const texts = boundedArray(
  z.array(z.string({ error: "expected a text, as the other prompts" })).min(1, atLeastOnePrompt),
  { max: MAX_PROMPTS, of: "prompts" },
);
const tokens = boundedArray(
  z
    .array(integerBetween(0, Number.MAX_SAFE_INTEGER), { error: "expected token ids" })
    .min(1, { error: "expected at least one token id" }),
  { max: MAX_PROMPT_TOKENS, of: "token ids" },
);
const tokenLists = boundedArray(z.array(tokens).min(1, atLeastOnePrompt), {
  max: MAX_PROMPTS,
  of: "prompts",
});

const anyPrompt = z
  .union([z.string(), texts, tokens, tokenLists], {
    error: "expected a text, token ids, or a list of either",
  })
  .meta({ description: "What is continued: a text, token ids, or several of either." });
const prompt = boundedCount(anyPrompt, { max: MAX_PROMPTS, of: "prompts", countOf: promptsIn });

function promptsIn(value: unknown): number {
  return Array.isArray(value) && typeof value[0] !== "number" ? value.length : 1;
}

/** The body of `POST /v1/completions`. Nulls, which mean absent, have been removed. */
export const textCompletionRequest = z
  .looseObject(
    {
      model: nonEmptyText()
        .optional()
        .meta({ description: "The model's name. Default: the served model." }),
      prompt,
      suffix: text().optional().meta({
        description: "The text behind a gap that the completion fills, where the model can.",
      }),
      echo: trueOrFalse()
        .optional()
        .meta({ description: "true: the completion begins with the prompt, which is a text." }),
      n: integerBetween(1, MAX_COMPLETIONS).optional().meta({
        description: "Number of completions of each prompt.",
      }),
      best_of: integerBetween(1, MAX_COMPLETIONS).optional().meta({
        description:
          "Of so many completions, the n with the highest log-probability per token are returned.",
      }),
      logprobs: integerBetween(0, 20).optional().meta({
        description: "Number of most probable tokens that are reported for each token.",
      }),
      ...stoppingFields(),
      max_tokens: integerBetween(-1, Number.POSITIVE_INFINITY).optional().meta({
        description:
          "Maximum number of tokens to generate; 0: none, for the log-probabilities of an echoed prompt; -1 for as many as fit.",
      }),
      ...samplingFields(),
      ...constraintFields(),
      stream: trueOrFalse().optional().meta({ description: "true: server-sent events." }),
      stream_options: streamOptions(),
      priority: priorityField(),
      cache_prompt: cachePromptField(),
    },
    { error: "expected a JSON object" },
  )
  .meta({
    id: "TextCompletionRequest",
    description:
      "null means absent for every optional field. Unknown fields are ignored. Without a limit a completion has 16 tokens, as OpenAI's.",
    override: nullableWhereOptional,
  });

export type TextCompletionRequest = z.output<typeof textCompletionRequest>;
