import { refusalOf } from "../../../core/errors.js";
import type { ChatMessage, ToolCall } from "../../../core/generation-request.js";
import { preview } from "../../../validation/preview.js";
import { fromOpaqueReasoning } from "../../answers/opaque-reasoning.js";
import { customArguments } from "../custom-tool.js";
import { offeredName } from "./offered-tools.js";
import type {
  CustomCallItem,
  FunctionCallItem,
  ReasoningItem,
  StoredItem,
} from "./response-schema.js";

type CalledItem = FunctionCallItem | CustomCallItem;

/** An answer of the assistant, put together from reasoning, text and calls that follow each other. */
interface Answer {
  readonly role: "assistant";
  content: string;
  reasoning?: string;
  toolCalls?: ToolCall[];
}

/** The place of an item's field in the request, for errors. */
export type PathOf = (index: number, field: string) => string;

/**
 * The messages of a conversation. Reasoning, a message and calls that follow each other are one
 * message of the assistant, as the model wrote them.
 * @throws {GgufdError} `invalid_request` for the output of a call that is not there, and reasoning
 *   that another server has encrypted
 */
export function toMessages(items: readonly StoredItem[], pathOf: PathOf): readonly ChatMessage[] {
  const messages: ChatMessage[] = [];
  const names = new Map<string, string>();
  let answer: Answer | undefined;
  const answerFor = (canJoin: (answer: Answer) => boolean): Answer => {
    if (answer === undefined || !canJoin(answer)) {
      answer = { role: "assistant", content: "" };
      messages.push(answer);
    }
    return answer;
  };
  for (const [index, item] of items.entries()) {
    if (item.type === "reasoning") {
      const text = reasoningOf(item, pathOf(index, "encrypted_content"));
      const joined = answerFor(isOnlyReasoning);
      joined.reasoning = joinLines(joined.reasoning, text);
    } else if (item.type === "message" && item.role === "assistant") {
      answerFor(isOnlyReasoning).content = item.content
        .map((part) => (part.type === "refusal" ? part.refusal : part.text))
        .join("\n");
    } else if (item.type === "function_call" || item.type === "custom_tool_call") {
      const call = toToolCall(item);
      const joined = answerFor(() => true);
      joined.toolCalls ??= [];
      joined.toolCalls.push(call);
      names.set(call.id, call.name);
    } else {
      answer = undefined;
      messages.push(toMessage(item, names, pathOf(index, "call_id")));
    }
  }
  return messages;
}

/** A call as the model wrote it: by the name that it was offered, and with the arguments of that. */
function toToolCall(item: CalledItem): ToolCall {
  const written = item.type === "function_call" ? item.arguments : customArguments(item.input);
  return { id: item.call_id, name: offeredName(item), arguments: written };
}

function toMessage(
  item: Exclude<StoredItem, ReasoningItem | CalledItem | { role: "assistant" }>,
  names: ReadonlyMap<string, string>,
  field: string,
): ChatMessage {
  if (item.type === "message") {
    const content = joinParts(item.content);
    return { role: item.role === "user" ? "user" : "system", content };
  }
  const { call_id: toolCallId, output } = item;
  const name = names.get(toolCallId);
  if (name === undefined) {
    const called = item.type === "function_call_output" ? "function_call" : "custom_tool_call";
    const reason = `expected the call_id of a ${called} before it, got ${preview(toolCallId)}`;
    throw refusalOf("invalid_request", [{ field, reason }]);
  }
  const content = typeof output === "string" ? output : joinParts(output);
  return { role: "tool", content, toolCallId, name };
}

function isOnlyReasoning({ content, toolCalls }: Answer): boolean {
  return content === "" && toolCalls === undefined;
}

function joinParts(parts: readonly { readonly text: string }[]): string {
  return parts.map(({ text }) => text).join("\n");
}

/** The fullest text that the item has. */
function reasoningOf(
  { content, summary, encrypted_content }: ReasoningItem,
  field: string,
): string {
  const opaque = encrypted_content ? fromOpaqueReasoning(encrypted_content) : "";
  if (opaque === undefined) {
    const reason = `expected the encrypted_content of a response of this server, got ${preview(encrypted_content)}`;
    throw refusalOf("invalid_request", [{ field, reason }]);
  }
  if (content !== undefined && content.length > 0) return joinParts(content);
  return opaque || joinParts(summary);
}

function joinLines(first: string | undefined, second: string): string {
  return first === undefined ? second : `${first}\n${second}`;
}
