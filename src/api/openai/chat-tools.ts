import type { ToolCall, ToolDefinition } from "../../core/generation-request.js";
import {
  isCustomCall,
  nameOfTool,
  type RequestTool,
  type RequestToolCall,
} from "./chat-tool-schema.js";
import { customArguments, customDefinition } from "./custom-tool.js";
import { rejectRepeatedNames } from "./repeated-names.js";

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

/** A call of an earlier message, as the model wrote it. */
export function toToolCall(call: RequestToolCall): ToolCall {
  const { id } = call;
  if (isCustomCall(call)) {
    return { id, name: call.custom.name, arguments: customArguments(call.custom.input) };
  }
  return { id, name: call.function.name, arguments: call.function.arguments };
}
