import { pino } from "pino";
import { expect, it } from "vitest";
import { openConfiguredTools } from "../../src/serve/tool-servers.js";
import { eventually } from "../support/eventually.js";
import { stdioSpec } from "../support/mcp/run-mcp-server.js";

const logger = pino({ level: "silent" });

it("the configured MCP servers are connected, and end with the daemon", async () => {
  const tools = await openConfiguredTools({ mcp: [stdioSpec()], mcpTimeout: 5 }, logger);
  const [server] = tools.servers;
  expect(tools.callTimeoutMs).toBe(5000);
  await eventually(() => expect(server?.state).toBe("connected"));
  await tools.close();
  expect(server?.state).toBe("disconnected");
});

it("without configured servers, there are none", async () => {
  const tools = await openConfiguredTools({ mcp: [], mcpTimeout: 5 }, logger);
  expect(tools.servers).toEqual([]);
  await tools.close();
});
