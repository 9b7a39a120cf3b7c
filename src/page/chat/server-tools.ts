/** Tools of MCP servers that are switched on in a conversation, as stored in its metadata. */

type Metadata = Readonly<Record<string, string>>;

/** Metadata keys: the servers that are switched on, and the tools that need no approval. */
const SERVERS_KEY = "mcp_servers";
const ALLOWED_KEY = "mcp_allowed";

/** Maximum characters of a metadata value. */
const MAX_VALUE_CHARACTERS = 16_384;

/** Returns the servers that are switched on in a conversation. */
export function serversOf(metadata: Metadata): readonly string[] {
  return metadata[SERVERS_KEY]?.split(",") ?? [];
}

/** Returns metadata in which servers are switched on. */
export function withServers(metadata: Metadata, names: readonly string[]): Metadata {
  const { [SERVERS_KEY]: _, ...others } = metadata;
  return names.length === 0 ? others : { ...others, [SERVERS_KEY]: names.join(",") };
}

/** Tool of a server. */
export interface ToolOfServer {
  readonly server_label: string;
  readonly name: string;
}

/** Adds a tool to a stored list of tools that need no approval. */
export function withTool(list: string | null | undefined, tool: ToolOfServer): string {
  const key = `${tool.server_label}/${tool.name}`;
  return JSON.stringify([...new Set([...parseList(list), key])]);
}

/** Returns metadata of a conversation in which calls of a tool need no approval. */
export function withAllowed(metadata: Metadata, tool: ToolOfServer): Metadata {
  const list = withTool(metadata[ALLOWED_KEY], tool);
  return list.length > MAX_VALUE_CHARACTERS ? metadata : { ...metadata, [ALLOWED_KEY]: list };
}

/**
 * Builds the tools of a request from the servers that are switched on.
 * @param allowed list of tools that need no approval in any conversation
 */
export function buildServerTools(metadata: Metadata, allowed: string | null): readonly object[] {
  const keys = [...parseList(allowed), ...parseList(metadata[ALLOWED_KEY])];
  return serversOf(metadata).map((label) => {
    const prefix = `${label}/`;
    const names = keys
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length));
    return {
      type: "mcp",
      server_label: label,
      require_approval: names.length === 0 ? "always" : { never: { tool_names: names } },
    };
  });
}

/** Parses a list of tools. Invalid texts, from other programs, count as empty. */
export function parseList(text: string | null | undefined): readonly string[] {
  try {
    const names: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}
