import { describe, expect, it } from "vitest";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: ["ok"] }), { contextSize: 9999 }));

const valid = { max_tokens: 5, messages: [{ role: "user", content: "Hi" }] };

async function messageOf(fields: object, url = "/v1/messages"): Promise<string> {
  const response = await app.inject({ method: "POST", url, payload: { ...valid, ...fields } });
  expect([fields, response.statusCode]).toEqual([fields, 400]);
  const { type, error } = response.json<{
    type: string;
    error: { type: string; message: string };
  }>();
  expect([type, error.type]).toEqual(["error", "invalid_request_error"]);
  return error.message;
}

const user = (content: unknown) => ({ messages: [{ role: "user", content }] });
const assistant = (content: unknown) => ({ messages: [{ role: "assistant", content }] });
const tool = (fields: object) => ({ tools: [{ name: "f", input_schema: {}, ...fields }] });
const computer = (fields: object) => ({
  tools: [{ type: "computer_20250124", name: "computer", display_height_px: 9, ...fields }],
});
const result = (fields: object) => user([{ type: "tool_result", tool_use_id: "1", ...fields }]);
const use = (fields: object) =>
  assistant([{ type: "tool_use", id: "1", name: "f", input: {}, ...fields }]);
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } };
const imageOf = (source: unknown) => user([{ type: "image", source }]);
const search = { type: "search_result", source: "https://example.com", title: "A", content: [] };

/** Prompt fields, which token count requests share. */
const promptCases: readonly (readonly [path: string, fields: object])[] = [
  ["model", { model: 1 }],
  ["model", { model: "" }],
  ["messages", { messages: "Hi" }],
  ["messages", { messages: undefined }],
  ["messages", { messages: [] }],
  ["messages.0", { messages: ["Hi"] }],
  ["messages.0.role", { messages: [{ role: "tool", content: "Hi" }] }],
  ["messages.0.content", user(1)],
  ["messages.0.content", user(null)],
  ["messages.0.content.0", user(["Hi"])],
  ["messages.0.content.0.text", user([{ type: "text", text: 1 }])],
  ["messages.0.content.0.type", user([{ type: "tool_use", id: "1", name: "f", input: {} }])],
  ["messages.0.content.0.source", imageOf(undefined)],
  ["messages.0.content.0.source.type", imageOf({ type: "file", file_id: "file_1" })],
  ["messages.0.content.0.source.data", imageOf({ type: "base64", data: "" })],
  ["messages.0.content.0.source.url", imageOf({ type: "url" })],
  ["messages.0.content.0.tool_use_id", result({ tool_use_id: 1 })],
  ["messages.0.content.0.content", result({ content: 1 })],
  ["messages.0.content.0.content.0.text", result({ content: [{ type: "text" }] })],
  ["messages.0.content.0.is_error", result({ is_error: "yes" })],
  ["messages.0.content.0.id", use({ id: 1 })],
  ["messages.0.content.0.name", use({ name: 1 })],
  ["messages.0.content.0.input", use({ input: "{}" })],
  ["messages.0.content.0.input", use({ input: [] })],
  ["messages.0.content.0.thinking", assistant([{ type: "thinking", thinking: 1 }])],
  ["messages.0.content.0.signature", assistant([{ type: "thinking", thinking: "", signature: 1 }])],
  ["messages.0.content.0.data", assistant([{ type: "redacted_thinking", data: 1 }])],
  ["messages.0.content", { messages: [{ role: "system", content: 1 }] }],
  ["system", { system: 1 }],
  ["system.0.text", { system: [{ type: "text", text: 1 }] }],
  ["thinking", { thinking: true }],
  ["thinking.type", { thinking: { type: "between_tools" } }],
  ["thinking.budget_tokens", { thinking: { type: "enabled" } }],
  ["thinking.budget_tokens", { thinking: { type: "enabled", budget_tokens: -1 } }],
  ["thinking.display", { thinking: { type: "adaptive", display: "all" } }],
  ["output_config", { output_config: "high" }],
  ["output_config.effort", { output_config: { effort: "most" } }],
  ["output_config.format", { output_config: { format: "json" } }],
  ["output_config.format.type", { output_config: { format: { type: "json", schema: {} } } }],
  ["output_config.format.schema", { output_config: { format: { type: "json_schema" } } }],
  ["tools", { tools: {} }],
  ["tools.0", { tools: ["f"] }],
  ["tools.0.type", tool({ type: 1 })],
  ["tools.0.name", tool({ name: 1 })],
  ["tools.0.name", tool({ name: "a b" })],
  ["tools.0.description", tool({ description: 1 })],
  ["tools.0.input_schema", tool({ input_schema: "{}" })],
  ["tools.0.input_schema", tool({ input_schema: undefined })],
  ["tools.0.name", tool({ name: "a b", type: "web_search_20250305" })],
  ["tools.0.strict", tool({ strict: "yes" })],
  ["tools.0.name", { tools: [{ type: "bash_20250124", name: "shell" }] }],
  ["tools.0.name", { tools: [{ type: "bash_20250124" }] }],
  ["tools.0.name", { tools: [{ type: "text_editor_20250728", name: "str_replace_editor" }] }],
  ["tools.0.input_schema", { tools: [{ type: "bash_20250124", name: "bash", input_schema: 1 }] }],
  ["tools.0.display_width_px", computer({})],
  ["tools.0.display_width_px", computer({ display_width_px: null })],
  ["tools.0.display_width_px", computer({ display_width_px: "1024" })],
  ["tools.0.display_height_px", computer({ display_width_px: 9, display_height_px: 0.5 })],
  ["tools.0.max_characters", tool({ max_characters: 0 })],
  ["tools.0.enable_zoom", tool({ enable_zoom: "yes" })],
  ["tool_choice", { tool_choice: "auto" }],
  ["tool_choice.type", { tool_choice: { type: "some" } }],
  ["tool_choice.name", { tool_choice: { type: "tool" } }],
  [
    "tool_choice.disable_parallel_tool_use",
    { tool_choice: { type: "any", disable_parallel_tool_use: 1 } },
  ],
];

const cases: typeof promptCases = [
  ...promptCases,
  ["max_tokens", { max_tokens: undefined }],
  ["max_tokens", { max_tokens: null }],
  ["max_tokens", { max_tokens: 0 }],
  ["max_tokens", { max_tokens: 1.5 }],
  ["max_tokens", { max_tokens: "5" }],
  ["stop_sequences", { stop_sequences: "END" }],
  ["stop_sequences", { stop_sequences: Array(101).fill("END") }],
  ["stop_sequences.1", { stop_sequences: ["END", ""] }],
  ["temperature", { temperature: "hot" }],
  ["temperature", { temperature: -0.1 }],
  ["top_p", { top_p: 1.1 }],
  ["top_k", { top_k: 0.5 }],
  ["stream", { stream: "yes" }],
  ["output_format", { output_format: "json" }],
  ["output_format.schema", { output_format: { type: "json_schema", schema: 1 } }],
];

describe("an invalid field is rejected with its path", () => {
  it.each(cases)("%s: $1", async (path, fields) => {
    expect((await messageOf(fields)).split(": ")[0]).toBe(path);
  });

  it.each(promptCases)("%s, in a token count request: $1", async (path, fields) => {
    expect((await messageOf(fields, "/v1/messages/count_tokens")).split(": ")[0]).toBe(path);
  });

  it.each([
    ["messages", { messages: Array(5_001).fill(valid.messages[0]) }],
    ["messages.0.content", user(Array(1_001).fill({ type: "text", text: "" }))],
    ["tools", { tools: Array(1_001).fill({ name: "f", input_schema: {} }) }],
  ])("too many items in %s", async (path, fields) => {
    expect(await messageOf(fields)).toMatch(new RegExp(`^${path}: expected at most `));
  });
});

describe("unsupported content is rejected with its path and the reason", () => {
  it("a search result in a user message", async () => {
    const message = await messageOf(user([{ type: "text", text: "See" }, search]));
    expect(message).toBe(
      'messages.0.content.1.type: expected one of text, image, document, tool_result, because search results are not supported, got "search_result".',
    );
  });

  it("a search result in a tool result", async () => {
    expect(await messageOf(result({ content: [search] }))).toBe(
      'messages.0.content.0.content.0.type: expected one of text, image, document, tool_reference, because search results are not supported, got "search_result".',
    );
  });

  it("an image that refers to an uploaded file", async () => {
    expect(await messageOf(imageOf({ type: "file", file_id: "file_1" }))).toBe(
      'messages.0.content.0.source.type: expected one of base64, url, because this server stores no files, got "file".',
    );
  });

  it("an image in the system prompt", async () => {
    expect(await messageOf({ system: [image] })).toBe(
      'system.0.type: expected text, because images are accepted only in user messages and tool results, got "image".',
    );
  });
});

describe("a feature that only Anthropic's servers provide is rejected by name", () => {
  it.each(["web_search_unknown", "computer_toolset_20260801", "bash_20230101"])(
    "server tool %s",
    async (type) => {
      const tools = [
        { name: "f", input_schema: {} },
        { type, name: "g" },
      ];
      for (const url of ["/v1/messages", "/v1/messages/count_tokens"]) {
        expect(await messageOf({ tools }, url)).toBe(
          `tools.1.type: expected a tool with an input_schema, because this server runs no tools, got "${type}".`,
        );
      }
    },
  );

  it("thread", async () => {
    expect((await messageOf({ thread: { type: "create" } })).split(": ")[0]).toBe("thread");
  });
});

describe("fields without effect are accepted", () => {
  it.each([
    { metadata: { user_id: "u" }, service_tier: "auto", container: "c", inference_geo: "eu" },
    { context_management: { edits: [] }, cache_control: { type: "ephemeral", ttl: "1h" } },
    { betas: ["new-2027-01-01"], speed: "fast", mcp_servers: [], thread: null, unknown: 1 },
    { tools: [{ type: "bash_20250124", name: "bash", input_schema: { type: "object" } }] },
    { tools: null, tool_choice: null, thinking: null, output_config: null, output_format: null },
    { model: null, system: null, stream: null, stop_sequences: null, temperature: null },
  ])("%j", async (fields) => {
    const headers = { "anthropic-version": "2023-06-01", "anthropic-beta": "a-2025-01-01,b" };
    const payload = { ...valid, ...fields };
    const response = await app.inject({ method: "POST", url: "/v1/messages", headers, payload });
    expect(response.statusCode).toBe(200);
  });
});
