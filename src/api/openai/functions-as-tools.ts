import { refusalOf } from "../../core/errors.js";
import { preview } from "../../validation/preview.js";
import type { RequestFunctionCall, RequestTool } from "./chat-tool-schema.js";
import type { ChatCompletionRequest, RequestMessage } from "./schema.js";

/** Where a completion's calls are reported; also the finish reason of a completion with calls. */
export type CallField = "tool_calls" | "function_call";

/** Calls are reported in the field that goes with the request's. */
export function callFieldOf({ functions = [] }: ChatCompletionRequest): CallField {
  return functions.length === 0 ? "tool_calls" : "function_call";
}

/**
 * OpenAI's `functions`, `function_call` and messages of functions, as tools, of which one is called at
 * most.
 * @throws {GgufdError} `invalid_request` for functions beside tools, or the name of none of them
 */
export function functionsAsTools(body: ChatCompletionRequest): ChatCompletionRequest {
  rejectBesideTools(body);
  const { functions = [], function_call: choice } = body;
  const messages = withToolCalls(body.messages);
  if (typeof choice === "object" && !functions.some(({ name }) => name === choice.name)) {
    const reason = `expected the name of one of the functions, got ${preview(choice.name)}`;
    throw refusalOf("invalid_request", [{ field: "function_call.name", reason }]);
  }
  if (functions.length === 0) return { ...body, messages };
  return {
    ...body,
    messages,
    tools: functions.map(toTool),
    tool_choice:
      typeof choice === "object" ? { type: "function", function: { name: choice.name } } : choice,
    parallel_tool_calls: false,
  };
}

function rejectBesideTools({
  functions = [],
  function_call: functionCall,
  tools = [],
  tool_choice: toolChoice,
}: ChatCompletionRequest): void {
  const other = tools.length > 0 ? "tools" : toolChoice && "tool_choice";
  const field = functions.length > 0 ? "functions" : functionCall && "function_call";
  if (other === undefined || field === undefined) return;
  const reason = `expected nothing beside ${other}, whose older form this is`;
  throw refusalOf("invalid_request", [{ field, reason }]);
}

function toTool(defined: NonNullable<ChatCompletionRequest["functions"]>[number]): RequestTool {
  const { name, description, parameters } = defined;
  return { type: "function", function: { name, description, parameters } };
}

/** The calls get ids, by which the results that follow refer to the last call of their function. */
function withToolCalls(messages: readonly RequestMessage[]): RequestMessage[] {
  const ids = new Map<string, string>();
  return messages.map((message, index) => {
    if (message.role === "function") {
      const { content, name = "" } = message;
      return { role: "tool", content, name, tool_call_id: ids.get(name) };
    }
    if (message.role !== "assistant" || message.function_call === undefined) return message;
    rejectTwoKindsOfCalls(message, index);
    const call: RequestFunctionCall = { id: idOfCall(index), function: message.function_call };
    ids.set(call.function.name, call.id);
    return { ...message, tool_calls: [call] };
  });
}

function rejectTwoKindsOfCalls(
  { tool_calls: calls = [] }: Extract<RequestMessage, { role: "assistant" }>,
  index: number,
): void {
  if (calls.length === 0) return;
  const reason = "expected nothing beside tool_calls, whose older form this is";
  throw refusalOf("invalid_request", [{ field: `messages.${index}.function_call`, reason }]);
}

/** Nine letters and digits: templates of Mistral's models insist on them. */
function idOfCall(index: number): string {
  return `call${String(index).padStart(5, "0")}`;
}
