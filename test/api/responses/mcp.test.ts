import { describe, expect, it } from "vitest";
import type { GenerationRequest } from "../../../src/core/generation-request.js";
import { ToolServerError } from "../../../src/core/tool-servers.js";
import { eventually } from "../../support/eventually.js";
import { ScriptedToolServer, toolServers } from "../../support/mcp/scripted-tool-server.js";
import { deferred, type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp, type TestAppOptions } from "../../support/test-app.js";

const mcp = { type: "mcp", server_label: "test", require_approval: "never" } as const;

let callIds = 0;
/** Script that calls tools. */
const calling = (...calls: readonly (readonly [name: string, args?: string])[]): Script => ({
  parts: calls.map(([name, args = "{}"]) => ({
    call: { id: `call_${callIds++}`, name: `test__${name}`, arguments: args },
  })),
  ending: "tool-calls",
});
const saying = (text: string): Script => ({ parts: [text] });

/** Results of the calls in a prompt. */
const resultsIn = ({ prompt }: GenerationRequest) =>
  prompt.type === "chat"
    ? prompt.messages.flatMap((message) => (message.role === "tool" ? [message.content] : []))
    : [];

/** Application whose model plays scripts one after the other. */
function appWith(
  scripts: readonly Script[],
  server: ScriptedToolServer | undefined,
  options: TestAppOptions & { readonly media?: readonly ["image"] } = {},
) {
  let asked = 0;
  const { media, ...appOptions } = options;
  const engine = new ScriptedEngine(
    () => scripts[Math.min(asked++, scripts.length - 1)] ?? saying(""),
    { contextSize: 100_000, slots: 1, ...(media && { media }) },
  );
  const { app } = buildTestApp(engine, {
    ...(server && { toolServers: toolServers(server) }),
    ...appOptions,
  });
  const inject = async (method: "GET" | "POST", url: string, payload?: object, headers = {}) => {
    const answer = await app.inject({ method, url, headers, ...(payload && { payload }) });
    return { status: answer.statusCode, body: answer.body, json: JSON.parse(answer.body || "{}") };
  };
  const ask = (fields: object, headers = {}) =>
    inject("POST", "/v1/responses", { input: "Hi", tools: [mcp], ...fields }, headers);
  return { app, engine, inject, ask };
}

const typesOf = (output: readonly { type: string }[]) => output.map(({ type }) => type);

const adder = () =>
  new ScriptedToolServer({
    add: async ({ a, b }) => ({ text: String(Number(a) + Number(b)) }),
    read: async () => ({ text: "content" }),
  });

describe("a response with tools of an MCP server", () => {
  it("calls them, and generates again with the results", async () => {
    const server = adder();
    const { engine, ask } = appWith([calling(["add", '{"a":1,"b":2}']), saying("3.")], server);
    const { json } = await ask({});
    expect(json).toMatchObject({
      status: "completed",
      tools: [{ type: "mcp", server_label: "test", require_approval: "never" }],
      output: [
        {
          type: "mcp_list_tools",
          server_label: "test",
          tools: [{ name: "add", input_schema: { type: "object" } }, { name: "read" }],
          error: null,
        },
        {
          type: "mcp_call",
          server_label: "test",
          name: "add",
          arguments: '{"a":1,"b":2}',
          output: "3",
          error: null,
          status: "completed",
          approval_request_id: null,
        },
        { type: "message", content: [{ text: "3." }] },
      ],
    });
    expect(server.calls).toEqual([{ tool: "add", args: { a: 1, b: 2 } }]);
    const [first, second] = engine.requests;
    expect(first?.prompt.tools.map(({ name }) => name)).toEqual(["test__add", "test__read"]);
    expect(second && resultsIn(second)).toEqual(["3"]);
    // Both prompts count.
    expect(json.usage.input_tokens).toBeGreaterThan(4);
  });

  /** Script that calls a tool by the exact name, as unconstrained models may. */
  const writing = (name: string, args = "{}"): Script => ({
    parts: [{ call: { id: `call_${callIds++}`, name, arguments: args } }],
    ending: "tool-calls",
  });

  it("runs a call without the server's prefix", async () => {
    const server = adder();
    const { engine, ask } = appWith([writing("add", '{"a":2,"b":3}'), saying("5.")], server);
    const { json } = await ask({});
    expect(json.output.slice(1)).toMatchObject([
      { type: "mcp_call", server_label: "test", name: "add", output: "5", status: "completed" },
      { type: "message", content: [{ text: "5." }] },
    ]);
    expect(engine.requests[1] && resultsIn(engine.requests[1])).toEqual(["5"]);
  });

  it("asks for the approval of a call without the server's prefix", async () => {
    const server = adder();
    const { ask } = appWith([writing("add")], server);
    const { json } = await ask({ tools: [{ type: "mcp", server_label: "test" }] });
    expect(json.output.at(-1)).toMatchObject({
      type: "mcp_approval_request",
      server_label: "test",
      name: "add",
    });
    expect(server.calls).toEqual([]);
  });

  it("prefers the client's function of the same name", async () => {
    const server = adder();
    const { ask } = appWith([writing("add")], server);
    const { json } = await ask({ tools: [{ type: "function", name: "add" }, mcp] });
    expect(json.output.at(-1)).toMatchObject({ type: "function_call", name: "add" });
    expect(server.calls).toEqual([]);
  });

  it.each([
    ["subtract", "subtract"],
    ["test__subtract", "subtract"],
  ])("reports the unknown tool %s to the model, not to the client", async (written, name) => {
    const server = adder();
    const { engine, ask } = appWith([writing(written), saying("Sorry.")], server);
    const { json } = await ask({});
    const error = "Not run: unknown tool, or not allowed";
    expect(json.output.slice(1)).toMatchObject([
      { type: "mcp_call", server_label: "test", name, status: "failed", error },
      { type: "message", content: [{ text: "Sorry." }] },
    ]);
    expect(engine.requests[1] && resultsIn(engine.requests[1])).toEqual([`Error: ${error}`]);
    expect(server.calls).toEqual([]);
  });

  it("does not run a tool whose name several servers have", async () => {
    const other = new ScriptedToolServer(
      { add: async () => ({ text: "other" }) },
      { name: "other", transport: "http", url: "https://other.example/mcp" },
    );
    const server = adder();
    const { ask } = appWith([writing("add"), saying("Sorry.")], server, {
      toolServers: toolServers(server, other),
    });
    const { json } = await ask({ tools: [mcp, { ...mcp, server_label: "other" }] });
    expect(json.output.at(-2)).toMatchObject({ type: "mcp_call", name: "add", status: "failed" });
    expect([...server.calls, ...other.calls]).toEqual([]);
    // A client that keeps the items itself sends them back.
    expect((await ask({ input: json.output })).status).toBe(200);
  });

  it("ends if the model calls tools without being offered any", async () => {
    const { engine, ask } = appWith([calling(["read"])], adder());
    const { json } = await ask({ max_tool_calls: 1 });
    expect(engine.requests.map(({ prompt }) => prompt.tools.length)).toEqual([2, 2, 0]);
    expect(json).toMatchObject({ status: "completed" });
    expect(json.output.at(-1)).toMatchObject({ type: "mcp_call", status: "failed" });
  });

  it("runs several calls of an answer, and answers after several rounds", async () => {
    const { engine, ask } = appWith(
      [
        calling(["add", '{"a":1,"b":1}'], ["read"]),
        calling(["add", '{"a":2,"b":2}']),
        saying("Done."),
      ],
      adder(),
    );
    const { json } = await ask({});
    expect(typesOf(json.output)).toEqual([
      "mcp_list_tools",
      "mcp_call",
      "mcp_call",
      "mcp_call",
      "message",
    ]);
    expect(engine.requests.map(resultsIn)).toEqual([[], ["2", "content"], ["2", "content", "4"]]);
  });

  it("reports failures of tools to the model", async () => {
    const server = new ScriptedToolServer({
      reject: async () => {
        throw new ToolServerError("timed out");
      },
      fail: async () => ({ text: "Bad input.", isError: true }),
    });
    const { engine, ask } = appWith(
      [calling(["reject"], ["fail"], ["fail", "[1]"]), saying("Sorry.")],
      server,
    );
    const { json } = await ask({});
    expect(json.output.slice(1, 4)).toMatchObject([
      { status: "failed", error: "timed out", output: null },
      { status: "failed", error: "Bad input." },
      { status: "failed", error: "Not run: the arguments are not a JSON object" },
    ]);
    expect(engine.requests[1] && resultsIn(engine.requests[1])).toEqual([
      "Error: timed out",
      "Error: Bad input.",
      "Error: Not run: the arguments are not a JSON object",
    ]);
    expect(server.calls).toHaveLength(2);
  });

  it("reports tools that cannot be listed, and answers without them", async () => {
    const server = adder();
    server.error = "MCP server 'test' is not available: no route";
    const { engine, ask } = appWith([saying("No tools.")], server);
    const { json } = await ask({});
    expect(json.output).toMatchObject([
      { type: "mcp_list_tools", tools: [], error: server.error },
      { type: "message" },
    ]);
    expect(engine.requests[0]?.prompt.tools).toEqual([]);
  });

  it("streams OpenAI's events in order", async () => {
    const { app } = appWith([calling(["add", '{"a":1,"b":2}']), saying("3.")], adder());
    const { body } = await app.inject({
      method: "POST",
      url: "/v1/responses",
      payload: { input: "Hi", tools: [mcp], stream: true },
    });
    const events = body
      .split("\n")
      .filter((line) => line.startsWith("data: "))
      .map((line) => JSON.parse(line.slice(6)));
    expect(typesOf(events)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.mcp_list_tools.in_progress",
      "response.mcp_list_tools.completed",
      "response.output_item.done",
      "response.output_item.added",
      "response.mcp_call.in_progress",
      "response.mcp_call_arguments.delta",
      "response.mcp_call_arguments.done",
      "response.mcp_call.completed",
      "response.output_item.done",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()]);
  });

  it("uses no slot during a call", async () => {
    const { promise, resolve } = deferred();
    const server = new ScriptedToolServer({
      wait: async () => {
        await promise;
        return { text: "Waited." };
      },
    });
    const { ask } = appWith([calling(["wait"]), saying("Other."), saying("End.")], server);
    const pending = ask({});
    await eventually(() => expect(server.calls).toHaveLength(1));
    expect((await ask({ tools: [] })).json.output).toMatchObject([
      { content: [{ text: "Other." }] },
    ]);
    resolve();
    expect((await pending).json.output.at(-1)).toMatchObject({ content: [{ text: "End." }] });
  });

  it.each([
    [{ max_tool_calls: 1 }, 1],
    [{}, 32],
  ])("makes a limited number of calls: %j", async (fields, calls) => {
    const server = adder();
    const { engine, ask } = appWith(
      [...Array.from({ length: calls + 1 }, () => calling(["read"])), saying("Enough.")],
      server,
    );
    const { json } = await ask(fields);
    expect(server.calls).toHaveLength(calls);
    expect(json.output.at(-2)).toMatchObject({
      error: `Not run: a response may make at most ${calls} calls`,
    });
    expect(json.output.at(-1)).toMatchObject({ content: [{ text: "Enough." }] });
    expect(engine.requests.at(-1)?.prompt.tools).toEqual([]);
  });

  it("requires a call once only", async () => {
    const { engine, ask } = appWith([calling(["read"]), saying("Read.")], adder());
    await ask({ tool_choice: { type: "mcp", server_label: "test", name: "read" } });
    expect(engine.requests.map(({ toolUse }) => toolUse)).toEqual([
      { demand: "required", callable: ["test__read"] },
      { demand: "optional" },
    ]);
  });

  it("ends when the client has to act: calls of functions are the client's", async () => {
    const script: Script = {
      parts: [
        { call: { id: "call_f", name: "mine", arguments: "{}" } },
        ...calling(["read"]).parts,
      ],
      ending: "tool-calls",
    };
    const { engine, ask } = appWith([script], adder());
    const { json } = await ask({ tools: [{ type: "function", name: "mine" }, mcp] });
    expect(json.output.slice(1)).toMatchObject([
      { type: "function_call", name: "mine" },
      { type: "mcp_call", status: "completed" },
    ]);
    expect(engine.requests).toHaveLength(1);
  });

  it("returns the calls of a response that fails after them", async () => {
    const server = new ScriptedToolServer({ read: async () => ({ text: "x".repeat(90) }) });
    const engine = new ScriptedEngine(() => calling(["read"]), { contextSize: 60 });
    const { app } = buildTestApp(engine, { toolServers: toolServers(server) });
    const answer = await app.inject({
      method: "POST",
      url: "/v1/responses",
      payload: { input: "Hi", tools: [mcp] },
    });
    expect(answer.json()).toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining("60") },
      output: [{ type: "mcp_list_tools" }, { type: "mcp_call", status: "completed" }],
    });
  });

  it.each([
    [["image"] as const, [expect.objectContaining({ type: "media" })]],
    [undefined, "[image omitted: image/png; the model does not accept images]"],
  ])("shows images to models that accept them: %j", async (media, content) => {
    const data = Buffer.from("pixel").toString("base64");
    const server = new ScriptedToolServer({
      draw: async () => ({ images: [{ mimeType: "image/png", data }] }),
    });
    const options = media === undefined ? {} : { media };
    const { engine, ask } = appWith([calling(["draw"]), saying("Red.")], server, options);
    const { json } = await ask({});
    expect(json.output[1]).toMatchObject({ status: "completed" });
    expect(engine.requests[1] && resultsIn(engine.requests[1])).toEqual([content]);
  });
});

describe("approvals", () => {
  const guarded = { type: "mcp", server_label: "test" } as const;

  it("are required by default: the call waits, and runs once when it is approved", async () => {
    const server = adder();
    const { engine, ask } = appWith([calling(["add", '{"a":1,"b":2}']), saying("3.")], server);
    const first = (await ask({ tools: [guarded] })).json;
    const request = first.output[1];
    expect(request).toMatchObject({
      type: "mcp_approval_request",
      server_label: "test",
      name: "add",
      arguments: '{"a":1,"b":2}',
    });
    expect(server.calls).toEqual([]);
    const approval = {
      type: "mcp_approval_response",
      approval_request_id: request.id,
      approve: true,
    };
    const next = { tools: [guarded], previous_response_id: first.id, input: [approval] };
    const second = (await ask(next)).json;
    expect(second.output).toMatchObject([
      { type: "mcp_call", approval_request_id: request.id, output: "3" },
      { type: "message" },
    ]);
    expect(engine.requests[1] && resultsIn(engine.requests[1])).toEqual(["3"]);
    await ask({ ...next, previous_response_id: second.id });
    expect(server.calls).toHaveLength(1);
  });

  it("can be denied, which the model learns", async () => {
    const server = adder();
    const { engine, ask } = appWith([calling(["read"]), saying("Pity.")], server);
    const first = (await ask({ tools: [guarded] })).json;
    await ask({
      tools: [guarded],
      previous_response_id: first.id,
      input: [
        {
          type: "mcp_approval_response",
          approval_request_id: first.output[1].id,
          approve: false,
          reason: "too slow",
        },
      ],
    });
    expect(server.calls).toEqual([]);
    expect(engine.requests[1] && resultsIn(engine.requests[1])).toEqual([
      "Not run: the user denied this call: too slow",
    ]);
  });

  it.each([
    [{ never: { tool_names: ["read"] } }, "read", "mcp_call"],
    [{ never: { tool_names: ["read"] } }, "add", "mcp_approval_request"],
    [{ never: { read_only: true } }, "read", "mcp_call"],
    [{ never: { read_only: true } }, "add", "mcp_approval_request"],
    [{ always: { tool_names: ["add"] }, never: { read_only: true } }, "read", "mcp_call"],
    [{ always: { tool_names: ["add"] } }, "read", "mcp_approval_request"],
    [
      { always: { tool_names: ["read"] }, never: { read_only: true } },
      "read",
      "mcp_approval_request",
    ],
    ["always", "read", "mcp_approval_request"],
  ])("follow require_approval %j: a call of %s is an %s", async (rule, tool, type) => {
    const { ask } = appWith([calling([tool]), saying("End.")], adder());
    const { json } = await ask({ tools: [{ ...guarded, require_approval: rule }] });
    expect(json.output[1].type).toBe(type);
  });

  it("of an unknown request, or without its server, are refused", async () => {
    const { ask } = appWith([calling(["read"]), saying("End.")], adder());
    const approval = { type: "mcp_approval_response", approve: true };
    const unknown = await ask({ input: [{ ...approval, approval_request_id: "mcpr_x" }] });
    expect(unknown.status).toBe(400);
    expect(unknown.json.error.message).toContain('got "mcpr_x"');
    const input = [
      {
        type: "mcp_approval_request",
        id: "mcpr_1",
        server_label: "other",
        name: "read",
        arguments: "{}",
      },
      { ...approval, approval_request_id: "mcpr_1" },
    ];
    const elsewhere = await ask({ input });
    expect(elsewhere.status).toBe(400);
    expect(elsewhere.json.error).toMatchObject({ param: "tools" });
  });
});

describe("the server of a tool", () => {
  it.each([
    [{ server_label: "other" }, "tools.0.server_label", '(test), got "other"'],
    [{}, "tools.0.server_label", "expected the name of a configured MCP server (test)"],
    [
      { server_label: "test", server_url: "https://evil.example/mcp" },
      "tools.0.server_url",
      "the URL of a configured MCP server (test)",
    ],
    [{ server_label: "test", authorization: "x" }, "tools.0.authorization", "operator configures"],
    [{ server_label: "test", headers: { a: "b" } }, "tools.0.headers", "operator configures"],
    [{ connector_id: "connector_gmail" }, "tools.0.connector_id", "not available"],
  ])("must be configured: %j is refused", async (fields, param, message) => {
    const { engine, ask } = appWith([saying("Hi")], adder());
    const { status, json } = await ask({ tools: [{ type: "mcp", ...fields }] });
    expect(status).toBe(400);
    expect(json.error).toMatchObject({ param, message: expect.stringContaining(message) });
    expect(engine.requests).toEqual([]);
  });

  it("may be named by its URL, under any label", async () => {
    const { engine, ask } = appWith([saying("Hi")], adder());
    const tool = { ...mcp, server_label: "mine", server_url: "https://tools.example/mcp" };
    expect((await ask({ tools: [tool] })).json.output[0]).toMatchObject({ server_label: "mine" });
    expect(engine.requests[0]?.prompt.tools[0]?.name).toBe("mine__add");
  });

  it("offers the allowed tools only", async () => {
    const { engine, ask } = appWith([saying("Hi")], adder());
    await ask({ tools: [{ ...mcp, allowed_tools: ["add"] }] });
    await ask({ tools: [{ ...mcp, allowed_tools: { read_only: true } }] });
    await ask({ tools: [{ ...mcp, allowed_tools: {} }] });
    expect(engine.requests.map(({ prompt }) => prompt.tools.length)).toEqual([1, 1, 2]);
  });

  it("is selected once per request", async () => {
    const { ask } = appWith([saying("Hi")], adder());
    expect((await ask({ tools: [mcp, mcp] })).json.error.param).toBe("tools.1.server_label");
  });

  it("is left out where none is configured, as other hosted tools", async () => {
    const { engine, ask } = appWith([saying("Hi")], undefined);
    expect((await ask({})).status).toBe(200);
    expect(engine.requests[0]?.prompt.tools).toEqual([]);
  });
});

describe("the scope tools", () => {
  const keyLines = ["a-key name=a scopes=inference", "b-key name=b scopes=inference,tools"];
  const as = (key: string) => ({ authorization: `Bearer ${key}` });

  it("is needed to call tools, and to list them", async () => {
    const { inject, ask } = appWith([saying("Hi")], adder(), { keyLines });
    const refused = await ask({}, as("a-key"));
    expect([refused.status, refused.json.error.code]).toEqual([403, "permission_denied"]);
    expect((await inject("GET", "/v1/mcp/servers", undefined, as("a-key"))).status).toBe(403);
    expect((await ask({ tools: [] }, as("a-key"))).status).toBe(200);
    expect((await ask({}, as("b-key"))).status).toBe(200);
    expect((await inject("GET", "/v1/mcp/servers", undefined, as("b-key"))).json).toMatchObject({
      data: [
        {
          object: "mcp.server",
          name: "test",
          transport: "http",
          state: "connected",
          error: null,
          tools: [{ name: "add", annotations: { readOnlyHint: false } }, { name: "read" }],
        },
      ],
    });
  });

  it("lists a server that is not connected, with the reason", async () => {
    const server = adder();
    server.state = "disconnected";
    server.error = "no route";
    const { inject } = appWith([], server);
    expect((await inject("GET", "/v1/mcp/servers")).json.data).toMatchObject([
      { state: "disconnected", error: "no route", tools: [] },
    ]);
  });
});
