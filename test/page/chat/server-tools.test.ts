import { expect, it } from "vitest";
import {
  buildServerTools,
  serversOf,
  withAllowed,
  withServers,
  withTool,
} from "../../../src/page/chat/server-tools.js";

const read = { server_label: "files", name: "read" };

it("servers are stored in the metadata of a conversation", () => {
  const metadata = withServers({ title: "A" }, ["files", "web"]);
  expect(serversOf(metadata)).toEqual(["files", "web"]);
  expect(withServers(metadata, [])).toEqual({ title: "A" });
});

it("calls need an approval unless their tool is allowed here or in the conversation", () => {
  const metadata = withAllowed(withServers({}, ["files", "web"]), read);
  const always = withTool(null, { server_label: "files", name: "list/all" });
  expect(buildServerTools(metadata, always)).toEqual([
    {
      type: "mcp",
      server_label: "files",
      require_approval: { never: { tool_names: ["list/all", "read"] } },
    },
    { type: "mcp", server_label: "web", require_approval: "always" },
  ]);
});

it("an invalid list allows nothing, and a tool is stored once", () => {
  expect(buildServerTools({ mcp_servers: "web", mcp_allowed: "{" }, "1")).toEqual([
    { type: "mcp", server_label: "web", require_approval: "always" },
  ]);
  expect(withTool(withTool(null, read), read)).toBe('["files/read"]');
});
