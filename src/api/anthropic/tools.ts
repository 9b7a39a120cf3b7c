import { createRefusal } from "../../core/errors.js";
import type { ToolDefinition, ToolUse } from "../../core/generation-request.js";
import { preview } from "../../validation/preview.js";
import { createNoCallableToolError } from "../fields/hosted-tools.js";
import type { RequestMessage, ToolReferenceBlock } from "./content-schema.js";
import { findPublishedTool } from "./published-tools.js";
import {
  type CountTokensRequest,
  isClientTool,
  listHostedTools,
  type MessagesRequest,
  type RequestTool,
} from "./schema.js";

type ToolFields = Pick<CountTokensRequest, "tools" | "tool_choice" | "messages">;

/**
 * Translates the tools that the model may call. Tools with `defer_loading` are among them once a
 * tool result refers to them, which then defines them, or if `tool_choice` demands them. The
 * beginning of the prompt does not change with a reference, so that its prefix stays cached. If
 * Anthropic's servers were to search them, they are not deferred: hosted tools are left out.
 */
export function toToolDefinitions({
  tools,
  tool_choice: choice,
  messages,
}: ToolFields): ToolDefinition[] {
  if (choice?.type === "none") return [];
  const chosen = choice?.type === "tool" ? choice.name : undefined;
  const referenced = collectReferences(messages);
  const isSearchHosted = tools?.some(isHostedSearch) ?? false;
  return (tools ?? []).flatMap((tool, index): ToolDefinition[] => {
    if (!isClientTool(tool)) return [];
    const definition = toToolDefinition(tool, index);
    if (!tool.defer_loading || isSearchHosted || tool.name === chosen) return [definition];
    return referenced.has(tool.name) ? [{ ...definition, definition: "in-history" }] : [];
  });
}

function isHostedSearch(tool: NonNullable<ToolFields["tools"]>[number]): boolean {
  return !isClientTool(tool) && tool.type.startsWith("tool_search_tool_");
}

function toToolDefinition(tool: RequestTool, index: number): ToolDefinition {
  return {
    ...describeTool(tool),
    parametersField: `tools.${index}.${tool.input_schema === undefined ? "type" : "input_schema"}`,
    strict: tool.strict ?? undefined,
  };
}

/** Returns the definition of a tool as the model sees it: the request's, else the published one. */
function describeTool(
  tool: RequestTool,
): Pick<ToolDefinition, "name" | "description" | "parameters"> {
  const { name, description, input_schema: parameters } = tool;
  const published = parameters === undefined ? findPublishedTool(tool.type) : undefined;
  return { name, description: description ?? undefined, parameters, ...published?.define(tool) };
}

/** Returns the names of the tools that tool results refer to. */
function collectReferences(messages: readonly RequestMessage[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { role, content } of messages) {
    if (role !== "user" || typeof content === "string") continue;
    for (const block of content) {
      if (block.type !== "tool_result" || typeof block.content === "string") continue;
      for (const part of block.content ?? []) {
        if (part.type === "tool_reference") names.add(part.tool_name);
      }
    }
  }
  return names;
}

/**
 * Writes the definition of a tool that a tool result refers to.
 * @param field field of the reference, for errors
 * @throws {GgufdError} `invalid_request` if the request has no such tool
 */
export function describeReference(
  { tool_name: name }: ToolReferenceBlock,
  tools: CountTokensRequest["tools"],
  field: string,
): string {
  const tool = tools?.filter(isClientTool).find((one) => one.name === name);
  if (tool === undefined) {
    const reason = `expected the name of one of the tools, got ${preview(name)}`;
    throw createRefusal("invalid_request", [{ field: `${field}.tool_name`, reason }]);
  }
  const called = { type: "function", function: describeTool(tool) };
  return `This tool can be called now: ${JSON.stringify(called)}`;
}

/**
 * Translates `tool_choice`: whether the model may or must call tools, and which.
 * @throws {GgufdError} `invalid_request` for a tool that is not among the request's tools, or if
 *   there are none that the model knows
 */
export function toToolUse(body: MessagesRequest): ToolUse {
  const { tool_choice: choice } = body;
  if (!choice || choice.type === "auto" || choice.type === "none") return { demand: "optional" };
  const names = toToolDefinitions(body).map(({ name }) => name);
  if (choice.type === "any") {
    if (names.length > 0) return { demand: "required" };
    throw createNoCallableToolError(listHostedTools(body));
  }
  const { name } = choice;
  if (names.includes(name)) return { demand: "required", callable: [name], calls: "one" };
  const reason = `expected the name of one of the tools, got ${preview(name)}`;
  throw createRefusal("invalid_request", [{ field: "tool_choice.name", reason }]);
}
