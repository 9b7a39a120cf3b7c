import { refusalOf } from "../../core/errors.js";
import type { ReasoningBudget } from "../../core/generation-request.js";
import { preview } from "../../validation/preview.js";
import { reasoningBudget } from "./reasoning-schema.js";
import type { ChatCompletionRequest } from "./schema.js";

const NO_LIMIT = -1;

/**
 * How long a request lets its reasoning be.
 * @throws {GgufdError} `invalid_request` for a template variable `thinking_budget` that is none
 */
export function toReasoningBudget(body: ChatCompletionRequest): ReasoningBudget | undefined {
  const maxTokens =
    body.reasoning_budget_tokens ??
    body.reasoning_budget ??
    body.thinking_budget_tokens ??
    body.thinking_budget ??
    body.thinking_token_budget ??
    budgetVariable(body) ??
    NO_LIMIT;
  if (maxTokens === NO_LIMIT) return undefined;
  return { maxTokens, message: body.reasoning_budget_message };
}

/** Qwen's clients send it to the template. */
function budgetVariable({ chat_template_kwargs: variables }: ChatCompletionRequest) {
  const value = variables?.thinking_budget;
  if (value === undefined || value === null) return undefined;
  const { data, error } = reasoningBudget.safeParse(value);
  if (error === undefined) return data;
  const reason = `${error.issues[0]?.message}, got ${preview(value)}`;
  throw refusalOf("invalid_request", [{ field: "chat_template_kwargs.thinking_budget", reason }]);
}
