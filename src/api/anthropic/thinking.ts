import { createHash } from "node:crypto";
import type { ChatPrompt, ReasoningBudget } from "../../core/generation-request.js";
import { fromOpaqueReasoning, toOpaqueReasoning } from "../answers/opaque-reasoning.js";
import type { CountTokensRequest } from "./schema.js";

/** Whether the answer's thinking blocks have their text. */
export type ThinkingDisplay = "shown" | "omitted";

/** How a request wants thinking blocks to be displayed. @default "shown" */
export function thinkingDisplayOf({ thinking }: CountTokensRequest): ThinkingDisplay {
  const isOmitted = thinking && thinking.type !== "disabled" && thinking.display === "omitted";
  return isOmitted ? "omitted" : "shown";
}

/**
 * The variables of the chat template that turn thinking on or off. It is off by default, as with Anthropic's models:
 * clients that do not enable it read the first block as text. Models without a switch think regardless.
 */
export function templateVariablesOf({
  thinking,
  output_config: output,
}: CountTokensRequest): ChatPrompt["templateVariables"] {
  const isOn = thinking?.type === "enabled" || thinking?.type === "adaptive";
  const effort = output?.effort ?? undefined;
  return { enable_thinking: isOn, ...(effort !== undefined && { reasoning_effort: effort }) };
}

/** Maximum number of thinking tokens; `undefined`: no limit. */
export function toReasoningBudget({ thinking }: CountTokensRequest): ReasoningBudget | undefined {
  if (thinking?.type === "enabled") return { maxTokens: thinking.budget_tokens };
  return thinking?.type === "disabled" ? { maxTokens: 0 } : undefined;
}

/**
 * The signature of a thinking block, which clients send back unread. Where the text is omitted, the signature carries it,
 * so that the model has its thinking again in the next turn. It proves nothing, and is not checked.
 */
export function signatureOf(thinking: string, display: ThinkingDisplay): string {
  if (display === "omitted") return toOpaqueReasoning(thinking);
  return createHash("sha256").update("thinking\n").update(thinking).digest("base64");
}

/** The thinking of a block that a client sends back: its text, or, where it was omitted, the text in its signature. */
export function thinkingOf(block: {
  readonly thinking: string;
  readonly signature?: string | null | undefined;
}): string {
  return block.thinking || (fromOpaqueReasoning(block.signature ?? "") ?? "");
}
