import { effect, signal } from "@preact/signals";
import type { McpServerList, McpServerView } from "../../api/responses/mcp-server-schema.js";
import { client, permits } from "../session.js";
import { keep, readKept } from "../tab-storage.js";
import { buildServerTools, parseList, type ToolOfServer, withTool } from "./server-tools.js";

/** Configured MCP servers; empty if there are none, or the key may not use them. */
export const toolServers = signal<readonly McpServerView[]>([]);

/** Name of the kept servers of a conversation that has not started. */
const NEW_SERVERS = "new-servers";

/** Servers that are switched on in a conversation that has not started. */
export const newServers = signal<readonly string[]>(parseList(readKept(NEW_SERVERS)));

effect(() => keep(NEW_SERVERS, JSON.stringify(newServers.value)));

/** Reads the MCP servers and their tools. @throws {ApiError} */
export async function readToolServers(): Promise<void> {
  if (!permits("tools")) return;
  toolServers.value = (await client.json<McpServerList>("/v1/mcp/servers")).data;
}

/** Local storage key of the tools that are always allowed in this browser. */
const STORED_KEY = "ggufd.allowed-tools";

/** Allows calls of a tool in all conversations of this browser. */
export function allowAlways(tool: ToolOfServer): void {
  localStorage.setItem(STORED_KEY, withTool(localStorage.getItem(STORED_KEY), tool));
}

/** Forgets the tools that are always allowed in this browser. */
export function resetAllowed(): void {
  localStorage.removeItem(STORED_KEY);
}

/** Number of tools that are always allowed in this browser. */
export function countAllowed(): number {
  return parseList(localStorage.getItem(STORED_KEY)).length;
}

/** Adds the tools of a conversation's servers to the fields of a request. */
export function withServerTools(
  fields: Readonly<Record<string, unknown>>,
  metadata: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  if (!permits("tools")) return fields;
  const added = buildServerTools(metadata, localStorage.getItem(STORED_KEY));
  if (added.length === 0) return fields;
  const own = Array.isArray(fields.tools) ? fields.tools : [];
  return { ...fields, tools: [...own, ...added] };
}
