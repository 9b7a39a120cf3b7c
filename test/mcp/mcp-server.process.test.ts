import { describe, expect, it } from "vitest";
import type { ToolServer, ToolServerSpec } from "../../src/core/tool-servers.js";
import { ToolServerError } from "../../src/core/tool-servers.js";
import { eventually } from "../support/eventually.js";
import {
  misbehavingSpec,
  openServers,
  startHttpServer,
  stdioSpec,
} from "../support/mcp/run-mcp-server.js";

const never = new AbortController().signal;

const open = (spec: ToolServerSpec, callTimeoutMs?: number) => {
  const opened = openServers([spec], callTimeoutMs);
  const [server] = opened.servers;
  if (server === undefined) throw new Error("no server");
  const call = (tool: string, args = {}, timeoutMs = 10_000, signal = never) =>
    server.call(tool, args, { signal, timeoutMs });
  return { ...opened, server, call };
};

const namesOf = async (server: ToolServer) => (await server.listTools()).map(({ name }) => name);

describe.each([
  ["stdio", async () => stdioSpec()],
  ["streamable HTTP", async () => (await startHttpServer()).spec],
])("an MCP server over %s", (_transport, specOf) => {
  it("lists its tools and runs calls", async () => {
    const { server, call } = open(await specOf());
    expect(await server.listTools()).toContainEqual({
      name: "add",
      description: "Adds two numbers.",
      annotations: { readOnlyHint: true },
      inputSchema: expect.objectContaining({ required: ["a", "b"] }),
    });
    expect(server.state).toBe("connected");
    expect(await call("add", { a: 1, b: 2 })).toEqual({ text: "3", images: [], isError: false });
    expect(await call("fail")).toMatchObject({ text: "It failed.", isError: true });
    expect(await call("picture")).toMatchObject({
      text: "A pixel:",
      images: [{ mimeType: "image/png" }],
    });
  });

  it("is asked for its tools again when it reports a change", async () => {
    const { server, call } = open(await specOf());
    expect(await namesOf(server)).not.toContain("learnt");
    await call("learn");
    await eventually(async () => expect(await namesOf(server)).toContain("learnt"));
  });

  it("is notified of a cancelled call", async () => {
    const { call } = open(await specOf());
    const controller = new AbortController();
    const pending = call("wait", { ms: 60_000 }, 60_000, controller.signal);
    controller.abort(new Error("enough"));
    await expect(pending).rejects.toThrow("enough");
    expect(await call("add", { a: 1, b: 1 })).toMatchObject({ text: "2" });
  });

  it("has a time limit for each call", async () => {
    const { call } = open(await specOf());
    await expect(call("wait", { ms: 60_000 }, 50)).rejects.toThrow(ToolServerError);
  });
});

describe("a command", () => {
  it("gets no variables of the daemon, and its standard error is logged", async () => {
    process.env.GGUFD_API_KEY = "secret";
    try {
      const { call, lines } = open(stdioSpec());
      const { text } = await call("environment");
      expect(text.split(" ")).toContain("PATH");
      expect(text).not.toContain("GGUFD");
      expect(lines).toContainEqual('MCP server {"mcp":"test","line":"started"}');
    } finally {
      delete process.env.GGUFD_API_KEY;
    }
  });

  it("is started again after it has exited, and no call is repeated", async () => {
    const { server, call } = open(misbehavingSpec("dies"));
    await expect(call("do")).rejects.toThrow("Connection closed");
    expect(server.state).not.toBe("connected");
    await eventually(async () => expect(await namesOf(server)).toEqual(["do"]));
  });

  it("that cannot be started is reported with the reason", async () => {
    const { server } = open({ name: "x", transport: "stdio", command: "/no/such", args: [] });
    await expect(server.listTools()).rejects.toThrow(
      "MCP server 'x' is not available: spawn /no/such ENOENT",
    );
  });
});

it("an HTTP server that restarts is connected again", async () => {
  const first = await startHttpServer();
  const { server, call } = open(first.spec);
  await call("count");
  await first.stop();
  await expect(call("count")).rejects.toThrow(ToolServerError);
  await startHttpServer(Number(new URL(first.spec.url).port));
  await eventually(async () => expect(await call("count")).toMatchObject({ text: "1" }));
  expect(server.state).toBe("connected");
});

describe("a server that misbehaves", () => {
  it.each([
    ["dies-at-start", "is not available: Connection closed"],
    ["invalid-list", "expected string"],
  ])("%s: its tools are not listed", async (kind, reason) => {
    const { server } = open(misbehavingSpec(kind));
    await expect(server.listTools()).rejects.toThrow(reason);
  });

  it.each([
    ["invalid-result", "expected array", 10_000],
    ["gigantic", "Connection closed", 50_000],
    ["broken-json", "timed out", 500],
    ["hangs", "timed out", 500],
  ])("%s: its calls fail", async (kind, reason, timeoutMs) => {
    const { call } = open(misbehavingSpec(kind));
    await expect(call("do", {}, timeoutMs)).rejects.toThrow(reason);
  });

  it("prints text: it is ignored", async () => {
    const { call } = open(misbehavingSpec("prints"));
    expect(await call("do")).toMatchObject({ text: "Done." });
  });

  it("returns a huge result: it is cut, with a note", async () => {
    const { call } = open(misbehavingSpec("huge"));
    const { text } = await call("do");
    expect(text).toHaveLength(32_768 + "\n[truncated: 67232 of 100000 characters omitted]".length);
    expect(text.endsWith("[truncated: 67232 of 100000 characters omitted]")).toBe(true);
  });

  it("lists 500 tools, or a list without end: at most 1000 are read", async () => {
    expect(await open(misbehavingSpec("500-tools")).server.listTools()).toHaveLength(500);
    expect(await open(misbehavingSpec("endless-list")).server.listTools()).toHaveLength(100);
  });
});
