/** A server of the Model Context Protocol on standard input and output, with one tool. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "weather", version: "1.0.0" });
server.registerTool(
  "get_weather",
  { description: "Get the weather of a city", inputSchema: { city: z.string() } },
  ({ city }) => ({ content: [{ type: "text", text: `It is sunny in ${city}.` }] }),
);
await server.connect(new StdioServerTransport());
