import { refusalOf } from "../../core/errors.js";
import type { ToolUse } from "../../core/generation-request.js";
import { preview } from "../../validation/preview.js";
import type { ChatCompletionRequest } from "./schema.js";

/**
 * What a request says about calls.
 * @throws {GgufdError} `invalid_request` for functions that are not among the tools
 */
export function toToolUse(body: ChatCompletionRequest): ToolUse {
  const { tool_choice: choice = "auto" } = body;
  if (choice === "none" || choice === "auto") return { demand: "optional" };
  if (choice === "required") {
    rejectWithoutTools(body);
    return { demand: "required" };
  }
  if (choice.type === "function") {
    const { name } = choice.function;
    rejectUnknown(body, "tool_choice.function.name", name);
    return { demand: "required", callable: [name], calls: "one" };
  }
  const { mode, tools } = choice.allowed_tools;
  const callable = tools.map(({ function: { name } }, index) => {
    rejectUnknown(body, `tool_choice.allowed_tools.tools.${index}.function.name`, name);
    return name;
  });
  return { demand: mode === "required" ? "required" : "optional", callable };
}

function rejectWithoutTools({ tools = [] }: ChatCompletionRequest): void {
  if (tools.length > 0) return;
  const reason = "expected tools, because one of them is to be called";
  throw refusalOf("invalid_request", [{ field: "tools", reason }]);
}

function rejectUnknown({ tools = [] }: ChatCompletionRequest, field: string, name: string): void {
  if (tools.some((tool) => tool.function.name === name)) return;
  const reason = `expected the name of one of the tools, got ${preview(name)}`;
  throw refusalOf("invalid_request", [{ field, reason }]);
}
