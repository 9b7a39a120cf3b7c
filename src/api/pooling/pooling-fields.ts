import { z } from "zod";
import type { PoolingRequest } from "../../core/pooling.js";
import { nonEmptyText, trueOrFalse } from "../../validation/fields.js";

/** Limit of the inputs of an embedding request: OpenAI's; Cohere's is 96. */
export const MAX_INPUTS = 2_048;

export const inputBound = { max: MAX_INPUTS, of: "inputs" };

export const atLeastOneInput = { error: "expected at least one input" };

/** Schema of the field that names the model. */
export function modelField() {
  return nonEmptyText().optional().meta({
    description: "Name of the model. Default: the first served model of this kind.",
  });
}

const truncation = z.union([z.boolean(), z.enum(["NONE", "START", "END"])], {
  error: 'expected true, false, "NONE", "START" or "END"',
});

/** Schemas of the fields that choose between truncating and refusing inputs that are too long. */
export function truncationFields() {
  return {
    truncate: truncation.optional().meta({
      description:
        "Where to truncate inputs that are too long: at the end (`true`, `END`) or the start (`START`). Default: `false` or `NONE`, which rejects them.",
    }),
    truncate_prompt_tokens: z
      .literal(-1, { error: "expected -1, which cuts at the model's limit" })
      .optional()
      .meta({ description: "-1: same as `truncate: true`. `truncate` takes precedence." }),
  };
}

type Truncation = z.output<z.ZodObject<ReturnType<typeof truncationFields>>>;

/** @param defaultTruncation default if the request has neither field */
export function toTruncation(
  { truncate, truncate_prompt_tokens: maxTokens }: Truncation,
  defaultTruncation: PoolingRequest["overlongInputs"] = "refused",
): PoolingRequest["overlongInputs"] {
  switch (truncate) {
    case true:
    case "END":
      return "cut-at-end";
    case "START":
      return "cut-at-start";
    case false:
    case "NONE":
      return "refused";
    case undefined:
      return maxTokens === undefined ? defaultTruncation : "cut-at-end";
  }
}

/** Schemas of the fields that choose between probabilities and raw scores. */
export function scoreFields() {
  return {
    raw_scores: trueOrFalse().optional().meta({
      description:
        "Whether to return the raw scores of the model. Default: `false`, probabilities.",
    }),
    use_activation: trueOrFalse().optional().meta({
      description: "`false`: same as `raw_scores: true`.",
    }),
  };
}

type ScoreFields = z.output<z.ZodObject<ReturnType<typeof scoreFields>>>;

/** @returns `as-computed` if either field requests it */
export function toScoreForm({
  raw_scores: isRaw = false,
  use_activation: isActivated = true,
}: ScoreFields) {
  return isRaw || !isActivated ? "as-computed" : "probability";
}

const tokenCount = () => z.int().nonnegative();

/** Tokens of all inputs, including special tokens. */
export const poolingUsage = z
  .object({ prompt_tokens: tokenCount(), total_tokens: tokenCount() })
  .meta({
    id: "PoolingUsage",
    description: "Total number of input tokens, including special tokens.",
  });

/** Converts a prompt's tokens to the usage of a request that generates nothing. */
export function toPoolingUsage(promptTokens: number): z.infer<typeof poolingUsage> {
  return { prompt_tokens: promptTokens, total_tokens: promptTokens };
}
