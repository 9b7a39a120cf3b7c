import { refusalOf } from "../../core/errors.js";
import type { ToolDefinition, ToolUse } from "../../core/generation-request.js";
import { preview } from "../../validation/preview.js";
import type { CountTokensRequest, MessagesRequest } from "./schema.js";
import type { RequestTool } from "./tool-schema.js";

/** The tools that the model is told of. */
export function toToolDefinitions({
  tools,
  tool_choice: choice,
}: CountTokensRequest): ToolDefinition[] {
  return choice?.type === "none" ? [] : (tools ?? []).map(toToolDefinition);
}

function toToolDefinition(
  { name, description, input_schema: parameters, strict }: RequestTool,
  index: number,
): ToolDefinition {
  return {
    name,
    description: description ?? undefined,
    parameters,
    parametersField: `tools.${index}.input_schema`,
    strict: strict ?? undefined,
  };
}

/**
 * What a request says about calls.
 * @throws {GgufdError} `invalid_request` for a tool that is not among the tools, or none to use
 */
export function toToolUse({ tools, tool_choice: choice }: MessagesRequest): ToolUse {
  if (!choice || choice.type === "auto" || choice.type === "none") return { demand: "optional" };
  const names = (tools ?? []).map(({ name }) => name);
  if (choice.type === "any") {
    if (names.length > 0) return { demand: "required" };
    const reason = "expected tools, because one of them is to be used, got none";
    throw refusalOf("invalid_request", [{ field: "tools", reason }]);
  }
  const { name } = choice;
  if (names.includes(name)) return { demand: "required", callable: [name], calls: "one" };
  const reason = `expected the name of one of the tools, got ${preview(name)}`;
  throw refusalOf("invalid_request", [{ field: "tool_choice.name", reason }]);
}

/** The number of calls after which a message ends; `undefined`: no limit. */
export function maxToolCallsOf({ tool_choice: choice }: MessagesRequest): number | undefined {
  return choice && choice.type !== "none" && choice.disable_parallel_tool_use ? 1 : undefined;
}
