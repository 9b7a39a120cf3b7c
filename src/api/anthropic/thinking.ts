import { createHash } from "node:crypto";
import type { ChatPrompt, ReasoningBudget } from "../../core/generation-request.js";
import { fromOpaqueReasoning, toOpaqueReasoning } from "../answers/opaque-reasoning.js";
import type { CountTokensRequest } from "./schema.js";

/** Whether the answer's thinking blocks contain their text. */
export type ThinkingDisplay = "shown" | "omitted";

/** Reads how thinking blocks are displayed. @default "shown" */
export function thinkingDisplayOf({ thinking }: CountTokensRequest): ThinkingDisplay {
  const isOmitted = thinking && thinking.type !== "disabled" && thinking.display === "omitted";
  return isOmitted ? "omitted" : "shown";
}

/**
 * Sets the template variables that control thinking. It is off by default, as with Anthropic's
 * models: clients that do not enable it read the first block as text. Models without such a switch
 * think regardless.
 */
export function toTemplateVariables({
  thinking,
  output_config: output,
}: CountTokensRequest): ChatPrompt["templateVariables"] {
  const isOn = thinking?.type === "enabled" || thinking?.type === "adaptive";
  const effort = output?.effort ?? undefined;
  return { enable_thinking: isOn, ...(effort !== undefined && { reasoning_effort: effort }) };
}

/** Translates the maximum number of thinking tokens; `undefined`: unlimited. */
export function toReasoningBudget({ thinking }: CountTokensRequest): ReasoningBudget | undefined {
  if (thinking?.type === "enabled") return { maxTokens: thinking.budget_tokens };
  return thinking?.type === "disabled" ? { maxTokens: 0 } : undefined;
}

/**
 * Creates the signature of a thinking block, which clients send back unread. If the text is
 * omitted, the signature carries it, so that it can be restored in the next request. The signature
 * proves nothing and is not verified.
 */
export function createSignature(thinking: string, display: ThinkingDisplay): string {
  if (display === "omitted") return toOpaqueReasoning(thinking);
  return createHash("sha256").update("thinking\n").update(thinking).digest("base64");
}

/**
 * Reads the thinking of a block that a client sends back: its text, or, if omitted, the text in its
 * signature.
 */
export function decodeThinking(block: {
  readonly thinking: string;
  readonly signature?: string | null | undefined;
}): string {
  return block.thinking || (fromOpaqueReasoning(block.signature ?? "") ?? "");
}
