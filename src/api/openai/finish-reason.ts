import type { FinishReason } from "../../core/generation-event.js";
import type { CallField } from "./functions-as-tools.js";
import type { Completion } from "./response-schema.js";

/** Maps a finish reason to OpenAI's values. */
export function toFinishReason(
  reason: FinishReason,
  callField: CallField,
): Completion["choices"][number]["finish_reason"] {
  return reason === "tool-calls" ? callField : reason;
}
