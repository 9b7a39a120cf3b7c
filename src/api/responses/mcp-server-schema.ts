import { z } from "zod";

const mcpServer = z
  .object({
    object: z.literal("mcp.server"),
    name: z.string().meta({ description: "Value of `server_label` in a tool." }),
    transport: z.enum(["http", "stdio"]),
    state: z.enum(["connecting", "connected", "disconnected"]),
    error: z.string().nullable().meta({ description: "Why it is not connected." }),
    tools: z.array(
      z.object({
        name: z.string(),
        description: z.string().nullable(),
        input_schema: z.record(z.string(), z.unknown()).meta({
          description: "JSON schema of the arguments.",
        }),
        annotations: z.record(z.string(), z.unknown()).nullable().meta({
          description: "Hints of the server, such as `readOnlyHint`; not verified.",
        }),
      }),
    ),
  })
  .meta({ id: "McpServer" });

/** Configured MCP servers. */
export const mcpServerList = z
  .object({ object: z.literal("list"), data: z.array(mcpServer) })
  .meta({ id: "McpServerList" });

export type McpServerView = z.infer<typeof mcpServer>;
export type McpServerList = z.infer<typeof mcpServerList>;
