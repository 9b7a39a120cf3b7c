import type { ChatCompletion } from "openai/resources/chat/completions";
import type { FinishReason } from "../../core/generation-event.js";

/** Why an answer ended, in OpenAI's words. */
export function toFinishReason(reason: FinishReason): ChatCompletion.Choice["finish_reason"] {
  return reason === "tool-calls" ? "tool_calls" : reason;
}
