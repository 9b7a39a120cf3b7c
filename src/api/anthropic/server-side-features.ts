import { refusalOf } from "../../core/errors.js";
import { isJsonObject } from "../../core/json-object.js";
import { preview } from "../../validation/preview.js";
import { THREAD_FIELD } from "./error-envelope.js";

/**
 * Refuses by name what Anthropic's servers do beside the model: their own tools, MCP servers and stored
 * threads. A tool with an `input_schema` is the client's, whatever its type.
 * @param body as the client sent it; what is no request at all is left to the schema
 * @throws {GgufdError} `unsupported_parameter`
 */
export function rejectServerSideFeatures(body: unknown): void {
  if (!isJsonObject(body)) return;
  const { tools, mcp_servers: mcpServers, [THREAD_FIELD]: thread } = body;
  if (Array.isArray(tools)) tools.forEach(rejectServerTool);
  if (Array.isArray(mcpServers) && mcpServers.length > 0) {
    refuse("mcp_servers", "expected none, because this server calls no others", mcpServers);
  }
  if (thread !== undefined && thread !== null) {
    refuse(THREAD_FIELD, "expected none, because this server stores no messages", thread);
  }
}

function rejectServerTool(tool: unknown, index: number): void {
  if (!isJsonObject(tool) || tool.input_schema !== undefined) return;
  const { type } = tool;
  if (typeof type !== "string" || type === "custom") return;
  const expected = "expected a tool with an input_schema, because this server has no tools itself";
  refuse(`tools.${index}.type`, expected, type);
}

function refuse(field: string, expected: string, value: unknown): never {
  const reason = `${expected}, got ${preview(value)}`;
  throw refusalOf("unsupported_parameter", [{ field, reason }]);
}
