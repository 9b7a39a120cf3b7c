import { refusalOf } from "../../../core/errors.js";
import type { ToolDefinition, ToolUse } from "../../../core/generation-request.js";
import { preview } from "../../../validation/preview.js";
import type { ResponseRequest } from "./schema.js";
import type { ResponseTool } from "./tool-schema.js";

/**
 * What a request says about calls.
 * @throws {GgufdError} `invalid_request` for functions that are not among the tools
 */
export function toToolUse({
  tool_choice: choice = "auto",
  tools = [],
}: Pick<ResponseRequest, "tool_choice" | "tools">): ToolUse {
  if (choice === "none" || choice === "auto") return { demand: "optional" };
  if (choice === "required") {
    if (tools.length > 0) return { demand: "required" };
    const reason = "expected tools, because one of them is to be called";
    throw refusalOf("invalid_request", [{ field: "tools", reason }]);
  }
  if (choice.type === "function") {
    rejectUnknown(tools, "tool_choice.name", choice.name);
    return { demand: "required", callable: [choice.name], calls: "one" };
  }
  const callable = choice.tools.map(({ name }, index) => {
    rejectUnknown(tools, `tool_choice.tools.${index}.name`, name);
    return name;
  });
  return { demand: choice.mode === "required" ? "required" : "optional", callable };
}

/** @param index its place among the request's tools */
export function toToolDefinition(tool: ResponseTool, index: number): ToolDefinition {
  return {
    name: tool.name,
    description: tool.description ?? undefined,
    parameters: tool.parameters ?? undefined,
    parametersField: `tools.${index}.parameters`,
    strict: tool.strict ?? undefined,
  };
}

function rejectUnknown(tools: readonly ResponseTool[], field: string, name: string): void {
  if (tools.some((tool) => tool.name === name)) return;
  const reason = `expected the name of one of the tools, got ${preview(name)}`;
  throw refusalOf("invalid_request", [{ field, reason }]);
}
