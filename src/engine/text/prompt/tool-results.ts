import type { ChatMessage } from "../../../core/generation-request.js";
import { parseJson } from "./jinja/json.js";
import type { Dictionary, Value } from "./jinja/value.js";

/** Consecutive results in the order of the calls that they answer; those of no known call first. */
export function withResultsAsCalled(messages: readonly ChatMessage[]): ChatMessage[] {
  const ordered: ChatMessage[] = [];
  let positions = new Map<string, number>();
  const position = ({ toolCallId = "" }: ToolMessage) => positions.get(toolCallId) ?? -1;
  for (let index = 0; index < messages.length; index = ordered.length) {
    const results = leadingResults(messages, index);
    ordered.push(...results.toSorted((a, b) => position(a) - position(b)));
    const next = messages[ordered.length];
    if (next === undefined) break;
    if (next.role === "assistant") {
      positions = new Map(next.toolCalls?.map(({ id }, place) => [id, place]));
    }
    ordered.push(next);
  }
  return ordered;
}

type ToolMessage = Extract<ChatMessage, { role: "tool" }>;

/** The results that begin at an index, until another message. */
function leadingResults(messages: readonly ChatMessage[], start: number): ToolMessage[] {
  const results: ToolMessage[] = [];
  for (let index = start; ; index++) {
    const message = messages[index];
    if (message?.role !== "tool") return results;
    results.push(message);
  }
}

/**
 * Results, and the answer after them, as parts of the message with the calls, in the fields that
 * Gemma 4's templates read. Where a result is JSON, they print it in a form of their own.
 */
export function withResultsInCalls(messages: readonly Dictionary[]): Dictionary[] {
  const converted: Dictionary[] = [];
  let calling: Dictionary | undefined;
  for (const message of messages) {
    const role = message.get("role");
    if (calling !== undefined && role === "tool") {
      addResult(calling, message);
    } else if (calling !== undefined && isAnswer(message)) {
      calling.set("content", message.get("content"));
      calling = undefined;
    } else {
      const copy = new Map(message);
      converted.push(copy);
      calling = copy.has("tool_calls") ? copy : undefined;
    }
  }
  return converted;
}

function isAnswer(message: Dictionary): boolean {
  const isText = message.get("role") === "assistant" && !message.has("tool_calls");
  return isText && message.get("content") !== "";
}

function addResult(calling: Dictionary, result: Dictionary): void {
  const present = calling.get("tool_responses");
  const responses = Array.isArray(present) ? present : [];
  const calls = calling.get("tool_calls");
  const call = Array.isArray(calls) ? calls[responses.length] : undefined;
  const called = call instanceof Map ? call.get("function") : undefined;
  const name = called instanceof Map ? called.get("name") : result.get("tool_call_id");
  responses.push(
    new Map<Value, Value>([
      ["name", name],
      ["response", parsedResult(result.get("content"))],
    ]),
  );
  calling.set("tool_responses", responses);
}

function parsedResult(content: Value): Value {
  if (typeof content !== "string") return content;
  try {
    return parseJson(content, (text) => text);
  } catch {
    return content;
  }
}
