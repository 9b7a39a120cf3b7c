import { describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.js";
import { ScriptedToolServer, toolServers } from "../../support/mcp/scripted-tool-server.js";
import { deferred, type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

const mcp = { type: "mcp", server_label: "test", require_approval: "never" } as const;

const calling: Script = {
  parts: [{ call: { id: "call_1", name: "test__wait", arguments: "{}" } }],
  ending: "tool-calls",
};

/** Application with a conversation, and a tool that waits until the test continues it. */
async function appWithConversation(...scripts: readonly Script[]) {
  const gate = deferred();
  const server = new ScriptedToolServer({
    wait: async (_args, { signal }) => {
      const aborted = new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
      await Promise.race([gate.promise, aborted]);
      return { text: "Waited." };
    },
  });
  let asked = 0;
  const engine = new ScriptedEngine(() => scripts[asked++] ?? { parts: ["Done."] }, {
    contextSize: 100_000,
  });
  const { app } = buildTestApp(engine, { toolServers: toolServers(server) });
  const inject = async (method: "GET" | "POST", url: string, payload?: object) =>
    (await app.inject({ method, url: `/v1${url}`, ...(payload && { payload }) })).json();
  const { id: conversation } = await inject("POST", "/conversations", {
    items: [{ role: "user", content: "Wait!" }],
  });
  const respond = (fields: object = {}) =>
    inject("POST", "/responses", { conversation, tools: [mcp], background: true, ...fields });
  const listItems = async () =>
    (await inject("GET", `/conversations/${conversation}/items?order=asc`)).data;
  const ended = async (id: string) => {
    await eventually(async () => {
      const { status } = await inject("GET", `/responses/${id}`);
      expect(["completed", "cancelled", "failed"]).toContain(status);
    });
    return inject("GET", `/responses/${id}`);
  };
  return { app, engine, server, inject, respond, listItems, ended, goOn: gate.resolve };
}

describe("a background response with calls in a conversation", () => {
  it("records a call before it begins, and replaces the record with the output", async () => {
    const { server, respond, listItems, ended, goOn } = await appWithConversation(calling);
    const { id } = await respond();
    await eventually(() => expect(server.calls).toHaveLength(1));
    expect(await listItems()).toMatchObject([
      { type: "message" },
      { type: "mcp_call", status: "calling", output: null },
    ]);
    goOn();
    expect((await ended(id)).status).toBe("completed");
    expect(await listItems()).toMatchObject([
      { type: "message", role: "user" },
      { type: "mcp_list_tools" },
      { type: "mcp_call", status: "completed", output: "Waited." },
      { type: "message", role: "assistant", response: { id, status: "completed" } },
    ]);
  });

  it("informs the model of a call that a crash interrupted, and does not repeat it", async () => {
    const { server, engine, inject, ended } = await appWithConversation();
    const { id: conversation } = await inject("POST", "/conversations", {
      items: [
        { role: "user", content: "Wait!" },
        {
          type: "mcp_approval_request",
          id: "mcpr_1",
          server_label: "test",
          name: "wait",
          arguments: "{}",
        },
        { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true },
        {
          type: "mcp_call",
          server_label: "test",
          name: "wait",
          arguments: "{}",
          approval_request_id: "mcpr_1",
          status: "calling",
        },
      ],
    });
    const { id } = await inject("POST", "/responses", {
      conversation,
      tools: [mcp],
      background: true,
    });
    await ended(id);
    expect(server.calls).toEqual([]);
    expect(engine.requests[0]?.prompt.messages.at(-1)).toMatchObject({
      role: "tool",
      content: "Interrupted: the server stopped during this call. It may have taken effect.",
    });
  });

  it("is cancelled with its call", async () => {
    const { server, inject, respond, listItems } = await appWithConversation(calling);
    const { id } = await respond();
    await eventually(() => expect(server.calls).toHaveLength(1));
    const cancelled = await inject("POST", `/responses/${id}/cancel`, {});
    expect(cancelled).toMatchObject({
      status: "cancelled",
      output: [
        { type: "mcp_list_tools" },
        { status: "incomplete", error: "Cancelled: the call may have taken effect." },
      ],
    });
    expect(await listItems()).toMatchObject([
      { type: "message" },
      { type: "mcp_list_tools" },
      { type: "mcp_call", status: "incomplete" },
    ]);
  });

  it("lists the tools of a server again only after they have changed", async () => {
    const { server, respond, ended, listItems } = await appWithConversation();
    const typesOf = async () => (await listItems()).map(({ type }: { type: string }) => type);
    await ended((await respond()).id);
    await ended((await respond({ input: "Again" })).id);
    expect((await typesOf()).filter((type: string) => type === "mcp_list_tools")).toHaveLength(1);
    server.tools = [];
    await ended((await respond({ input: "Once more" })).id);
    expect((await typesOf()).filter((type: string) => type === "mcp_list_tools")).toHaveLength(2);
  });
});
