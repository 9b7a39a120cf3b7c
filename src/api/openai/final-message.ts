import { refusalOf } from "../../core/errors.js";
import type { ChatPrompt } from "../../core/generation-request.js";
import type { ChatCompletionRequest } from "./schema.js";

/**
 * Whether a final assistant message is continued: by default, as in llama.cpp; vLLM's and llama.cpp's
 * `continue_final_message` and `add_generation_prompt` say it explicitly.
 * @throws {GgufdError} `invalid_request` for contradictions, `unsupported_parameter` for a prompt that
 *   ends without the beginning of an assistant message
 */
export function finalMessageOf({
  messages,
  continue_final_message: continues,
  add_generation_prompt: begins,
}: ChatCompletionRequest): NonNullable<ChatPrompt["finalMessage"]> {
  const canContinue = isContinuable(messages.at(-1));
  if (continues && begins) {
    const reason = "expected false, because continue_final_message is true";
    throw refusalOf("invalid_request", [{ field: "add_generation_prompt", reason }]);
  }
  if (continues && !canContinue) {
    const reason = "expected a final assistant message without tool calls, to be continued";
    throw refusalOf("invalid_request", [{ field: "messages", reason }]);
  }
  const finalMessage = (continues ?? !begins) ? "continued" : "closed";
  if (begins === false && !(canContinue && finalMessage === "continued")) {
    const reason =
      "expected true, unless a final assistant message is continued, got false, which is not supported yet";
    throw refusalOf("unsupported_parameter", [{ field: "add_generation_prompt", reason }]);
  }
  return finalMessage;
}

function isContinuable(message: ChatCompletionRequest["messages"][number] | undefined): boolean {
  return message?.role === "assistant" && (message.tool_calls ?? []).length === 0;
}
