import type { TextMessage, ToolCall, ToolDefinition } from "../../../core/generation-request.js";

/**
 * Rewrites messages for models whose template does not support tools: the system message describes
 * the tools and the form of a call, calls are assistant text, and results are user messages.
 */
export function withDescribedTools(
  messages: readonly TextMessage[],
  tools: readonly ToolDefinition[],
): TextMessage[] {
  const plainMessages = withoutResults(messages.map(withoutCalls));
  if (tools.length === 0) return plainMessages;
  const [first, ...rest] = plainMessages;
  if (first?.role !== "system")
    return [{ role: "system", content: describeTools(tools) }, ...plainMessages];
  return [{ ...first, content: `${first.content}\n\n${describeTools(tools)}` }, ...rest];
}

function describeTools(tools: readonly ToolDefinition[]): string {
  const toolLines = tools.map(({ name, description: purpose, parameters }) =>
    JSON.stringify({ name, description: purpose, parameters }),
  );
  return [
    "You can call these tools, which are described in JSON:",
    ...toolLines,
    "To call a tool, answer with nothing but a JSON object in this form:",
    '{"tool_call": {"name": "the tool\'s name", "arguments": {"the parameter\'s name": "its value"}}}',
    "For several calls, write one such object per line. The results are in the next message.",
    "If no tool is needed, answer in plain text.",
  ].join("\n");
}

function withoutCalls(message: TextMessage): TextMessage {
  if (message.role !== "assistant" || message.toolCalls === undefined) return message;
  const { content, toolCalls, reasoning } = message;
  const lines =
    content === "" ? toolCalls.map(formatCall) : [content, ...toolCalls.map(formatCall)];
  return { role: "assistant", content: lines.join("\n"), reasoning };
}

/** Formats a call, with its arguments byte for byte. */
function formatCall({ name, arguments: text }: ToolCall): string {
  return `{"tool_call": {"name": ${JSON.stringify(name)}, "arguments": ${text}}}`;
}

/**
 * Merges consecutive results and the following user message into one message, because many
 * templates require that user and assistant alternate.
 */
function withoutResults(messages: readonly TextMessage[]): TextMessage[] {
  const converted: TextMessage[] = [];
  for (const [index, message] of messages.entries()) {
    const last = converted.at(-1);
    const text = message.role === "tool" ? formatResult(message) : message.content;
    const followsResult = messages[index - 1]?.role === "tool";
    if (followsResult && (message.role === "tool" || message.role === "user") && last) {
      converted[converted.length - 1] = { ...last, content: `${last.content}\n${text}` };
    } else {
      converted.push(message.role === "tool" ? { role: "user", content: text } : message);
    }
  }
  return converted;
}

function formatResult({ content, name }: { readonly content: string; readonly name?: string }) {
  return name === undefined ? `Result of the tool: ${content}` : `Result of ${name}: ${content}`;
}
