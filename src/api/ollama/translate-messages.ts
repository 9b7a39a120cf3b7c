import type { ChatMessage } from "../../core/generation-request.js";
import type { OllamaMessage } from "./message-schema.js";
import { OpenCalls } from "./open-calls.js";

/** Translates a conversation; a result without a call's id answers the first call that is open. */
export function toChatMessages(messages: readonly OllamaMessage[]): ChatMessage[] {
  const calls = new OpenCalls();
  return messages.map((message) => toChatMessage(message, calls));
}

function toChatMessage(message: OllamaMessage, calls: OpenCalls): ChatMessage {
  const { role, content = "", thinking, tool_calls: made = [] } = message;
  switch (role) {
    case "system":
    case "user":
      return { role, content };
    case "assistant": {
      const toolCalls = made.length === 0 ? undefined : calls.begin(made);
      return { role, content, reasoning: thinking, toolCalls };
    }
    case "tool": {
      const { tool_call_id: id, tool_name: name } = message;
      const call = calls.take(message);
      return { role, content, toolCallId: id ?? call?.id, name: name ?? call?.name };
    }
  }
}
