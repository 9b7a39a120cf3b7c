import type { ChatCompletion, ChatCompletionChunk } from "openai/resources/chat/completions";
import { describe, expect, it } from "vitest";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { eventJson } from "../../support/server-sent-events.js";
import { buildTestApp } from "../../support/test-app.js";

const messages = [{ role: "user", content: "Add" }];
const add = { name: "add", description: "Adds", parameters: { type: "object", properties: {} } };
const say = { name: "say" };
const numbers = '{"n": 1234567890123456789, "x": 1.0, "y": 1e400}';
const call = { id: "call_1", name: "add", arguments: ['{"n": 1', numbers.slice(7)] };

function serve(script: Script = { parts: ["No."] }) {
  const engine = new ScriptedEngine(() => script);
  const { app } = buildTestApp(engine);
  const post = (payload: object) =>
    app.inject({ method: "POST", url: "/v1/chat/completions", payload: { messages, ...payload } });
  return { engine, post };
}

describe("functions", () => {
  it("reach the engine as tools with at most one call", async () => {
    const { engine, post } = serve();
    await post({ functions: [add, say] });
    expect(engine.requests[0]).toMatchObject({
      prompt: { tools: [add, say] },
      stopping: { maxToolCalls: 1 },
      toolUse: { demand: "optional" },
    });
  });

  it.each([
    [undefined, ["add", "say"], { demand: "optional" }],
    ["auto", ["add", "say"], { demand: "optional" }],
    ["none", [], { demand: "optional" }],
    [{ name: "say" }, ["add", "say"], { demand: "required", callable: ["say"], calls: "one" }],
  ])("are called according to function_call %j", async (choice, offered, toolUse) => {
    const { engine, post } = serve();
    await post({ functions: [add, say], function_call: choice });
    expect(engine.requests[0]?.prompt.tools.map(({ name }) => name)).toEqual(offered);
    expect(engine.requests[0]?.toolUse).toEqual(toolUse);
  });

  it("are returned as function_call, with arguments verbatim", async () => {
    const { post } = serve({ parts: [{ call }], ending: "tool-calls" });
    const { choices } = (await post({ functions: [add] })).json<ChatCompletion>();
    expect(choices[0]).toMatchObject({
      finish_reason: "function_call",
      message: {
        role: "assistant",
        content: null,
        refusal: null,
        function_call: { name: "add", arguments: numbers },
      },
    });
    expect(choices[0]?.message).not.toHaveProperty("tool_calls");
  });

  it("stream the name first and then the arguments in chunks", async () => {
    const { post } = serve({ parts: ["Wait.", { call }], ending: "tool-calls" });
    const { body } = await post({ functions: [add], stream: true });
    const choices = eventJson<ChatCompletionChunk>(body).map((chunk) => chunk.choices[0]);
    expect(choices.map((choice) => choice?.delta)).toEqual([
      { role: "assistant", content: "Wait." },
      { function_call: { name: "add", arguments: "" } },
      ...call.arguments.map((text) => ({ function_call: { arguments: text } })),
      {},
    ]);
    expect(choices.at(-1)?.finish_reason).toBe("function_call");
  });

  it.each(["stop", "length"] as const)(
    "do not change a completion with the finish reason %s",
    async (ending) => {
      const { post } = serve({ parts: ["No."], ending });
      const { choices } = (await post({ functions: [add] })).json<ChatCompletion>();
      expect(choices[0]).toMatchObject({ finish_reason: ending, message: { content: "No." } });
      expect(choices[0]?.message).not.toHaveProperty("function_call");
    },
  );

  it("have no effect if the list is empty, null or disabled", async () => {
    for (const none of [
      { functions: [] },
      { functions: [], tools: [{ type: "function", function: add }] },
      { function_call: "none" },
      { function_call: "auto", tools: [] },
      { functions: null, function_call: null, tools: null },
    ]) {
      expect((await serve().post(none)).statusCode).toBe(200);
    }
  });
});

describe("an empty list of functions", () => {
  it("leaves tool calls unchanged", async () => {
    const { post } = serve({ parts: [{ call }], ending: "tool-calls" });
    const tools = [{ type: "function", function: add }];
    const { choices } = (await post({ functions: [], tools })).json<ChatCompletion>();
    expect(choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { tool_calls: [{ id: "call_1", function: { arguments: numbers } }] },
    });
  });
});

describe("messages with function calls", () => {
  const called = (name: string, text: string) => ({
    role: "assistant",
    content: null,
    function_call: { name, arguments: text },
  });

  it("are translated to tool calls and results, with arguments verbatim", async () => {
    const { engine, post } = serve();
    await post({
      messages: [
        ...messages,
        called("add", numbers),
        { role: "function", name: "add", content: "3" },
        called("say", "{"),
        { role: "function", name: "say", content: null },
        called("add", "{}"),
        { role: "function", name: "add", content: [{ type: "text", text: "4" }] },
        { role: "function", name: "other", content: "5" },
      ],
    });
    const sent = engine.requests[0]?.prompt.messages.slice(1);
    const ids = sent?.flatMap((message) =>
      message.role === "assistant" ? (message.toolCalls ?? []).map(({ id }) => id) : [],
    );
    expect(new Set(ids).size).toBe(3);
    // Required by the templates of Mistral's models.
    for (const id of ids ?? []) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
    const [first, second, third] = ids ?? [];
    const calls = (id: string | undefined, name: string, text: string) => ({
      role: "assistant",
      content: "",
      toolCalls: [{ id, name, arguments: text }],
    });
    expect(sent).toEqual([
      calls(first, "add", numbers),
      { role: "tool", name: "add", content: "3", toolCallId: first },
      calls(second, "say", "{"),
      { role: "tool", name: "say", content: "", toolCallId: second },
      calls(third, "add", "{}"),
      { role: "tool", name: "add", content: "4", toolCallId: third },
      { role: "tool", name: "other", content: "5", toolCallId: undefined },
    ]);
  });

  it("cannot be continued if the last one is a call", async () => {
    const { post } = serve();
    const response = await post({
      messages: [...messages, called("add", "{}")],
      continue_final_message: true,
    });
    expect(response.json()).toMatchObject({ error: { param: "messages" } });
  });
});

describe("functions are rejected", () => {
  const tools = [{ type: "function", function: add }];
  const together = "expected no value in addition to";

  it.each<[string, object, string]>([
    ["functions", { functions: [add], tools }, `${together} tools`],
    ["functions", { functions: [add], tool_choice: "auto" }, `${together} tool_choice`],
    ["function_call", { function_call: "auto", tools }, `${together} tools`],
    ["function_call", { function_call: { name: "add" }, tools }, `${together} tools`],
    ["function_call", { function_call: "none", tool_choice: "none" }, `${together} tool_choice`],
    ["functions", { functions: add }, "expected an array of functions, got"],
    ["functions", { functions: Array(1001).fill(add) }, "expected at most 1000 functions"],
    ["functions.0", { functions: ["add"] }, 'expected an object, got "add"'],
    ["functions.0.name", { functions: [{}] }, "expected a string, got nothing"],
    [
      "functions.1.name",
      { functions: [add, { name: "a b" }] },
      'expected 1 to 64 letters, digits, _, . or -, got "a b"',
    ],
    [
      "functions.0.parameters",
      { functions: [{ name: "f", parameters: [] }] },
      "expected a JSON schema, got",
    ],
    [
      "functions.0.description",
      { functions: [{ name: "f", description: 3 }] },
      "expected a string, got 3",
    ],
    [
      "function_call",
      { functions: [add], function_call: "required" },
      'expected "none", "auto" or {"name":…}, got "required"',
    ],
    [
      "function_call.name",
      { functions: [add], function_call: {} },
      "expected a non-empty string, got nothing",
    ],
    [
      "function_call.name",
      { functions: [add], function_call: { name: "say" } },
      'expected the name of one of the functions, got "say"',
    ],
    [
      "function_call.name",
      { function_call: { name: "say" } },
      'expected the name of one of the functions, got "say"',
    ],
    [
      "messages.0.name",
      { messages: [{ role: "function", content: "3" }] },
      "expected a non-empty string, got nothing",
    ],
    [
      "messages.0.function_call",
      { messages: [{ role: "assistant", function_call: "add" }] },
      'expected an object, got "add"',
    ],
    [
      "messages.0.function_call.name",
      { messages: [{ role: "assistant", function_call: { name: "", arguments: "{}" } }] },
      'expected a non-empty string, got ""',
    ],
    [
      "messages.0.function_call.arguments",
      { messages: [{ role: "assistant", function_call: { name: "add", arguments: {} } }] },
      "expected a string, got",
    ],
    [
      "messages.0.function_call",
      {
        messages: [
          {
            role: "assistant",
            function_call: { name: "add", arguments: "{}" },
            tool_calls: [{ id: "1", function: { name: "add", arguments: "{}" } }],
          },
        ],
      },
      `${together} tool_calls`,
    ],
  ])("in the field %s for $1", async (param, fields, message) => {
    const { engine, post } = serve();
    for (const stream of [false, true]) {
      const response = await post({ ...fields, stream });
      expect(response.statusCode).toBe(400);
      const { error } = response.json<{ error: { param: string; message: string } }>();
      expect(error.message).toContain(message);
      expect(error.param).toBe(param);
    }
    expect(engine.requests).toEqual([]);
  });
});
