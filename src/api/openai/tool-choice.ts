import { refusalOf } from "../../core/errors.js";
import type { ToolUse } from "../../core/generation-request.js";
import { preview } from "../../validation/preview.js";
import { nameOfTool } from "./chat-tool-schema.js";
import type { ChatCompletionRequest } from "./schema.js";
import type { NamedTool } from "./tool-choice-schema.js";

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
