/**
 * A server of the Model Context Protocol on standard input and output, with one useful tool. The
 * argument is the number of further tools.
 */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "weather", version: "1.0.0" });
server.registerTool(
  "get_weather",
  { description: "Get the weather of a city", inputSchema: { city: z.string() } },
  ({ city }) => ({ content: [{ type: "text", text: `It is sunny in ${city}.` }] }),
);
for (let number = 1; number <= Number(process.argv[2] ?? 0); number++) {
  server.registerTool(
    `get_record_${number}`,
    { description: `Get record ${number} of the archive`, inputSchema: { field: z.string() } },
    ({ field }) => ({ content: [{ type: "text", text: `The ${field} is empty.` }] }),
  );
}
await server.connect(new StdioServerTransport());
