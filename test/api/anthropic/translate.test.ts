import { describe, expect, it } from "vitest";
import { countTokensRequest, messagesRequest } from "../../../src/api/anthropic/schema.js";
import { createSignature } from "../../../src/api/anthropic/thinking.js";
import { toCountRequest, toGenerationRequest } from "../../../src/api/anthropic/translate.js";
import type { ChatMessage, ChatPrompt } from "../../../src/core/generation-request.js";
import { refusal } from "../../support/refusal.js";

const hi = [{ role: "user", content: "Hi" }];

function translate(fields: object) {
  const body = { max_tokens: 50, messages: hi, ...fields };
  return toGenerationRequest(messagesRequest.parse(body), "id");
}

function promptOf(fields: object): ChatPrompt {
  const { prompt } = translate(fields);
  if (prompt.type !== "chat") throw new Error(`a prompt of type ${prompt.type}`);
  return prompt;
}

const messagesOf = (fields: object): readonly ChatMessage[] => promptOf(fields).messages;

const text = (value: string) => ({
  type: "text",
  text: value,
  cache_control: { type: "ephemeral" },
});

describe("translated messages", () => {
  it("join text blocks, with line breaks for the user and directly for the assistant", () => {
    const messages = [
      { role: "user", content: [text("a"), text("b")] },
      { role: "assistant", content: [text("c"), text("d")] },
      { role: "user", content: "e" },
    ];
    expect(messagesOf({ messages })).toEqual([
      { role: "user", content: "a\nb" },
      { role: "assistant", content: "cd" },
      { role: "user", content: "e" },
    ]);
  });

  it("merge consecutive messages of one role", () => {
    const use = (id: string) => ({ type: "tool_use", id, name: "f", input: {} });
    const messages = [
      { role: "user", content: "a" },
      { role: "user", content: [text("b")] },
      { role: "assistant", content: "c" },
      { role: "assistant", content: [{ type: "thinking", thinking: "t" }, use("1")] },
      { role: "assistant", content: [{ type: "thinking", thinking: "u" }, text("d"), use("2")] },
    ];
    const call = (id: string) => ({ id, name: "f", arguments: "{}" });
    expect(messagesOf({ messages })).toEqual([
      { role: "user", content: "a\nb" },
      { role: "assistant", content: "cd", reasoning: "t\nu", toolCalls: [call("1"), call("2")] },
    ]);
  });

  // Quadratic concatenation would copy hundreds of gigabytes.
  it("merge thousands of consecutive messages of one role", () => {
    const thinking = "x".repeat(4_000);
    const message = { role: "assistant", content: [{ type: "thinking", thinking }] };
    const messages = new Array(5_000).fill(message);
    expect(messagesOf({ messages })).toEqual([
      { role: "assistant", content: "", reasoning: messages.map(() => thinking).join("\n") },
    ]);
  });

  it("merge consecutive system messages, but not tool results", () => {
    const result = { type: "tool_result", tool_use_id: "1", content: "r" };
    const messages = [
      { role: "system", content: "b" },
      { role: "user", content: [result, result] },
    ];
    expect(messagesOf({ messages, system: "a" })).toEqual([
      { role: "system", content: "a\nb" },
      { role: "tool", toolCallId: "1", content: "r" },
      { role: "tool", toolCallId: "1", content: "r" },
    ]);
  });

  it("restore omitted thinking from its signature, only if this server signed it", () => {
    const blocks = ["ggufd", "another"].map((server) => {
      const signature =
        server === "ggufd" ? createSignature("Hm – ja.", "omitted") : "EpgBCkYIBxgC";
      return [{ type: "thinking", thinking: "", signature }, text(server)];
    });
    const messages = blocks.flatMap((content) => [
      { role: "user", content: "Say" },
      { role: "assistant", content },
    ]);
    expect(messagesOf({ messages }).filter(({ role }) => role === "assistant")).toEqual([
      { role: "assistant", content: "ggufd", reasoning: "Hm – ja." },
      { role: "assistant", content: "another" },
    ]);
  });

  it("convert tool calls, tool results and the user's text after them", () => {
    const messages = [
      { role: "user", content: "Add" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "any" },
          { type: "redacted_thinking", data: "abc" },
          text("Wait."),
          { type: "tool_use", id: "call_1", name: "add", input: { a: 1, b: ["x"] } },
        ],
      },
      {
        role: "user",
        content: [
          text("And?"),
          { type: "tool_result", tool_use_id: "call_1", content: [text("3"), text("4")] },
          { type: "tool_result", tool_use_id: "call_2", content: "no such file", is_error: true },
          { type: "tool_result", tool_use_id: "call_3", content: "Error: no", is_error: true },
          { type: "tool_result", tool_use_id: "call_4" },
        ],
      },
      { role: "user", content: "Well?" },
    ];
    expect(messagesOf({ messages })).toEqual([
      { role: "user", content: "Add" },
      {
        role: "assistant",
        content: "Wait.",
        reasoning: "Hm.",
        toolCalls: [{ id: "call_1", name: "add", arguments: '{"a":1,"b":["x"]}' }],
      },
      { role: "tool", toolCallId: "call_1", content: "3\n4" },
      { role: "tool", toolCallId: "call_2", content: "Error: no such file" },
      { role: "tool", toolCallId: "call_3", content: "Error: no" },
      { role: "tool", toolCallId: "call_4", content: "" },
      { role: "user", content: "And?\nWell?" },
    ]);
  });

  it("continue a final assistant message", () => {
    const messages = [...hi, { role: "assistant", content: "I am" }];
    expect(promptOf({ messages })).toMatchObject({
      messages: [...hi, { role: "assistant", content: "I am" }],
      finalMessage: "continued",
    });
  });

  it.each([
    ["Be brief.", "Be brief."],
    [[text("Be brief."), text("Be kind.")], "Be brief.\nBe kind."],
    [
      [text("x-anthropic-billing-header: cc_version=1; cch=1a2b3;"), text("Be brief.")],
      "Be brief.",
    ],
    ["x-anthropic-billing-header: cch=1a2b3;\nBe brief.\n\n", "Be brief.\n\n"],
  ])("start with the system prompt %j", (system, content) => {
    expect(messagesOf({ system })).toEqual([{ role: "system", content }, ...hi]);
  });

  it.each(["", [], [text("x-anthropic-billing-header: cch=1a2b3;")], null])(
    "omit the empty system prompt %j",
    (system) => {
      expect(messagesOf({ system })).toEqual(hi);
    },
  );

  it("keep system messages in the middle of the conversation", () => {
    const messages = [...hi, { role: "system", content: [text("Now be brief.")] }];
    expect(messagesOf({ messages })).toEqual([...hi, { role: "system", content: "Now be brief." }]);
  });
});

describe("translated thinking settings", () => {
  it.each([
    [undefined, { enable_thinking: false }, undefined],
    [null, { enable_thinking: false }, undefined],
    [{ type: "disabled" }, { enable_thinking: false }, { maxTokens: 0 }],
    [{ type: "enabled", budget_tokens: 2048 }, { enable_thinking: true }, { maxTokens: 2048 }],
    [{ type: "adaptive" }, { enable_thinking: true }, undefined],
  ])("follow the thinking field %j", (thinking, templateVariables, reasoningBudget) => {
    expect(promptOf({ thinking }).templateVariables).toEqual(templateVariables);
    expect(translate({ thinking }).reasoningBudget).toEqual(reasoningBudget);
  });

  it("pass the effort to the chat template as reasoning_effort", () => {
    const output_config = { effort: "high" };
    expect(promptOf({ output_config }).templateVariables).toMatchObject({
      reasoning_effort: "high",
    });
  });
});

describe("translated tools", () => {
  const schema = { type: "object", properties: { a: { type: "number" } } };
  const add = { name: "add", description: "Adds", input_schema: schema, strict: true };
  const now = { type: "custom", name: "now", input_schema: {}, cache_control: {} };
  const tools = [add, now];

  it("keep names, descriptions and schemas", () => {
    expect(promptOf({ tools }).tools).toEqual([
      {
        name: "add",
        description: "Adds",
        parameters: schema,
        parametersField: "tools.0.input_schema",
        strict: true,
      },
      { name: "now", parameters: {}, parametersField: "tools.1.input_schema" },
    ]);
  });

  it.each([
    [undefined, { demand: "optional" }, undefined],
    [{ type: "auto" }, { demand: "optional" }, undefined],
    [{ type: "auto", disable_parallel_tool_use: true }, { demand: "optional" }, 1],
    [{ type: "any" }, { demand: "required" }, undefined],
    [{ type: "any", disable_parallel_tool_use: true }, { demand: "required" }, 1],
    [
      { type: "tool", name: "now" },
      { demand: "required", callable: ["now"], calls: "one" },
      undefined,
    ],
  ])("follow the tool choice %j", (tool_choice, toolUse, maxToolCalls) => {
    const request = translate({ tools, tool_choice });
    expect(request.toolUse).toEqual(toolUse);
    expect(request.stopping.maxToolCalls).toBe(maxToolCalls);
  });

  it("are omitted when tool_choice is none", () => {
    expect(promptOf({ tools, tool_choice: { type: "none" } }).tools).toEqual([]);
  });

  it.each([
    [{ tool_choice: { type: "any" } }, "tools"],
    [{ tools, tool_choice: { type: "tool", name: "sub" } }, "tool_choice.name"],
  ])("are rejected when the required tool does not exist: $0", (fields, param) => {
    const error = refusal(() => translate(fields));
    expect([error.code, error.param]).toEqual(["invalid_request", param]);
  });
});

describe("tools with defer_loading", () => {
  const parameters = { type: "object" };
  const search = { name: "ToolSearch", input_schema: parameters };
  const deferred = { name: "weather", input_schema: parameters, defer_loading: true };
  const tools = [search, deferred];
  const conversation = (...found: readonly string[]) => [
    { role: "user", content: "Is it raining?" },
    { role: "assistant", content: [{ type: "tool_use", id: "1", name: "ToolSearch", input: {} }] },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "1",
          content: found.map((tool_name) => ({ type: "tool_reference", tool_name })),
        },
      ],
    },
  ];
  const namesIn = (fields: object) =>
    promptOf(fields).tools.map(({ name, definition = "listed" }) => [name, definition]);

  it("are unknown to the model until a result refers to them", () => {
    expect(namesIn({ tools })).toEqual([["ToolSearch", "listed"]]);
    expect(namesIn({ tools, messages: conversation() })).toEqual([["ToolSearch", "listed"]]);
  });

  it("are defined by the result that refers to them", () => {
    const messages = conversation("weather");
    expect(namesIn({ tools, messages })).toEqual([
      ["ToolSearch", "listed"],
      ["weather", "in-history"],
    ]);
    expect(messagesOf({ tools, messages }).at(-1)).toEqual({
      role: "tool",
      toolCallId: "1",
      content:
        'This tool can be called now: {"type":"function","function":{"name":"weather","parameters":{"type":"object"}}}',
    });
  });

  it("are listed if tool_choice demands them, and otherwise do not count for it", () => {
    const named = { tools, tool_choice: { type: "tool", name: "weather" } };
    expect(namesIn(named)).toContainEqual(["weather", "listed"]);
    const any = { tools: [deferred], tool_choice: { type: "any" } };
    expect(refusal(() => translate(any)).param).toBe("tools");
  });

  it.each(["tool_search_tool_regex_20251119", "tool_search_tool_bm25"])(
    "are not deferred if Anthropic's servers were to search them: %s",
    (type) => {
      const hosted = { type, name: type };
      expect(namesIn({ tools: [hosted, ...tools] })).toEqual([
        ["ToolSearch", "listed"],
        ["weather", "listed"],
      ]);
    },
  );

  it("must be tools of the request to be referred to", () => {
    const error = refusal(() => translate({ tools, messages: conversation("sun") }));
    expect([error.code, error.param]).toEqual([
      "invalid_request",
      "messages.2.content.0.content.0.tool_name",
    ]);
  });
});

describe("translated sampling parameters and stop sequences", () => {
  it("keep the request's values", () => {
    const fields = { temperature: 0.5, top_p: 0.9, top_k: 40, stop_sequences: ["a", "b"] };
    expect(translate(fields)).toMatchObject({
      sampling: { temperature: 0.5, topP: 0.9, topK: 40 },
      stopping: { maxTokens: 50, minTokens: 0, stop: ["a", "b"], ignoreEos: false },
    });
  });

  it("default to the server's values when null", () => {
    const fields = { temperature: null, top_p: null, top_k: null, stop_sequences: null };
    const { sampling, stopping } = translate(fields);
    expect(sampling).toEqual({});
    expect(stopping.stop).toEqual([]);
  });
});

describe("a translated output format", () => {
  const schema = { type: "object" };
  const format = { type: "json_schema", schema };

  it.each([
    [{ output_config: { format } }, "output_config.format.schema"],
    [{ output_format: format }, "output_format.schema"],
  ])("becomes a constraint: %j", (fields, field) => {
    expect(translate(fields).constraint).toEqual({
      constraint: { type: "json-schema", schema },
      field,
    });
  });

  it("is rejected when given in two fields", () => {
    const error = refusal(() => translate({ output_config: { format }, output_format: format }));
    expect(error.param).toBe("output_format");
  });

  it("becomes no constraint when null", () => {
    expect(translate({ output_config: { format: null } }).constraint).toBeUndefined();
  });
});

describe("a token count request", () => {
  it("has the same prompt as the message, without fields that only limit the answer", () => {
    const tools = [{ name: "f", input_schema: {}, strict: true }];
    const body = { messages: hi, system: "Be brief.", tools, thinking: { type: "disabled" } };
    const counted = toCountRequest(countTokensRequest.parse(body), "id");
    const sent = translate(body);
    expect(counted.prompt).toEqual({
      ...sent.prompt,
      tools: [{ name: "f", parameters: {}, parametersField: "tools.0.input_schema" }],
    });
    expect(counted.reasoningBudget).toEqual(sent.reasoningBudget);
    expect(counted).not.toHaveProperty("toolUse");
  });
});
