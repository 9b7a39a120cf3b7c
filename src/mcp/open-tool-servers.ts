import type { ToolServerSpec, ToolServers } from "../core/tool-servers.js";
import { McpServer, type McpServerOptions } from "./mcp-server.js";

export interface OpenToolServers extends ToolServers {
  readonly servers: readonly McpServer[];
  /** Ends all connections and started commands. */
  close(): Promise<void>;
}

/** Connects to MCP servers in the background. */
export function openToolServers(
  specs: readonly ToolServerSpec[],
  { callTimeoutMs, ...options }: McpServerOptions & { readonly callTimeoutMs: number },
): OpenToolServers {
  const servers = specs.map((spec) => new McpServer(spec, options));
  for (const server of servers) server.start();
  return {
    servers,
    callTimeoutMs,
    close: async () => {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}
