import type { ChatCompletion, ChatCompletionChunk } from "openai/resources/chat/completions";
import { describe, expect, it } from "vitest";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { eventJson } from "../../support/server-sent-events.js";
import { buildTestApp } from "../../support/test-app.js";

const messages = [{ role: "user", content: "Add" }];
const add = { name: "add", description: "Adds", parameters: { type: "object", properties: {} } };
const tools = [{ type: "function", function: add }];
const first = { id: "call_1", name: "add", arguments: '{"a":1}' };
const second = { id: "call_2", name: "add", arguments: '{"a":2}' };

function serve(script: Script) {
  const engine = new ScriptedEngine(() => script);
  const { app } = buildTestApp(engine);
  const post = (payload: object) =>
    app.inject({ method: "POST", url: "/v1/chat/completions", payload: { messages, ...payload } });
  return { engine, post };
}

describe("tools", () => {
  it("are passed to the engine, and calls are returned in OpenAI's format", async () => {
    const { engine, post } = serve({
      parts: [{ call: first }, { call: second }],
      ending: "tool-calls",
    });
    const { choices } = (await post({ tools })).json<ChatCompletion>();
    expect(engine.requests[0]?.prompt.tools).toEqual([
      { ...add, parametersField: "tools.0.function.parameters" },
    ]);
    expect(choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        content: null,
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "add", arguments: '{"a":1}' } },
          { id: "call_2", type: "function", function: { name: "add", arguments: '{"a":2}' } },
        ],
      },
    });
  });

  it("are streamed as two deltas per call, with increasing indexes", async () => {
    const { post } = serve({
      parts: ["Wait.", { call: first }, { call: second }],
      ending: "tool-calls",
    });
    const { body } = await post({ tools, stream: true });
    const choices = eventJson<ChatCompletionChunk>(body).map((chunk) => chunk.choices[0]);
    expect(choices.map((choice) => choice?.delta)).toEqual([
      { role: "assistant", content: "Wait." },
      {
        tool_calls: [
          { index: 0, id: "call_1", type: "function", function: { name: "add", arguments: "" } },
        ],
      },
      { tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] },
      {
        tool_calls: [
          { index: 1, id: "call_2", type: "function", function: { name: "add", arguments: "" } },
        ],
      },
      { tool_calls: [{ index: 1, function: { arguments: '{"a":2}' } }] },
      {},
    ]);
    expect(choices.at(-1)?.finish_reason).toBe("tool_calls");
  });

  it("have the chunks of their arguments concatenated", async () => {
    const pieces = { ...first, arguments: ['{"a"', ":1", "}"] };
    const { post } = serve({ parts: [{ call: pieces }, { call: second }], ending: "length" });
    const { choices } = (await post({ tools })).json<ChatCompletion>();
    expect(choices[0]?.message.tool_calls).toMatchObject([
      { id: "call_1", function: { arguments: '{"a":1}' } },
      { id: "call_2", function: { arguments: '{"a":2}' } },
    ]);
    const { body } = await post({ tools, stream: true });
    const deltas = eventJson<ChatCompletionChunk>(body).flatMap(
      (chunk) => chunk.choices[0]?.delta.tool_calls ?? [],
    );
    expect(deltas.slice(1, 4)).toEqual(
      pieces.arguments.map((text) => ({ index: 0, function: { arguments: text } })),
    );
  });

  it("are not passed to the model when tool_choice is none", async () => {
    const { engine, post } = serve({ parts: ["No."] });
    await post({ tools, tool_choice: "none" });
    expect(engine.requests[0]?.prompt.tools).toEqual([]);
  });

  it("are called at most once when parallel calls are disabled", async () => {
    const { engine, post } = serve({ parts: ["No."] });
    await post({ tools, parallel_tool_calls: false });
    await post({ tools, parallel_tool_calls: true });
    expect(engine.requests.map(({ stopping }) => stopping.maxToolCalls)).toEqual([1, undefined]);
  });

  it.each([
    [
      { type: "telepathy" },
      'tools.0.type: expected one of function, custom, or a hosted tool, got "telepathy"',
    ],
    [{ type: "function" }, "tools.0.function: "],
    [{ type: "function", function: {} }, "tools.0.function.name: expected a string, got nothing"],
    [
      { type: "function", function: { name: "a b" } },
      'tools.0.function.name: expected 1 to 64 letters, digits, _, . or -, got "a b"',
    ],
    [
      { type: "function", function: { name: "f", parameters: "x" } },
      'tools.0.function.parameters: expected a JSON schema, got "x"',
    ],
  ])("are rejected if malformed: %j", async (tool, message) => {
    const response = await serve({ parts: [] }).post({ tools: [tool] });
    expect(response.statusCode).toBe(400);
    expect(response.json<{ error: { message: string } }>().error.message).toContain(message);
  });

  const named = (name: string) => ({ type: "function", function: { name } });
  const allowed = (mode: string, ...names: string[]) => ({
    type: "allowed_tools",
    allowed_tools: { mode, tools: names.map(named) },
  });

  it.each([
    ["auto", { demand: "optional" }],
    ["required", { demand: "required" }],
    [named("add"), { demand: "required", callable: ["add"], calls: "one" }],
    [allowed("auto", "add"), { demand: "optional", callable: ["add"] }],
    [allowed("required", "add"), { demand: "required", callable: ["add"] }],
  ])("are called according to tool_choice %j", async (choice, toolUse) => {
    const { engine, post } = serve({ parts: ["No."] });
    await post({ tools, tool_choice: choice });
    expect(engine.requests[0]?.toolUse).toEqual(toolUse);
    expect(engine.requests[0]?.prompt.tools).toHaveLength(tools.length);
  });

  it.each([
    [named("none"), "tool_choice.function.name", "the name of one of the tools"],
    [
      allowed("auto", "add", "none"),
      "tool_choice.allowed_tools.tools.1.function.name",
      "the name of one of the tools",
    ],
    ["sometimes", "tool_choice", 'expected "none", "auto"'],
    [3, "tool_choice", 'expected "none", "auto"'],
    [
      allowed("never", "add"),
      "tool_choice.allowed_tools.mode",
      'expected one of auto, required, got "never"',
    ],
  ])("cannot be selected by the tool_choice %j", async (choice, param, message) => {
    const response = await serve({ parts: [] }).post({ tools, tool_choice: choice });
    expect(response.statusCode).toBe(400);
    const { error } = response.json<{ error: { param: string; message: string } }>();
    expect(error.param).toBe(param);
    expect(error.message).toContain(message);
  });

  it("must be present if tool_choice is required", async () => {
    const response = await serve({ parts: [] }).post({ tool_choice: "required" });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ error: { param: "tools" } });
  });

  it("pass the strict flag to the engine", async () => {
    const { engine, post } = serve({ parts: ["No."] });
    await post({ tools: [{ type: "function", function: { name: "f", strict: true } }] });
    expect(engine.requests[0]?.prompt.tools).toMatchObject([{ name: "f", strict: true }]);
  });
});

describe("reasoning", () => {
  it("is returned separately from the content", async () => {
    const { post } = serve({ parts: [{ reasoning: "Hm. " }, { reasoning: "So." }, "Yes."] });
    const { choices } = (await post({})).json<ChatCompletion>();
    expect(choices[0]?.message).toEqual({
      role: "assistant",
      content: "Yes.",
      reasoning_content: "Hm. So.",
      refusal: null,
    });
  });

  it("is streamed in separate deltas", async () => {
    const { post } = serve({ parts: [{ reasoning: "Hm." }, "Yes."] });
    const { body } = await post({ stream: true });
    const deltas = eventJson<ChatCompletionChunk>(body).map(({ choices }) => choices[0]?.delta);
    expect(deltas).toEqual([
      { role: "assistant", reasoning_content: "Hm." },
      { content: "Yes." },
      {},
    ]);
  });
});
