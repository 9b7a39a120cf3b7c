import { createRefusal, GgufdError } from "../../core/errors.js";
import { type ServerTool, type ToolServer, ToolServerError } from "../../core/tool-servers.js";
import { preview } from "../../validation/preview.js";
import { createId } from "./create-id.js";
import type { McpListToolsItem } from "./mcp-items.js";
import { findRefusedField, isEmptyFilter, type McpTool, matchesFilter } from "./mcp-tool-schema.js";

/** MCP server that a request selects, with the tools that the model may call. */
export interface SelectedServer {
  /** Index of the tool in the request. */
  readonly index: number;
  readonly tool: McpTool;
  /** Label in the items of the response. */
  readonly label: string;
  readonly server: ToolServer;
  readonly tools: readonly ServerTool[];
  /** Why the tools could not be listed; absent: they were. */
  readonly error?: string;
}

/** Servers of a request without tools of MCP servers. */
export const noServers: readonly SelectedServer[] = [];

/**
 * Selects the configured servers of a request's tools, and lists their tools. A server that cannot
 * list them is reported with the reason.
 * @param mayCall whether the request may use MCP servers
 * @throws {GgufdError} `invalid_request` for servers that are not configured; `unsupported_parameter`
 *   for fields that only OpenAI's servers support; `permission_denied`
 */
export async function selectServers(
  tools: readonly { readonly type: string }[],
  servers: readonly ToolServer[],
  mayCall: boolean,
): Promise<readonly SelectedServer[]> {
  if (servers.length === 0) return noServers;
  const selections = tools.flatMap((tool, index) => {
    if (!isMcpTool(tool)) return [];
    return [{ index, tool, ...selectServer(tool, `tools.${index}`, servers) }];
  });
  if (selections.length > 0 && !mayCall) {
    throw new GgufdError(
      "permission_denied",
      "The API key does not have the scope tools, which tools of the type mcp need.",
    );
  }
  rejectRepeatedLabels(selections);
  return Promise.all(
    selections.map(async (selection): Promise<SelectedServer> => {
      try {
        const listed = await selection.server.listTools();
        return { ...selection, tools: listed.filter((tool) => isAllowed(selection.tool, tool)) };
      } catch (error) {
        if (!(error instanceof ToolServerError)) throw error;
        return { ...selection, tools: [], error: error.message };
      }
    }),
  );
}

export function isMcpTool(tool: { readonly type: string }): tool is McpTool {
  return tool.type === "mcp";
}

function selectServer(tool: McpTool, field: string, servers: readonly ToolServer[]) {
  const refused = findRefusedField(tool);
  if (refused !== undefined) {
    const reason = `expected no such field: ${refused.reason}`;
    throw createRefusal("unsupported_parameter", [{ field: `${field}.${refused.field}`, reason }]);
  }
  const { server_label: label, server_url: url } = tool;
  const known = servers.map(({ spec }) => spec.name).join(", ");
  if (url) {
    const server = servers.find(({ spec }) => spec.transport === "http" && isUrl(spec.url, url));
    if (server !== undefined)
      return { label: expectLabel(label || server.spec.name, field), server };
    const reason = `expected none, or the URL of a configured MCP server (${known}), got ${preview(url)}; the operator configures servers with --mcp`;
    throw createRefusal("invalid_request", [{ field: `${field}.server_url`, reason }]);
  }
  const server = servers.find(({ spec }) => spec.name === label);
  if (server !== undefined) return { label: server.spec.name, server };
  const reason = `expected the name of a configured MCP server (${known}), got ${preview(label)}; the operator configures servers with --mcp`;
  throw createRefusal("invalid_request", [{ field: `${field}.server_label`, reason }]);
}

/** Labels begin the names of tools in the prompt. */
function expectLabel(label: string, field: string): string {
  if (/^[\w-]{1,32}$/.test(label)) return label;
  const reason = `expected 1 to 32 letters, digits, _ or -, got ${preview(label)}`;
  throw createRefusal("invalid_request", [{ field: `${field}.server_label`, reason }]);
}

function isUrl(url: string, requested: string): boolean {
  return URL.canParse(requested) && new URL(requested).href === url;
}

function rejectRepeatedLabels(
  selections: readonly { readonly index: number; readonly label: string }[],
): void {
  const labels = new Set<string>();
  for (const { index, label } of selections) {
    if (labels.has(label)) {
      const reason = `expected labels that differ, got ${preview(label)} twice`;
      throw createRefusal("invalid_request", [{ field: `tools.${index}.server_label`, reason }]);
    }
    labels.add(label);
  }
}

function isAllowed({ allowed_tools: allowed }: McpTool, tool: ServerTool): boolean {
  if (!allowed) return true;
  if (isNameList(allowed)) return allowed.includes(tool.name);
  return isEmptyFilter(allowed) || matchesFilter(allowed, tool);
}

function isNameList(allowed: NonNullable<McpTool["allowed_tools"]>): allowed is string[] {
  return Array.isArray(allowed);
}

/** Whether a call of a tool waits for an approval: also if no filter matches the tool. */
export function requiresApproval({ require_approval: rule }: McpTool, tool: ServerTool): boolean {
  if (!rule || rule === "always") return true;
  if (rule === "never") return false;
  const { always, never } = rule;
  return !never || !matchesFilter(never, tool) || Boolean(always && matchesFilter(always, tool));
}

/** Builds the item with the tools of a server. */
export function toListItem({ label, tools, error }: SelectedServer): McpListToolsItem {
  return {
    type: "mcp_list_tools",
    id: createId("mcpl"),
    server_label: label,
    tools: tools.map(describeTool),
    error: error ?? null,
  };
}

/** Describes a tool in OpenAI's form. */
export function describeTool({ name, description, inputSchema, annotations }: ServerTool) {
  return {
    name,
    description: description ?? null,
    input_schema: { ...inputSchema },
    annotations: annotations === undefined ? null : { ...annotations },
  };
}

/** Returns the tools of a request that a response repeats. */
export function toRepeatedTool({ tool, label }: SelectedServer) {
  const { server_url: url, allowed_tools: allowed, require_approval: approval } = tool;
  return {
    type: "mcp" as const,
    server_label: label,
    ...(url && { server_url: url }),
    allowed_tools: allowed ? (isNameList(allowed) ? [...allowed] : toFilter(allowed)) : null,
    require_approval:
      typeof approval === "object" && approval !== null
        ? {
            ...(approval.always && { always: toFilter(approval.always) }),
            ...(approval.never && { never: toFilter(approval.never) }),
          }
        : (approval ?? ("always" as const)),
  };
}

function toFilter({
  tool_names: names,
  read_only: readOnly,
}: {
  readonly tool_names?: readonly string[] | null | undefined;
  readonly read_only?: boolean | null | undefined;
}) {
  return {
    ...(names && { tool_names: [...names] }),
    ...(typeof readOnly === "boolean" && { read_only: readOnly }),
  };
}
