import type { ChatMessage, ToolCall } from "../../core/generation-request.js";
import { writtenText } from "../../core/written-json.js";
import type {
  AssistantMessage,
  RequestMessage,
  TextContent,
  ToolResultBlock,
  ToolUseBlock,
  UserMessage,
} from "./content-schema.js";
import { toSystemText } from "./system-text.js";

/**
 * The messages of a conversation. Messages of one role in a row are one, as Anthropic defines it:
 * templates insist on turns.
 */
export function toChatMessages(
  messages: readonly RequestMessage[],
  system: TextContent | undefined,
): ChatMessage[] {
  const systemText = system === undefined ? "" : toSystemText(system);
  const translated: ChatMessage[] = systemText === "" ? [] : [systemMessage(systemText)];
  for (const message of messages.flatMap(toMessages)) {
    const previous = translated.at(-1);
    const merged = previous && mergedMessage(previous, message);
    if (merged === undefined) translated.push(message);
    else translated[translated.length - 1] = merged;
  }
  return translated;
}

function toMessages(message: RequestMessage): ChatMessage[] {
  switch (message.role) {
    case "user":
      return userMessages(message);
    case "assistant":
      return [assistantMessage(message)];
    case "system":
      return [systemMessage(toSystemText(message.content))];
  }
}

function systemMessage(content: string): ChatMessage {
  return { role: "system", content };
}

/** Results come first: they answer the calls of the message before. */
function userMessages({ content }: UserMessage): ChatMessage[] {
  if (typeof content === "string") return [{ role: "user", content }];
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const results = content.flatMap((block) =>
    block.type === "tool_result" ? [toolMessage(block)] : [],
  );
  const isText = texts.length > 0 || results.length === 0;
  return [...results, ...(isText ? [{ role: "user" as const, content: texts.join("\n") }] : [])];
}

function toolMessage({ tool_use_id, content, is_error: isError }: ToolResultBlock): ChatMessage {
  const text = typeof content === "string" ? content : joinedTexts(content ?? []);
  return { role: "tool", toolCallId: tool_use_id, content: isError ? asError(text) : text };
}

/** Templates have no field for it. */
function asError(text: string): string {
  return /^\W*error/i.test(text) ? text : `Error: ${text}`;
}

/** Texts of the assistant follow each other directly: it wrote them in one go. */
function assistantMessage({ content }: AssistantMessage): ChatMessage {
  if (typeof content === "string") return { role: "assistant", content };
  let text = "";
  const thoughts: string[] = [];
  const toolCalls: ToolCall[] = [];
  for (const block of content) {
    switch (block.type) {
      case "text":
        text += block.text;
        break;
      case "thinking":
        thoughts.push(block.thinking);
        break;
      case "tool_use":
        toolCalls.push(toToolCall(block));
        break;
      case "redacted_thinking":
    }
  }
  const reasoning = thoughts.filter((thought) => thought !== "").join("\n");
  return {
    role: "assistant",
    content: text,
    ...(reasoning !== "" && { reasoning }),
    ...(toolCalls.length > 0 && { toolCalls }),
  };
}

function toToolCall({ id, name, input }: ToolUseBlock): ToolCall {
  return { id, name, arguments: writtenText(input) };
}

/** Two messages as one; `undefined`: they are of different roles, or results. */
function mergedMessage(first: ChatMessage, second: ChatMessage): ChatMessage | undefined {
  if (first.role === "assistant" && second.role === "assistant") {
    const reasoning = [first.reasoning, second.reasoning].filter(Boolean).join("\n");
    const toolCalls = [...(first.toolCalls ?? []), ...(second.toolCalls ?? [])];
    return {
      role: "assistant",
      content: first.content + second.content,
      ...(reasoning !== "" && { reasoning }),
      ...(toolCalls.length > 0 && { toolCalls }),
    };
  }
  if (first.role !== second.role || first.role === "tool") return undefined;
  return { ...first, content: `${first.content}\n${second.content}` };
}

function joinedTexts(blocks: readonly { readonly text: string }[]): string {
  return blocks.map(({ text }) => text).join("\n");
}
