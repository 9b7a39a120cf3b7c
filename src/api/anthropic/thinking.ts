import type { ChatPrompt, ReasoningBudget } from "../../core/generation-request.js";
import type { CountTokensRequest } from "./schema.js";

/** Whether thinking blocks have their text. */
export type ThinkingDisplay = "shown" | "omitted";

export function thinkingDisplayOf({ thinking }: CountTokensRequest): ThinkingDisplay {
  const isOmitted = thinking && thinking.type !== "disabled" && thinking.display === "omitted";
  return isOmitted ? "omitted" : "shown";
}

/**
 * Thinking must be asked for, as with Anthropic's models: clients that do not ask read the first block
 * as text. Models without a switch think all the same.
 */
export function templateVariablesOf({
  thinking,
  output_config: output,
}: CountTokensRequest): ChatPrompt["templateVariables"] {
  const isOn = thinking?.type === "enabled" || thinking?.type === "adaptive";
  const effort = output?.effort ?? undefined;
  return { enable_thinking: isOn, ...(effort !== undefined && { reasoning_effort: effort }) };
}

/** How long thinking may be; `undefined`: as long as the model makes it. */
export function toReasoningBudget({ thinking }: CountTokensRequest): ReasoningBudget | undefined {
  if (thinking?.type === "enabled") return { maxTokens: thinking.budget_tokens };
  return thinking?.type === "disabled" ? { maxTokens: 0 } : undefined;
}
