import { refusalOf } from "../../core/errors.js";
import type { ToolCall, ToolDefinition, ToolUse } from "../../core/generation-request.js";
import { preview } from "../../validation/preview.js";
import {
  isCustomCall,
  nameOfTool,
  type RequestTool,
  type RequestToolCall,
} from "./chat-tool-schema.js";
import { customArguments, customDefinition } from "./custom-tool.js";
import { rejectRepeatedNames } from "./repeated-names.js";
import type { ChatCompletionRequest } from "./schema.js";
import type { NamedTool } from "./tool-choice-schema.js";

/**
 * The tools of a chat as the model is told of them.
 * @throws {GgufdError} `invalid_request` for a custom tool that has the name of another tool
 */
export function toToolDefinitions(tools: readonly RequestTool[] = []): readonly ToolDefinition[] {
  rejectRepeatedNames(
    tools.map((tool) => ({ name: nameOfTool(tool), isLookedUp: tool.type === "custom" })),
  );
  return tools.map(toDefinition);
}

/** A call of an earlier message, as the model wrote it. */
export function toToolCall(call: RequestToolCall): ToolCall {
  const { id } = call;
  if (isCustomCall(call)) {
    return { id, name: call.custom.name, arguments: customArguments(call.custom.input) };
  }
  return { id, name: call.function.name, arguments: call.function.arguments };
}

/**
 * What a request says about calls.
 * @throws {GgufdError} `invalid_request` for tools that are not among the request's
 */
export function toToolUse(body: ChatCompletionRequest): ToolUse {
  const { tool_choice: choice = "auto" } = body;
  if (choice === "none" || choice === "auto") return { demand: "optional" };
  if (choice === "required") {
    rejectWithoutTools(body);
    return { demand: "required" };
  }
  if (choice.type !== "allowed_tools") {
    return { demand: "required", callable: [nameOf(choice, "tool_choice", body)], calls: "one" };
  }
  const { mode, tools } = choice.allowed_tools;
  const callable = tools.map((tool, index) =>
    nameOf(tool, `tool_choice.allowed_tools.tools.${index}`, body),
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
      strict: strict ?? undefined,
    };
  }
  const { name, description, format } = tool.custom;
  return customDefinition({
    name,
    description,
    grammar: format?.type === "grammar" ? format.grammar : undefined,
    definitionField: `tools.${index}.custom.format.grammar.definition`,
  });
}

function rejectWithoutTools({ tools = [] }: ChatCompletionRequest): void {
  if (tools.length > 0) return;
  const reason = "expected tools, because one of them is to be called";
  throw refusalOf("invalid_request", [{ field: "tools", reason }]);
}

/** The name of a tool that is asked for, at a place of the request. */
function nameOf(asked: NamedTool, place: string, { tools = [] }: ChatCompletionRequest): string {
  const { type } = asked;
  const { name } = type === "function" ? asked.function : asked.custom;
  if (tools.some((tool) => tool.type === type && nameOfTool(tool) === name)) return name;
  const reason = `expected the name of one of the tools of type ${type}, got ${preview(name)}`;
  throw refusalOf("invalid_request", [{ field: `${place}.${type}.name`, reason }]);
}
