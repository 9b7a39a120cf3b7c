import { access } from "../../core/api-keys.js";
import { type ToolServer, ToolServerError } from "../../core/tool-servers.js";
import type { DescribedRoute } from "../description/described-route.js";
import { jsonResponse } from "../description/responses.js";
import { type McpServerList, type McpServerView, mcpServerList } from "./mcp-server-schema.js";
import { describeTool } from "./mcp-tools.js";
import type { ResponsesContext } from "./responses.js";

/** Lists the MCP servers, so that a client can offer them. */
export const mcpServersRoute: DescribedRoute<ResponsesContext> = {
  method: "GET",
  path: "/v1/mcp/servers",
  access: access.tools,
  description: {
    operationId: "listMcpServers",
    summary: "List the configured MCP servers and their tools",
    responses: {
      200: jsonResponse({
        description: "The servers, in the order of the configuration.",
        schema: mcpServerList,
        example: {
          object: "list",
          data: [
            {
              object: "mcp.server",
              name: "clock",
              transport: "stdio",
              state: "connected",
              error: null,
              tools: [
                {
                  name: "now",
                  description: "Returns the current time.",
                  input_schema: { type: "object", properties: {} },
                  annotations: { readOnlyHint: true },
                },
              ],
            },
          ],
        },
      }),
    },
    errors: [],
  },
  handle: async ({ toolServers }): Promise<McpServerList> => ({
    object: "list",
    data: await Promise.all(toolServers.servers.map(describeServer)),
  }),
};

async function describeServer(server: ToolServer): Promise<McpServerView> {
  const { name, transport } = server.spec;
  const identity = { object: "mcp.server", name, transport } as const;
  try {
    const tools = await server.listTools();
    return { ...identity, state: server.state, error: null, tools: tools.map(describeTool) };
  } catch (error) {
    if (!(error instanceof ToolServerError)) throw error;
    return { ...identity, state: server.state, error: error.message, tools: [] };
  }
}
