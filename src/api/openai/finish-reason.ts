import type { FinishReason } from "../../core/generation-event.js";
import type { Completion } from "./response-schema.js";

/** Why an answer ended, in OpenAI's words. */
export function toFinishReason(
  reason: FinishReason,
): Completion["choices"][number]["finish_reason"] {
  return reason === "tool-calls" ? "tool_calls" : reason;
}
