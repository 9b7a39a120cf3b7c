import { createRefusal } from "../../core/errors.js";
import type { ToolCall, ToolDefinition, ToolUse } from "../../core/generation-request.js";
import { preview } from "../../validation/preview.js";
import { toCustomArguments, toCustomDefinition } from "../fields/custom-tool.js";
import { createNoCallableToolError, type HostedTool } from "../fields/hosted-tools.js";
import { rejectRepeatedNames } from "../fields/tool-names.js";
import {
  type ChatTool,
  isClientTool,
  isCustomCall,
  type NamedTool,
  nameOfTool,
  type RequestFunctionCall,
  type RequestTool,
  type RequestToolCall,
} from "../fields/tool-schema.js";
import type { ChatCompletionRequest, RequestMessage } from "./schema.js";

/**
 * Translates the tools of a chat to the definitions in its prompt, without hosted tools.
 * @throws {GgufdError} `invalid_request` for a custom tool that shares its name with another tool
 */
export function toToolDefinitions(tools: readonly ChatTool[] = []): readonly ToolDefinition[] {
  rejectRepeatedNames(
    tools
      .filter(isClientTool)
      .map((tool) => ({ name: nameOfTool(tool), isLookedUp: tool.type === "custom" })),
  );
  return tools.flatMap((tool, index) => (isClientTool(tool) ? [toDefinition(tool, index)] : []));
}

/** Returns the hosted tools of a request, including OpenAI's `web_search_options`. */
export function listHostedTools({
  tools = [],
  web_search_options: searchOptions,
}: ChatCompletionRequest): readonly HostedTool[] {
  const hosted = tools.flatMap((tool, index) =>
    isClientTool(tool) ? [] : [{ field: `tools.${index}.type`, type: tool.type }],
  );
  if (searchOptions === undefined) return hosted;
  return [...hosted, { field: "web_search_options", type: "web_search" }];
}

/** Restores a call of an earlier message to the form in which the model wrote it. */
export function toToolCall(call: RequestToolCall): ToolCall {
  const { id } = call;
  if (isCustomCall(call)) {
    return { id, name: call.custom.name, arguments: toCustomArguments(call.custom.input) };
  }
  return { id, name: call.function.name, arguments: call.function.arguments };
}

/**
 * Translates `tool_choice`: whether the model may or must call tools, and which.
 * @throws {GgufdError} `invalid_request` for a tool choice that is not among the request's tools
 */
export function toToolUse(body: ChatCompletionRequest): ToolUse {
  const { tool_choice: choice = "auto" } = body;
  if (choice === "none" || choice === "auto") return { demand: "optional" };
  if (choice === "required") {
    rejectWithoutTools(body);
    return { demand: "required" };
  }
  if (choice.type !== "allowed_tools") {
    return {
      demand: "required",
      callable: [resolveToolName(choice, "tool_choice", body)],
      calls: "one",
    };
  }
  const { mode, tools } = choice.allowed_tools;
  const callable = tools.map((tool, index) =>
    resolveToolName(tool, `tool_choice.allowed_tools.tools.${index}`, body),
  );
  return { demand: mode === "required" ? "required" : "optional", callable };
}

function toDefinition(tool: RequestTool, index: number): ToolDefinition {
  if (tool.type === "function") {
    const { name, description, parameters, strict } = tool.function;
    return {
      name,
      description: description ?? undefined,
      parameters: parameters ?? undefined,
      parametersField: `tools.${index}.function.parameters`,
      strict: strict ?? undefined,
    };
  }
  const { name, description, format } = tool.custom;
  return toCustomDefinition({
    name,
    description,
    grammar: format?.type === "grammar" ? format.grammar : undefined,
    definitionField: `tools.${index}.custom.format.grammar.definition`,
  });
}

function rejectWithoutTools(body: ChatCompletionRequest): void {
  if (body.tools?.some(isClientTool)) return;
  throw createNoCallableToolError(listHostedTools(body));
}

/**
 * Returns the name of a tool that `tool_choice` selects.
 * @param path path of the selected tool in the request
 * @throws {GgufdError} `invalid_request` if the request has no such tool
 */
function resolveToolName(
  namedTool: NamedTool,
  path: string,
  { tools = [] }: ChatCompletionRequest,
): string {
  const { type } = namedTool;
  const { name } = type === "function" ? namedTool.function : namedTool.custom;
  const clientTools = tools.filter(isClientTool);
  if (clientTools.some((tool) => tool.type === type && nameOfTool(tool) === name)) return name;
  const reason = `expected the name of one of the tools of type ${type}, got ${preview(name)}`;
  throw createRefusal("invalid_request", [{ field: `${path}.${type}.name`, reason }]);
}

/**
 * Replaces OpenAI's deprecated `functions`, `function_call` and function messages by tools, of
 * which at most one is called.
 * @throws {GgufdError} `invalid_request` for functions together with tools, or for a name that no
 *   function has
 */
export function convertFunctionsToTools(body: ChatCompletionRequest): ChatCompletionRequest {
  rejectFunctionsWithTools(body);
  const { functions = [], function_call: choice } = body;
  const messages = withToolCalls(body.messages);
  if (typeof choice === "object" && !functions.some(({ name }) => name === choice.name)) {
    const reason = `expected the name of one of the functions, got ${preview(choice.name)}`;
    throw createRefusal("invalid_request", [{ field: "function_call.name", reason }]);
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

function rejectFunctionsWithTools({
  functions = [],
  function_call: functionCall,
  tools = [],
  tool_choice: toolChoice,
}: ChatCompletionRequest): void {
  const other = tools.length > 0 ? "tools" : toolChoice && "tool_choice";
  const field = functions.length > 0 ? "functions" : functionCall && "function_call";
  if (other === undefined || field === undefined) return;
  const reason = `expected no value in addition to ${other}, which replaces this field`;
  throw createRefusal("invalid_request", [{ field, reason }]);
}

function toTool(
  functionDefinition: NonNullable<ChatCompletionRequest["functions"]>[number],
): RequestTool {
  const { name, description, parameters } = functionDefinition;
  return { type: "function", function: { name, description, parameters } };
}

/** Assigns ids to calls. Each result refers to the last call of its function. */
function withToolCalls(messages: readonly RequestMessage[]): RequestMessage[] {
  const ids = new Map<string, string>();
  return messages.map((message, index) => {
    if (message.role === "function") {
      const { content, name = "" } = message;
      return { role: "tool", content, name, tool_call_id: ids.get(name) };
    }
    if (message.role !== "assistant" || message.function_call === undefined) return message;
    rejectTwoKindsOfCalls(message, index);
    const call: RequestFunctionCall = { id: createCallId(index), function: message.function_call };
    ids.set(call.function.name, call.id);
    return { ...message, tool_calls: [call] };
  });
}

function rejectTwoKindsOfCalls(
  { tool_calls: calls = [] }: Extract<RequestMessage, { role: "assistant" }>,
  index: number,
): void {
  if (calls.length === 0) return;
  const reason = "expected no value in addition to tool_calls, which replaces this field";
  throw createRefusal("invalid_request", [{ field: `messages.${index}.function_call`, reason }]);
}

/** Creates a call id of nine letters and digits, as required by Mistral's chat templates. */
function createCallId(index: number): string {
  return `call${String(index).padStart(5, "0")}`;
}
