import { refusalOf } from "../../../core/errors.js";
import type { ToolUse } from "../../../core/generation-request.js";
import { preview } from "../../../validation/preview.js";
import { hostedTypesOf, type OfferedTool, offeredTools } from "./offered-tools.js";
import type { ResponseRequest } from "./schema.js";
import { isNamedTool, type NamedTool } from "./tool-schema.js";

/**
 * What a request says about calls.
 * @throws {GgufdError} `invalid_request` for tools that are not among the request's, and where only hosted ones are to be
 *   called
 */
export function toToolUse({
  tool_choice: choice = "auto",
  tools = [],
}: Pick<ResponseRequest, "tool_choice" | "tools">): ToolUse {
  const offered = offeredTools(tools);
  if (choice === "none" || choice === "auto") return { demand: "optional" };
  if (choice === "required") {
    if (offered.length > 0) return { demand: "required" };
    const [hosted] = hostedTypesOf(tools);
    const reason =
      hosted === undefined
        ? "expected tools, because one of them is to be called"
        : `expected tools that this server can have called, got ${preview(hosted)}`;
    throw refusalOf("invalid_request", [{ field: "tools", reason }]);
  }
  if (choice.type === "allowed_tools") {
    const callable = choice.tools.flatMap((tool, index) =>
      isNamedTool(tool) ? [nameOf(offered, `tool_choice.tools.${index}.name`, tool)] : [],
    );
    if (choice.mode === "auto") return { demand: "optional", callable };
    if (callable.length > 0) return { demand: "required", callable };
    const reason = `expected a tool that this server can have called, got ${preview(choice.tools)}`;
    throw refusalOf("invalid_request", [{ field: "tool_choice.tools", reason }]);
  }
  return {
    demand: "required",
    callable: [nameOf(offered, "tool_choice.name", choice)],
    calls: "one",
  };
}

/** The name by which the model knows a tool that is asked for. */
function nameOf(
  offered: readonly OfferedTool[],
  field: string,
  { name, namespace }: NamedTool,
): string {
  const found = offered.find(
    (tool) => tool.name === name && (tool.namespace ?? null) === (namespace ?? null),
  );
  if (found !== undefined) return found.definition.name;
  const reason = `expected the name of one of the tools, got ${preview(name)}`;
  throw refusalOf("invalid_request", [{ field, reason }]);
}
