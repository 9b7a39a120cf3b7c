import type { FinishReason } from "../../core/generation-event.js";
import type { Completion } from "./response-schema.js";

/** Maps a finish reason to OpenAI's values. */
export function toFinishReason(
  reason: FinishReason,
): Completion["choices"][number]["finish_reason"] {
  return reason === "tool-calls" ? "tool_calls" : reason;
}
