import Anthropic from "@anthropic-ai/sdk";
import type { BetaToolUnion } from "@anthropic-ai/sdk/resources/beta/messages";
import { describe, expect, it } from "vitest";
import { findPublishedTool, PUBLISHED_TYPES } from "../../../src/api/anthropic/published-tools.js";
import type { GenerationRequest, ToolDefinition } from "../../../src/core/generation-request.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { serve } from "../../support/serve.js";
import { ALIAS, buildTestApp } from "../../support/test-app.js";

const screen = { display_width_px: 1024, display_height_px: 768 };

interface Parameters {
  readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
  readonly required?: readonly string[];
}

function define(type: string, fields: object = {}) {
  const definition = findPublishedTool(type)?.define({ ...screen, ...fields });
  return { ...definition, parameters: definition?.parameters as unknown as Parameters };
}

const editor = ["view", "create", "str_replace", "insert"];
const mouse = ["left_click", "left_click_drag", "right_click", "middle_click", "double_click"];
const first = ["key", "type", "mouse_move", ...mouse, "screenshot", "cursor_position"];
const later = ["hold_key", "left_mouse_down", "left_mouse_up", "triple_click", "scroll", "wait"];
const edited = ["command", "path", "file_text", "old_str", "insert_line", "view_range", "new_str"];
const scrolled = ["start_coordinate", "scroll_direction", "scroll_amount", "duration"];

describe("a published tool", () => {
  it.each<[string, string, readonly string[] | undefined, readonly string[]]>([
    ["bash_20241022", "bash", undefined, ["command", "restart"]],
    ["bash_20250124", "bash", undefined, ["command", "restart"]],
    ["text_editor_20241022", "str_replace_editor", [...editor, "undo_edit"], edited],
    ["text_editor_20250124", "str_replace_editor", [...editor, "undo_edit"], edited],
    ["text_editor_20250429", "str_replace_based_edit_tool", editor, [...edited, "insert_text"]],
    ["text_editor_20250728", "str_replace_based_edit_tool", editor, [...edited, "insert_text"]],
    [
      "memory_20250818",
      "memory",
      [...editor, "delete", "rename"],
      [...edited, "insert_text", "old_path", "new_path"],
    ],
    ["computer_20241022", "computer", first, ["action", "coordinate", "text"]],
    [
      "computer_20250124",
      "computer",
      [...first, ...later],
      ["action", "coordinate", "text", ...scrolled],
    ],
    [
      "computer_20251124",
      "computer",
      [...first, ...later],
      ["action", "coordinate", "text", ...scrolled],
    ],
  ])(
    "of the type %s has the published name, commands and parameters",
    (type, name, commands, names) => {
      const { properties, required = [] } = define(type).parameters;
      expect(findPublishedTool(type)?.name).toBe(name);
      expect((properties.command ?? properties.action)?.enum?.toSorted()).toEqual(
        commands?.toSorted(),
      );
      expect(Object.keys(properties).toSorted()).toEqual(names.toSorted());
      for (const field of required) expect(properties).toHaveProperty(field);
    },
  );

  it("has no other parameters, and a call at least one", () => {
    for (const type of PUBLISHED_TYPES) {
      expect(define(type).parameters).toMatchObject({ additionalProperties: false });
    }
    expect(define("bash_20250124").parameters).toMatchObject({ minProperties: 1 });
  });

  it("requires the parameters of all its commands", () => {
    const required = (type: string) => define(type).parameters.required ?? [];
    expect(PUBLISHED_TYPES.map((type) => [type.replace(/_\d+$/, ""), required(type)])).toEqual([
      ["bash", []],
      ["bash", []],
      ["text_editor", ["command", "path"]],
      ["text_editor", ["command", "path"]],
      ["text_editor", ["command", "path"]],
      ["text_editor", ["command", "path"]],
      ["memory", ["command"]],
      ["computer", ["action"]],
      ["computer", ["action"]],
      ["computer", ["action"]],
    ]);
  });

  it("describes the screen, and the limit of a viewed file", () => {
    expect(define("computer_20250124").description).toContain("1024 by 768 pixels");
    const { description } = define("text_editor_20250728", { max_characters: 500 });
    expect(description).toContain("up to 500 characters");
    expect(define("text_editor_20250728").description).not.toContain("characters");
  });

  it("zooms only if the request allows it", () => {
    const { properties } = define("computer_20251124", { enable_zoom: true }).parameters;
    expect(properties.action?.enum).toContain("zoom");
    expect(properties).toHaveProperty("region");
    const earlier = define("computer_20250124", { enable_zoom: true }).parameters;
    expect(earlier.properties).not.toHaveProperty("region");
  });

  it.each([undefined, null, "custom", "bash", "web_search_20250305", "toString"])(
    "is not of the type %s",
    (type) => {
      expect(findPublishedTool(type)).toBeUndefined();
    },
  );
});

const messages = [{ role: "user", content: "List the files" }];
const call = { id: "call_1", name: "bash", arguments: ['{"comm', 'and":"ls"}'] };

/** Calls bash, then repeats its result. */
function script({ prompt }: GenerationRequest): Script {
  const last = prompt.type === "chat" ? prompt.messages.at(-1) : undefined;
  return last?.role === "tool"
    ? { parts: [`It says ${last.content}`] }
    : { parts: [{ call }], ending: "tool-calls" };
}

describe("a request with published tools", () => {
  async function send(fields: object, url = "/v1/messages") {
    const engine = new ScriptedEngine(script, { contextSize: 1000 });
    const { app } = buildTestApp(engine);
    const payload = { max_tokens: 50, messages, ...fields };
    const response = await app.inject({ method: "POST", url, payload });
    const prompt = engine.requests.at(-1)?.prompt;
    const tools: readonly ToolDefinition[] = prompt?.type === "chat" ? prompt.tools : [];
    return { response, tools, request: engine.requests.at(-1) };
  }

  it("offers them to the model with their description and schema", async () => {
    const tools = [
      { type: "bash_20250124", name: "bash", strict: true },
      { type: "computer_20250124", name: "computer", ...screen, display_number: 1 },
    ];
    const offered = (await send({ tools })).tools;
    expect(offered).toEqual([
      { name: "bash", ...define("bash_20250124"), strict: true, parametersField: "tools.0.type" },
      { name: "computer", ...define("computer_20250124"), parametersField: "tools.1.type" },
    ]);
  });

  it("offers a tool with the request's own schema instead, if there is one", async () => {
    const parameters = { type: "object", properties: { line: { type: "string" } } };
    const own = { type: "bash_20250124", name: "run", input_schema: parameters };
    expect((await send({ tools: [own] })).tools).toEqual([
      { name: "run", parameters, parametersField: "tools.0.input_schema" },
    ]);
  });

  it("can require a call of one", async () => {
    const tools = [{ type: "bash_20250124", name: "bash" }];
    const { request } = await send({ tools, tool_choice: { type: "tool", name: "bash" } });
    expect(request?.toolUse).toEqual({ demand: "required", callable: ["bash"], calls: "one" });
  });

  it("defines one with defer_loading where a result refers to it", async () => {
    const tools = [
      { name: "find", input_schema: {} },
      { type: "memory_20250818", name: "memory", defer_loading: true },
    ];
    const reference = { type: "tool_reference", tool_name: "memory" };
    const result = { type: "tool_result", tool_use_id: "1", content: [reference] };
    const found = [...messages, { role: "user", content: [result] }];
    const { tools: offered, request } = await send({ tools, messages: found });
    expect(offered.map(({ name, definition }) => [name, definition])).toEqual([
      ["find", undefined],
      ["memory", "in-history"],
    ]);
    const { description, parameters } = define("memory_20250818");
    const defined = { type: "function", function: { name: "memory", description, parameters } };
    const prompt = request?.prompt;
    expect(prompt?.type === "chat" && prompt.messages.at(-1)?.content).toBe(
      `This tool can be called now: ${JSON.stringify(defined)}`,
    );
  });

  it("can be counted", async () => {
    const tools = [{ type: "bash_20250124", name: "bash" }];
    const { response } = await send({ tools }, "/v1/messages/count_tokens");
    expect(response.statusCode).toBe(200);
  });
});

describe("the Anthropic SDK's published tools", async () => {
  const engine = new ScriptedEngine(script, { contextSize: 1000 });
  const client = new Anthropic({ baseURL: (await serve(engine)).url, apiKey: "none" });
  const tools: BetaToolUnion[] = [
    { type: "bash_20250124", name: "bash" },
    { type: "text_editor_20250728", name: "str_replace_based_edit_tool", max_characters: 100 },
    { type: "memory_20250818", name: "memory" },
    { type: "computer_20251124", name: "computer", enable_zoom: true, ...screen },
  ];
  const request = { model: ALIAS, max_tokens: 100, tools };
  const question = { role: "user" as const, content: "List the files" };

  it("are called and answered, streamed or not", async () => {
    const asked = { ...request, messages: [question] };
    const whole = await client.beta.messages.create(asked);
    const streamed = await client.beta.messages.stream(asked).finalMessage();
    for (const { content, stop_reason } of [whole, streamed]) {
      expect(content).toMatchObject([
        { type: "tool_use", id: "call_1", name: "bash", input: { command: "ls" } },
      ]);
      expect(stop_reason).toBe("tool_use");
    }
    const result = { type: "tool_result" as const, tool_use_id: "call_1", content: "a.txt" };
    const answered = await client.beta.messages.create({
      ...request,
      messages: [
        question,
        { role: "assistant", content: whole.content },
        { role: "user", content: [result] },
      ],
    });
    expect(answered.content).toMatchObject([{ type: "text", text: "It says a.txt" }]);
    const prompt = engine.requests.at(-1)?.prompt;
    expect(prompt?.type === "chat" && prompt.messages[1]).toMatchObject({
      toolCalls: [{ id: "call_1", name: "bash", arguments: '{"command":"ls"}' }],
    });
  });
});
