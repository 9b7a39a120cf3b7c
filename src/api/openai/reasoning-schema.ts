import { z } from "zod";
import { integerBetween } from "../../validation/fields.js";

const UNBOUNDED = Number.POSITIVE_INFINITY;
/** It is tokenised whenever it is needed. */
const MAX_MESSAGE_LENGTH = 10_000;

/** A number of tokens; -1: no limit. */
export const reasoningBudget = integerBetween(-1, UNBOUNDED);

const messageError = `expected a string of at most ${MAX_MESSAGE_LENGTH} characters`;

/** How long reasoning may be: llama.cpp's, Qwen's and vLLM's names of one parameter, in order of precedence. */
export const reasoningBudgetFields = {
  reasoning_budget_tokens: reasoningBudget.optional().meta({
    description:
      "Maximum number of tokens of reasoning, which is closed then; 0: no reasoning, -1: no limit.",
  }),
  reasoning_budget: reasoningBudget.optional(),
  thinking_budget_tokens: reasoningBudget.optional(),
  thinking_budget: reasoningBudget.optional(),
  thinking_token_budget: reasoningBudget.optional(),
  reasoning_budget_message: z
    .string({ error: messageError })
    .max(MAX_MESSAGE_LENGTH, { error: messageError })
    .optional()
    .meta({ description: "Text at the end of reasoning that the budget closes." }),
};
