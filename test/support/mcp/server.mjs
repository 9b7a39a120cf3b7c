// A server of the Model Context Protocol with the official SDK: `node server.mjs stdio`, or `node server.mjs http PORT`,
// which prints its port. Counts its calls.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

/** A red pixel as PNG. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

let calls = 0;

const text = (value) => ({ content: [{ type: "text", text: value }] });

function buildServer() {
  const server = new McpServer({ name: "test", version: "1.0.0" });
  server.registerTool(
    "add",
    {
      description: "Adds two numbers.",
      inputSchema: { a: z.number(), b: z.number() },
      annotations: { readOnlyHint: true },
    },
    ({ a, b }) => {
      calls++;
      return text(`${a + b}`);
    },
  );
  server.registerTool("count", { description: "Returns the number of calls." }, () =>
    text(`${++calls}`),
  );
  server.registerTool("fail", { description: "Fails." }, () => ({
    ...text("It failed."),
    isError: true,
  }));
  server.registerTool("picture", { description: "Draws a picture." }, () => ({
    content: [
      { type: "text", text: "A pixel:" },
      { type: "image", mimeType: "image/png", data: PIXEL },
    ],
  }));
  server.registerTool(
    "wait",
    { description: "Waits.", inputSchema: { ms: z.number() } },
    async ({ ms }, { signal }) => {
      const wasCancelled = await sleep(ms, false, { signal }).catch(() => true);
      if (wasCancelled) process.stderr.write("cancelled\n");
      return text("Waited.");
    },
  );
  server.registerTool("environment", { description: "Lists environment variables." }, () =>
    text(Object.keys(process.env).sort().join(" ")),
  );
  server.registerTool("learn", { description: "Adds a tool." }, () => {
    server.registerTool("learnt", { description: "A new tool." }, () => text("New."));
    return text("Learnt.");
  });
  return server;
}

if (process.argv[2] === "stdio") {
  process.stderr.write("started\n");
  await buildServer().connect(new StdioServerTransport());
} else {
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    let transport = sessions.get(request.headers["mcp-session-id"]);
    if (transport === undefined) {
      if (request.headers["mcp-session-id"] !== undefined) {
        response.writeHead(404).end();
        return;
      }
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => sessions.set(id, transport),
      });
      await buildServer().connect(transport);
    }
    await transport.handleRequest(request, response);
  });
  http.listen(Number(process.argv[3]), "127.0.0.1", () =>
    process.stdout.write(`${http.address().port}\n`),
  );
}
