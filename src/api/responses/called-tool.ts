import type { SelectedServer } from "./mcp-tools.js";
import { type OfferedTool, toOfferedName } from "./tools.js";

/** Tool that a model has called. */
export type FoundTool =
  | { readonly type: "offered"; readonly tool: OfferedTool }
  /** No tool has the name; the request has only tools that its client runs. */
  | { readonly type: "client's" }
  /** No tool has the name, or several have it. The label is empty if the name contains none. */
  | { readonly type: "unknown"; readonly label: string; readonly name: string };

/**
 * Finds the tool that a model means by a name: the tool that was offered under it, or the only tool
 * of an MCP server that has this name, because unconstrained models omit the prefix of the server.
 * An unknown name with tools of MCP servers is the server's to answer: the client cannot run it.
 * @param servers selected MCP servers of the request
 */
export function findCalledTool(
  name: string,
  tools: readonly OfferedTool[],
  servers: readonly Pick<SelectedServer, "label">[],
): FoundTool {
  const offered = tools.find(({ definition }) => definition.name === name);
  if (offered !== undefined) return { type: "offered", tool: offered };
  const [found, ...others] = tools.filter((tool) => tool.kind === "mcp" && isNamed(tool, name));
  if (found !== undefined && others.length === 0) return { type: "offered", tool: found };
  if (servers.length === 0) return { type: "client's" };
  // A tool of an ambiguous name must not run, so no server's label may complete it.
  if (found !== undefined) return { type: "unknown", label: "", name };
  for (const { label } of servers) {
    const prefix = toOfferedName({ name: "", namespace: label });
    if (name.startsWith(prefix) && name !== prefix)
      return { type: "unknown", label, name: name.slice(prefix.length) };
  }
  const [only, ...more] = servers;
  return { type: "unknown", label: more.length === 0 ? (only?.label ?? "") : "", name };
}

function isNamed(tool: OfferedTool, name: string): boolean {
  return tool.name === name || toOfferedName(tool) === name;
}
