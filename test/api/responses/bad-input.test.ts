import { describe, expect, it } from "vitest";
import { HOSTED_TOOLS } from "../../../src/api/responses/tools.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: ["One"] })));

const strict = buildTestApp(new ScriptedEngine(() => ({ parts: ["One"] })), {
  hostedTools: "refuse",
}).app;

async function refused(body: object, url = "/v1/responses", served = app) {
  const response = await served.inject({ method: "POST", url, payload: body });
  return { status: response.statusCode, ...response.json() };
}

const user = (content: unknown) => ({ input: [{ role: "user", content }] });
const image = { type: "input_image", image_url: "data:image/png;base64,AA==" };
const audio = { type: "input_audio", input_audio: { data: "AA==" } };
const weather = { type: "function", name: "weather" };
const tool = (fields: object) => ({ tools: [{ type: "function", name: "now", ...fields }] });
const item = (fields: object) => ({ input: [{ call_id: "1", ...fields }] });
const localShell = (fields: object) =>
  item({ type: "local_shell_call", action: { command: [] }, ...fields });
const shell = (fields: object) => item({ type: "shell_call", ...fields });
const shellOutput = (output: unknown) => item({ type: "shell_call_output", output });
const patch = (fields: object) => item({ type: "apply_patch_call", ...fields });
const format = (fields: object) => ({ text: { format: fields } });

describe("a field of the wrong type", () => {
  it.each([
    [{ model: 1 }, "model"],
    [{ model: "" }, "model"],
    [{ input: 1 }, "input"],
    [{ input: ["Hi"] }, "input.0"],
    [{ input: [{ role: "critic", content: "Hi" }] }, "input.0.role"],
    [{ input: [{ role: "user", content: 1 }] }, "input.0.content"],
    [{ input: [{ role: "user" }] }, "input.0.content"],
    [{ input: [{ role: "user", content: "Hi", id: 1 }] }, "input.0.id"],
    [{ input: [{ type: "web_search_call", id: "ws_1" }] }, "input.0.type"],
    [user([{ ...image, image_url: "" }]), "input.0.content.0.image_url"],
    [user([{ ...image, file_id: "file_1" }]), "input.0.content.0.file_id"],
    [user([{ type: "input_image", file_id: "file_1" }]), "input.0.content.0.image_url"],
    [user([{ ...image, detail: "most" }]), "input.0.content.0.detail"],
    [{ input: [{ role: "developer", content: [image] }] }, "input.0.content.0"],
    [{ input: [{ role: "assistant", content: [image] }] }, "input.0.content.0"],
    [user([{ type: "input_text", text: 1 }]), "input.0.content.0.text"],
    [user([{ type: "input_text", text: "Hi" }, { type: "input_video" }]), "input.0.content.1.type"],
    [user([{ type: "input_audio" }]), "input.0.content.0.input_audio"],
    [user([{ type: "input_audio", input_audio: {} }]), "input.0.content.0.input_audio.data"],
    [
      user([{ type: "input_audio", input_audio: { data: "AA==", url: "data:,a" } }]),
      "input.0.content.0.input_audio.data",
    ],
    [{ input: [{ role: "system", content: [audio] }] }, "input.0.content.0"],
    [{ input: [{ type: "function_call", name: "now", arguments: "{}" }] }, "input.0.call_id"],
    [{ input: [{ type: "function_call", call_id: "1", arguments: "{}" }] }, "input.0.name"],
    [
      { input: [{ type: "function_call", call_id: "1", name: "now", arguments: {} }] },
      "input.0.arguments",
    ],
    [{ input: [{ type: "function_call_output", call_id: "1" }] }, "input.0.output"],
    [
      {
        input: [{ type: "function_call_output", call_id: "1", output: [{ type: "input_video" }] }],
      },
      "input.0.output.0.type",
    ],
    [localShell({ call_id: undefined }), "input.0.call_id"],
    [localShell({ action: undefined }), "input.0.action"],
    [localShell({ action: { type: "eval", command: [] } }), "input.0.action.type"],
    [localShell({ action: { command: "ls" } }), "input.0.action.command"],
    [localShell({ action: { command: [1] } }), "input.0.action.command.0"],
    [localShell({ action: { command: [], env: { A: 1 } } }), "input.0.action.env.A"],
    [localShell({ action: { command: [], timeout_ms: -1 } }), "input.0.action.timeout_ms"],
    [{ input: [{ type: "local_shell_call_output", output: "a" }] }, "input.0.call_id"],
    [{ input: [{ type: "local_shell_call_output", call_id: "1" }] }, "input.0.output"],
    [shell({ action: {} }), "input.0.action.commands"],
    [
      shell({ action: { commands: [], max_output_length: "9" } }),
      "input.0.action.max_output_length",
    ],
    [shellOutput("a"), "input.0.output"],
    [shellOutput([{ stdout: "a", outcome: { type: "timeout" } }]), "input.0.output.0.stderr"],
    [shellOutput([{ stdout: "", stderr: "" }]), "input.0.output.0.outcome"],
    [
      shellOutput([{ stdout: "", stderr: "", outcome: { type: "killed" } }]),
      "input.0.output.0.outcome.type",
    ],
    [
      shellOutput([{ stdout: "", stderr: "", outcome: { type: "exit" } }]),
      "input.0.output.0.outcome.exit_code",
    ],
    [patch({}), "input.0.operation"],
    [patch({ operation: { type: "move_file", path: "a" } }), "input.0.operation.type"],
    [patch({ operation: { type: "create_file", path: "a" } }), "input.0.operation.diff"],
    [patch({ operation: { type: "delete_file", path: "" } }), "input.0.operation.path"],
    [{ input: [{ type: "apply_patch_call_output", call_id: "1" }] }, "input.0.status"],
    [{ tools: [{ type: "shell", environment: "local" }] }, "tools.0.environment"],
    [{ tools: [{ type: "shell", environment: { type: "remote" } }] }, "tools.0.environment.type"],
    [
      { tools: [{ type: "shell", environment: { type: "local", skills: [{ name: "a" }] } }] },
      "tools.0.environment.skills.0.description",
    ],
    [{ tool_choice: { type: "local_shell" } }, "tool_choice.type"],
    [{ tool_choice: { type: "allowed_tools", mode: "some" } }, "tool_choice.mode"],
    [{ input: [{ type: "reasoning", summary: "Hm." }] }, "input.0.summary"],
    [{ input: [{ type: "reasoning", content: [{ type: "text" }] }] }, "input.0.content.0.type"],
    [{ input: [{ type: "reasoning", encrypted_content: 1 }] }, "input.0.encrypted_content"],
    [{ input: [{ type: "item_reference" }] }, "input.0.id"],
    [{ instructions: ["Be brief."] }, "instructions"],
    [{ previous_response_id: 1 }, "previous_response_id"],
    [{ conversation: 1 }, "conversation"],
    [{ conversation: { id: 1 } }, "conversation.id"],
    [{ tools: {} }, "tools"],
    [{ tools: [{ type: "telepathy" }] }, "tools.0.type"],
    [{ tools: [{ type: "custom" }] }, "tools.0.name"],
    [
      { tools: [{ type: "custom", name: "a", format: { type: "grammar", syntax: "ebnf" } }] },
      "tools.0.format.syntax",
    ],
    [
      { tools: [{ type: "namespace", name: "a", tools: [{ type: "mcp" }] }] },
      "tools.0.tools.0.type",
    ],
    [{ input: [{ type: "custom_tool_call", call_id: "1", name: "a" }] }, "input.0.input"],
    [tool({ name: "a b" }), "tools.0.name"],
    [tool({ parameters: "{}" }), "tools.0.parameters"],
    [tool({ strict: "yes" }), "tools.0.strict"],
    [tool({ description: 1 }), "tools.0.description"],
    [{ tool_choice: "sometimes" }, "tool_choice"],
    [{ tool_choice: { type: "function" } }, "tool_choice.name"],
    [{ parallel_tool_calls: 1 }, "parallel_tool_calls"],
    [{ max_tool_calls: 0 }, "max_tool_calls"],
    [{ max_output_tokens: 0 }, "max_output_tokens"],
    [{ temperature: 3 }, "temperature"],
    [{ top_p: "1" }, "top_p"],
    [{ top_logprobs: 21 }, "top_logprobs"],
    [{ include: ["everything"] }, "include.0"],
    [{ include: "everything" }, "include"],
    [{ text: "json" }, "text"],
    [{ text: { verbosity: "loud" } }, "text.verbosity"],
    [format({ type: "xml" }), "text.format.type"],
    [format({ type: "json_schema", name: "n" }), "text.format.schema"],
    [format({ type: "json_schema", name: "n", schema: true }), "text.format.schema"],
    [{ reasoning: "low" }, "reasoning"],
    [{ reasoning: { effort: "some" } }, "reasoning.effort"],
    [{ reasoning: { summary: true } }, "reasoning.summary"],
    [{ truncation: "sometimes" }, "truncation"],
    [{ metadata: { a: 1 } }, "metadata.a"],
    [{ metadata: [] }, "metadata"],
    [{ metadata: { a: "x".repeat(513) } }, "metadata.a"],
    [{ user: 1 }, "user"],
    [{ safety_identifier: 1 }, "safety_identifier"],
    [{ prompt_cache_key: 1 }, "prompt_cache_key"],
    [{ service_tier: 1 }, "service_tier"],
    [{ store: "no" }, "store"],
    [{ background: 1 }, "background"],
    [{ stream: "yes" }, "stream"],
    [{ stream_options: { include_obfuscation: 1 } }, "stream_options.include_obfuscation"],
  ])("is rejected with its path: $0", async (body, param) => {
    const { status, error } = await refused({ input: "Hi", ...body });
    expect(status).toBe(400);
    expect(error).toMatchObject({ type: "invalid_request_error", code: "invalid_request", param });
    expect(error.message).toContain(`${param}: expected `);
  });

  it.each([
    ["/v1/conversations", { items: "Hi" }, "items"],
    ["/v1/conversations", { metadata: { a: 1 } }, "metadata.a"],
    ["/v1/conversations/conv_1", { metadata: "a" }, "metadata"],
    ["/v1/conversations/conv_1/items", {}, "items"],
    ["/v1/conversations/conv_1/items", { items: [{ type: "message" }] }, "items.0.role"],
  ])("is rejected in a conversation: %s %j", async (url, body, param) => {
    expect(await refused(body, url)).toMatchObject({ status: 400, error: { param } });
  });

  it.each([
    ["/v1/responses/resp_1?stream=maybe", "stream"],
    ["/v1/responses/resp_1?starting_after=-1", "starting_after"],
    ["/v1/responses/resp_1/input_items?limit=0", "limit"],
    ["/v1/responses/resp_1/input_items?order=up", "order"],
    ["/v1/responses/resp_1/input_items?after=", "after"],
  ])("is rejected in a query: %s", async (url, param) => {
    const response = await app.inject({ url });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ error: { param } });
  });
});

describe("the Responses API rejects", () => {
  it.each([
    [{ prompt: { id: "pmpt_1" } }, "prompt"],
    [{ context_management: [{ type: "compaction" }] }, "context_management"],
    [{ moderation: {} }, "moderation"],
  ])("an unsupported field by name: %j", async (body, param) => {
    const { error } = await refused({ input: "Hi", ...body });
    expect(error).toMatchObject({ code: "unsupported_parameter", param });
  });

  it.each(HOSTED_TOOLS)("a hosted tool if hosted tools are disallowed: %s", async (type) => {
    const { error } = await refused({ input: "Hi", tools: [weather, { type }] }, undefined, strict);
    expect(error).toMatchObject({ code: "unsupported_parameter", param: "tools.1.type" });
    expect(error.message).toContain(`got "${type}": ggufd does not run it`);
  });

  it("a shell with a container if hosted tools are disallowed", async () => {
    const tools = [{ type: "shell" }, { type: "shell", environment: { type: "container_auto" } }];
    const { error } = await refused({ input: "Hi", tools }, undefined, strict);
    expect(error.message).toMatch(
      /^tools\.1\.environment\.type: .* got "shell in a container": ggufd does not run it/,
    );
  });

  it.each<[object, string]>([
    [{ tool_choice: { type: "web_search" } }, "tool_choice.type"],
    [
      { tool_choice: { type: "allowed_tools", mode: "required", tools: [{ type: "web_search" }] } },
      "tool_choice.tools",
    ],
    [{ tool_choice: "required" }, "tools"],
  ])("a hosted tool that is required: %j", async (body, param) => {
    const { error } = await refused({ input: "Hi", tools: [{ type: "web_search" }], ...body });
    expect(error).toMatchObject({ code: "invalid_request", param });
  });

  it("an image for a model without vision", async () => {
    const { error } = await refused(user([image]));
    expect(error.message).toBe(
      "input.0.content.0.image_url: expected text, because this model does not accept images, got an image.",
    );
  });

  it.each([
    [{ background: true, store: false }, "store"],
    [{ conversation: "conv_1", previous_response_id: "resp_1" }, "conversation"],
  ])("two conflicting fields: %j", async (body, param) => {
    expect((await refused({ input: "Hi", ...body })).error.param).toBe(param);
  });
});

describe("optional and unknown fields", () => {
  it("may be null or are ignored", async () => {
    const fields = ["model", "instructions", "previous_response_id", "conversation", "tools"];
    const more = ["tool_choice", "text", "reasoning", "metadata", "store", "stream", "include"];
    const absent = Object.fromEntries([...fields, ...more, "prompt"].map((name) => [name, null]));
    const payload = { ...absent, input: "Hi", text: { format: null }, unknown: 1 };
    const response = await app.inject({ method: "POST", url: "/v1/responses", payload });
    expect(response.statusCode).toBe(200);
  });
});
