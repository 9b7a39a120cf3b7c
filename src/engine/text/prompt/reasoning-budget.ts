import { refusalOf } from "../../../core/errors.js";
import type { ChatPrompt, ReasoningBudget } from "../../../core/generation-request.js";
import type { ReasoningClosing, ReasoningLimit } from "./prepared-generation.js";

/**
 * A prompt whose answer's reasoning has a budget: a template that reads `thinking_budget` gets it, and
 * where there is none, thinking is off if the template has a switch.
 */
export function withReasoningBudget(
  prompt: ChatPrompt,
  budget: ReasoningBudget | undefined,
): ChatPrompt {
  if (budget === undefined) return prompt;
  const { maxTokens } = budget;
  const templateVariables = {
    thinking_budget: maxTokens,
    ...prompt.templateVariables,
    ...(maxTokens === 0 && { enable_thinking: false }),
  };
  return { ...prompt, templateVariables };
}

/**
 * The limit of an answer's reasoning.
 * @throws {GgufdError} `invalid_request` for a message that would close the reasoning itself
 */
export function reasoningLimit(
  budget: ReasoningBudget | undefined,
  closing: ReasoningClosing,
): ReasoningLimit | undefined {
  if (budget === undefined) return undefined;
  if (budget.message?.includes(closing.mark)) {
    const reason = `expected a text without ${closing.mark}, which closes this model's reasoning`;
    throw refusalOf("invalid_request", [{ field: "reasoning_budget_message", reason }]);
  }
  return { ...budget, closing };
}
