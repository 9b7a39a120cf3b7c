import type { ChatMessage, ChatPrompt } from "../../../../../src/core/generation-request.js";

/** A conversation as llama-server receives it. */
export function requestBody({ messages, tools, templateVariables }: ChatPrompt) {
  return {
    messages: messages.map(requestMessage),
    ...(tools.length > 0 && {
      tools: tools.map((definition) => ({ type: "function", function: definition })),
    }),
    chat_template_kwargs: templateVariables,
  };
}

function requestMessage(message: ChatMessage) {
  switch (message.role) {
    case "system":
    case "user":
      return message;
    case "assistant":
      return {
        role: message.role,
        content: message.content,
        reasoning_content: message.reasoning,
        tool_calls: message.toolCalls?.map(({ id, ...called }) => ({
          id,
          type: "function",
          function: called,
        })),
      };
    case "tool":
      return {
        role: message.role,
        content: message.content,
        tool_call_id: message.toolCallId,
        name: message.name,
      };
  }
}
