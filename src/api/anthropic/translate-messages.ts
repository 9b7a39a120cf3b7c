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
import { thinkingOf } from "./signature.js";

/**
 * The messages of a conversation. Messages of one role in a row are one, as Anthropic defines it:
 * templates insist on turns.
 */
export function toChatMessages(
  messages: readonly RequestMessage[],
  system: TextContent | undefined,
): ChatMessage[] {
  const systemText = system === undefined ? "" : toSystemText(system);
  const translated = messages.flatMap(toMessages);
  if (systemText !== "") translated.unshift(systemMessage(systemText));
  return turnsOf(translated).map(mergedMessage);
}

/**
 * The first line of Claude Code's system prompt, meant for Anthropic's accounting. It differs in every
 * request, so that no prompt would begin like the one before it.
 */
const ACCOUNTING_LINE = /^x-anthropic-billing-header:[^\n]*\n?/;

/** The system prompt. */
function toSystemText(system: TextContent): string {
  const texts = typeof system === "string" ? [system] : system.map(({ text }) => text);
  return texts
    .map((text) => text.replace(ACCOUNTING_LINE, ""))
    .filter((text) => text !== "")
    .join("\n");
}

/** Messages of one role in a row. A result is a turn of its own. */
type Turn = [ChatMessage, ...ChatMessage[]];

function turnsOf(messages: readonly ChatMessage[]): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    const turn = turns.at(-1);
    if (turn === undefined || turn[0].role !== message.role || message.role === "tool") {
      turns.push([message]);
    } else {
      turn.push(message);
    }
  }
  return turns;
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
        thoughts.push(thinkingOf(block));
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

/** The messages of a turn as one: at once, since pairs of thousands would be copied again and again. */
function mergedMessage(turn: Turn): ChatMessage {
  const [first] = turn;
  if (turn.length === 1) return first;
  if (first.role !== "assistant") {
    return { ...first, content: turn.map(({ content }) => content).join("\n") };
  }
  const answers = turn.filter((message) => message.role === "assistant");
  const reasoning = answers.flatMap(({ reasoning }) => reasoning || []).join("\n");
  const toolCalls = answers.flatMap(({ toolCalls }) => toolCalls ?? []);
  return {
    role: "assistant",
    content: answers.map(({ content }) => content).join(""),
    ...(reasoning !== "" && { reasoning }),
    ...(toolCalls.length > 0 && { toolCalls }),
  };
}

function joinedTexts(blocks: readonly { readonly text: string }[]): string {
  return blocks.map(({ text }) => text).join("\n");
}
