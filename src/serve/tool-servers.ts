import type { Logger } from "pino";
import type { Config } from "../config/settings.js";
import { noToolServers, type ToolServers } from "../core/tool-servers.js";
import { version } from "../version.js";

interface ConfiguredTools extends ToolServers {
  /** Ends all connections and started commands. */
  close(): Promise<void>;
}

/** Connects to the configured MCP servers in the background. */
export async function openConfiguredTools(
  { mcp, mcpTimeout }: Pick<Config, "mcp" | "mcpTimeout">,
  logger: Logger,
): Promise<ConfiguredTools> {
  if (mcp.length === 0) return { ...noToolServers, close: async () => undefined };
  // Loaded only if needed, for a fast start.
  const { openToolServers } = await import("../mcp/open-tool-servers.js");
  return openToolServers(mcp, { callTimeoutMs: mcpTimeout * 1000, version, log: logger });
}
