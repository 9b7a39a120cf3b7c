import type { ChatCompletion, ChatCompletionChunk } from "openai/resources/chat/completions";
import { describe, expect, it } from "vitest";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { eventJson } from "../../support/server-sent-events.js";
import { buildTestApp } from "../../support/test-app.js";

const messages = [{ role: "user", content: "Patch" }];
const add = { type: "function", function: { name: "add", parameters: { type: "object" } } };
const custom = (fields: object = {}) => ({
  type: "custom",
  custom: { name: "patch", description: "Takes a patch.", ...fields },
});
const grammar = (fields: object) => ({ format: { type: "grammar", grammar: fields } });
const tools = [add, custom()];

const input = '*** "Begin" \\ and\n\u{1f600}\u0000';
const written = JSON.stringify({ input });
const patchCall = (pieces: readonly string[]) => ({
  call: { id: "call_1", name: "patch", arguments: pieces },
});
const addCall = { call: { id: "call_2", name: "add", arguments: '{"a": 1.0}' } };
const answeredPatch = { id: "call_1", type: "custom", custom: { name: "patch", input } };
const answeredAdd = {
  id: "call_2",
  type: "function",
  function: { name: "add", arguments: '{"a": 1.0}' },
};

function serve(script: Script = { parts: ["No."] }) {
  const engine = new ScriptedEngine(() => script);
  const { app } = buildTestApp(engine);
  const post = (payload: object) =>
    app.inject({ method: "POST", url: "/v1/chat/completions", payload: { messages, ...payload } });
  return { engine, post };
}

const definition = (inputSchema: object) => ({
  name: "patch",
  description: "Takes a patch.",
  strict: true,
  parameters: {
    type: "object",
    properties: { input: inputSchema },
    required: ["input"],
    additionalProperties: false,
  },
});

describe("custom tools", () => {
  it.each([
    [{}, { type: "string" }],
    [{ format: null }, { type: "string" }],
    [{ format: { type: "text" } }, { type: "string" }],
    [grammar({ syntax: "regex", definition: "a|b" }), { type: "string", pattern: "^(?:a|b)$" }],
  ])(
    "reach the engine as functions with one string argument, alongside other functions: %j",
    async (fields, schema) => {
      const { engine, post } = serve();
      await post({ tools: [add, custom(fields)] });
      const [first, second] = engine.requests[0]?.prompt.tools ?? [];
      expect(first).toMatchObject({ name: "add", strict: undefined });
      expect(second).toMatchObject(definition(schema));
      expect(second?.parametersField).toBe("tools.1.custom.format.grammar.definition");
    },
  );

  it("are called with an input, alongside functions with arguments", async () => {
    const { post } = serve({ parts: [patchCall([written]), addCall], ending: "tool-calls" });
    const { choices } = (await post({ tools })).json<ChatCompletion>();
    expect(choices[0]).toMatchObject({ finish_reason: "tool_calls", message: { content: null } });
    expect(choices[0]?.message.tool_calls).toEqual([answeredPatch, answeredAdd]);
  });

  it.each([1, 2, 3, 5, 7, 100])(
    "stream their input, from chunks of %d characters",
    async (size) => {
      const pieces = written.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];
      const { post } = serve({
        parts: ["Wait.", patchCall(pieces), addCall],
        ending: "tool-calls",
      });
      const { body } = await post({ tools, stream: true });
      const choices = eventJson<ChatCompletionChunk>(body).map((chunk) => chunk.choices[0]);
      const [text, begin, ...rest] = choices.map((choice) => choice?.delta);
      const end = rest.splice(-3);
      expect(text).toEqual({ role: "assistant", content: "Wait." });
      expect(begin).toEqual({
        tool_calls: [
          { index: 0, id: "call_1", type: "custom", custom: { name: "patch", input: "" } },
        ],
      });
      const inputs = rest.map((delta) => inputIn(delta));
      expect(inputs).not.toContain("");
      expect(inputs.join("")).toBe(input);
      expect(end).toEqual([
        {
          tool_calls: [
            { index: 1, id: "call_2", type: "function", function: { name: "add", arguments: "" } },
          ],
        },
        { tool_calls: [{ index: 1, function: { arguments: '{"a": 1.0}' } }] },
        {},
      ]);
      expect(choices.at(-1)?.finish_reason).toBe("tool_calls");
    },
  );

  it("start a stream with the role", async () => {
    const { post } = serve({ parts: [patchCall(['{"input":', '"a"}'])], ending: "tool-calls" });
    const { body } = await post({ tools, stream: true });
    const deltas = eventJson<ChatCompletionChunk>(body).map(({ choices }) => choices[0]?.delta);
    expect(deltas).toEqual([
      {
        role: "assistant",
        tool_calls: [
          { index: 0, id: "call_1", type: "custom", custom: { name: "patch", input: "" } },
        ],
      },
      { tool_calls: [{ index: 0, custom: { input: "a" } }] },
      {},
    ]);
  });

  it("return the partial input of a truncated call", async () => {
    const cut = [patchCall(['{"input":"*** Be', "gin\\u00"])];
    const { post } = serve({ parts: cut, ending: "length" });
    const { choices } = (await post({ tools })).json<ChatCompletion>();
    expect(choices[0]).toMatchObject({
      finish_reason: "length",
      message: { tool_calls: [{ type: "custom", custom: { input: "*** Begin" } }] },
    });
  });

  it("keep the calls of several choices apart", async () => {
    const engine = new ScriptedEngine((_, choice) => ({
      parts: [choice === 0 ? patchCall(['{"input":"a', 'b"}']) : addCall],
      ending: "tool-calls",
    }));
    const { app } = buildTestApp(engine);
    const payload = { messages, tools, n: 2, stream: true };
    const { body } = await app.inject({ method: "POST", url: "/v1/chat/completions", payload });
    const chunks = eventJson<ChatCompletionChunk>(body).flatMap(({ choices }) => choices);
    const deltasOf = (index: number) =>
      chunks.filter((choice) => choice.index === index).map(({ delta }) => delta);
    expect(deltasOf(0).map(inputIn).join("")).toBe("ab");
    expect(deltasOf(1)).toContainEqual({
      tool_calls: [{ index: 0, function: { arguments: '{"a": 1.0}' } }],
    });
  });

  it("are not passed to the model when tool_choice is none", async () => {
    const { engine, post } = serve();
    await post({ tools, tool_choice: "none" });
    expect(engine.requests[0]?.prompt.tools).toEqual([]);
  });

  const named = (type: string, name: string) => ({ type, [type]: { name } });
  const allowed = (mode: string, ...list: object[]) => ({
    type: "allowed_tools",
    allowed_tools: { mode, tools: list },
  });

  it.each([
    [named("custom", "patch"), { demand: "required", callable: ["patch"], calls: "one" }],
    [allowed("auto", named("custom", "patch")), { demand: "optional", callable: ["patch"] }],
    [
      allowed("required", named("function", "add"), named("custom", "patch")),
      { demand: "required", callable: ["add", "patch"] },
    ],
    ["required", { demand: "required" }],
  ])("are called according to tool_choice %j", async (choice, toolUse) => {
    const { engine, post } = serve();
    await post({ tools, tool_choice: choice });
    expect(engine.requests[0]?.toolUse).toEqual(toolUse);
  });

  it("are translated in earlier calls and results", async () => {
    const { engine, post } = serve();
    await post({
      tools,
      messages: [
        ...messages,
        { role: "assistant", content: null, tool_calls: [answeredPatch, answeredAdd] },
        { role: "tool", tool_call_id: "call_1", content: "Done." },
        { role: "tool", tool_call_id: "call_2", content: "1" },
      ],
    });
    expect(engine.requests[0]?.prompt.messages.slice(1)).toEqual([
      {
        role: "assistant",
        content: "",
        toolCalls: [
          { id: "call_1", name: "patch", arguments: written },
          { id: "call_2", name: "add", arguments: '{"a": 1.0}' },
        ],
      },
      { role: "tool", content: "Done.", toolCallId: "call_1" },
      { role: "tool", content: "1", toolCallId: "call_2" },
    ]);
  });

  it("leave calls with an absent, null or unknown type unchanged", async () => {
    for (const type of [undefined, null, "function", "tool_call"]) {
      const { engine, post } = serve();
      const call = { id: "c", type, function: { name: "add", arguments: "{}" } };
      await post({ messages: [{ role: "assistant", tool_calls: [call] }, ...messages] });
      expect(engine.requests[0]?.prompt.messages[0]).toMatchObject({
        toolCalls: [{ id: "c", name: "add", arguments: "{}" }],
      });
    }
  });

  it("are accepted by /apply-template", async () => {
    const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: [] })));
    const payload = { messages, tools };
    const response = await app.inject({ method: "POST", url: "/apply-template", payload });
    expect(response.statusCode).toBe(200);
  });

  const calls = (...list: object[]) => ({
    messages: [{ role: "assistant", tool_calls: list }, ...messages],
  });

  it.each<[string, object, string]>([
    ["tools.0", { tools: [3] }, "expected a tool, got 3"],
    [
      "tools.0.type",
      { tools: [{ custom: {} }] },
      "expected one of function, custom, or a hosted tool, got nothing",
    ],
    ["tools.0.custom", { tools: [{ type: "custom" }] }, "expected an object, got nothing"],
    ["tools.0.custom.name", { tools: [{ type: "custom", custom: {} }] }, "expected a string"],
    [
      "tools.0.custom.name",
      { tools: [custom({ name: "a b" })] },
      'expected 1 to 64 letters, digits, _, . or -, got "a b"',
    ],
    ["tools.0.custom.description", { tools: [custom({ description: 1 })] }, "expected a string"],
    [
      "tools.0.custom.format.type",
      { tools: [custom({ format: { type: "json" } })] },
      'expected one of text, grammar, got "json"',
    ],
    [
      "tools.0.custom.format.grammar",
      // Position of the format in the Responses API.
      { tools: [custom({ format: { type: "grammar", syntax: "regex", definition: "a" } })] },
      "expected an object, got nothing",
    ],
    [
      "tools.0.custom.format.grammar.syntax",
      { tools: [custom(grammar({ syntax: "ebnf", definition: "a" }))] },
      'got "ebnf"',
    ],
    [
      "tools.0.custom.format.grammar.definition",
      { tools: [custom(grammar({ syntax: "regex", definition: "" }))] },
      'expected a non-empty string, got ""',
    ],
    ["tools", { tools: [custom(), custom()] }, 'expected names that differ, got "patch" twice'],
    [
      "tools",
      { tools: [custom({ name: "add" }), add] },
      'expected names that differ, got "add" twice',
    ],
    [
      "tool_choice.custom",
      { tools, tool_choice: { type: "custom" } },
      "expected an object, got nothing",
    ],
    [
      "tool_choice.custom.name",
      { tools, tool_choice: named("custom", "add") },
      'expected the name of one of the tools of type custom, got "add"',
    ],
    [
      "tool_choice.function.name",
      { tools, tool_choice: named("function", "patch") },
      'expected the name of one of the tools of type function, got "patch"',
    ],
    [
      "tool_choice.allowed_tools.tools.1.custom.name",
      { tools, tool_choice: allowed("auto", named("custom", "patch"), named("custom", "none")) },
      'expected the name of one of the tools of type custom, got "none"',
    ],
    [
      "tool_choice.allowed_tools.tools.0.type",
      { tools, tool_choice: allowed("auto", { type: "mcp" }) },
      'expected one of function, custom, got "mcp"',
    ],
    ["messages.0.tool_calls.0", calls([]), "expected a tool call, got []"],
    [
      "messages.0.tool_calls.0.custom",
      calls({ id: "c", type: "custom" }),
      "expected an object, got nothing",
    ],
    [
      "messages.0.tool_calls.0.type",
      calls({ id: "c", type: "custom", function: { name: "add", arguments: "{}" } }),
      'expected "function", got "custom"',
    ],
    [
      "messages.0.tool_calls.0.type",
      calls({ id: "c", custom: { name: "patch", input: "a" } }),
      'expected "custom", got nothing',
    ],
    [
      "messages.0.tool_calls.0.function",
      calls({ id: "c", type: "function" }),
      "expected an object, got nothing",
    ],
    [
      "messages.0.tool_calls.0.custom.name",
      calls({ id: "c", type: "custom", custom: { name: "", input: "a" } }),
      'expected a non-empty string, got ""',
    ],
    [
      "messages.0.tool_calls.0.custom.input",
      calls({ id: "c", type: "custom", custom: { name: "patch", input: { a: 1 } } }),
      "expected a string, got",
    ],
    [
      "messages.0.tool_calls.0.id",
      calls({ type: "custom", custom: { name: "patch", input: "a" } }),
      "expected a string, got nothing",
    ],
  ])("are rejected with the path %s: %j", async (param, fields, message) => {
    const { engine, post } = serve();
    const response = await post(fields);
    expect(response.statusCode).toBe(400);
    const { error } = response.json<{ error: { param: string; message: string } }>();
    expect(error.message).toContain(message);
    expect(error.param).toBe(param);
    expect(engine.requests).toEqual([]);
  });
});

/** Text that a delta appends to the input of the first call. */
function inputIn(delta: object | undefined): string {
  const { tool_calls: calls = [] } = (delta ?? {}) as {
    tool_calls?: readonly { readonly custom?: { readonly input: string } }[];
  };
  return calls[0]?.custom?.input ?? "";
}
