import { describe, expect, it, onTestFinished } from "vitest";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

async function refusalFor(path: string, fields: object): Promise<string> {
  const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: ["ok"] })));
  onTestFinished(() => app.close());
  const payload = { messages: [{ role: "user", content: "Hi" }], prompt: "Hi", ...fields };
  const response = await app.inject({ method: "POST", url: path, payload });
  expect(response.statusCode).toBe(400);
  expect(Object.keys(response.json())).toEqual(["error"]);
  return response.json().error;
}

const user = { role: "user", content: "Hi" };
const calling = (call: unknown) => ({
  messages: [user, { role: "assistant", tool_calls: [call] }],
});
const tooMany = (length: number, item: unknown) => Array.from({ length }, () => item);

const common: readonly (readonly [field: string, body: object])[] = [
  ["model", { model: 7 }],
  ["model", { model: "" }],
  ["stream", { stream: "yes" }],
  ["format", { format: "yaml" }],
  ["format", { format: ["json"] }],
  ["think", { think: "deeply" }],
  ["think", { think: 1 }],
  ["keep_alive", { keep_alive: "soon" }],
  ["keep_alive", { keep_alive: true }],
  ["logprobs", { logprobs: 1 }],
  ["top_logprobs", { top_logprobs: 21 }],
  ["options", { options: [] }],
  ["options.temperature", { options: { temperature: "hot" } }],
  ["options.temperature", { options: { temperature: -1 } }],
  ["options.top_p", { options: { top_p: 2 } }],
  ["options.top_k", { options: { top_k: 1.5 } }],
  ["options.min_p", { options: { min_p: true } }],
  ["options.seed", { options: { seed: "1" } }],
  ["options.num_predict", { options: { num_predict: -3 } }],
  ["options.stop", { options: { stop: 1 } }],
  ["options.stop.1", { options: { stop: ["a", 2] } }],
  ["options.stop", { options: { stop: tooMany(65, "a") } }],
  ["options.repeat_penalty", { options: { repeat_penalty: 0 } }],
  ["options.repeat_last_n", { options: { repeat_last_n: -2 } }],
  ["options.presence_penalty", { options: { presence_penalty: 3 } }],
  ["options.frequency_penalty", { options: { frequency_penalty: "1" } }],
  ["options.typical_p", { options: { typical_p: -0.1 } }],
  ["options.mirostat", { options: { mirostat: 3 } }],
  ["options.mirostat_tau", { options: { mirostat_tau: -1 } }],
  ["options.mirostat_eta", { options: { mirostat_eta: "0.1" } }],
];

describe("a field with an invalid value", () => {
  it.each(common)("is named in the error: %s, $1", async (field, body) => {
    for (const path of ["/api/chat", "/api/generate"]) {
      const message = await refusalFor(path, body);
      expect(message).toMatch(new RegExp(`^${field}: expected .+, got `));
    }
  });

  it.each([
    ["messages", { messages: "Hi" }],
    ["messages", { messages: tooMany(5_001, user) }],
    ["messages.0", { messages: ["Hi"] }],
    ["messages.0.role", { messages: [{ role: "wizard", content: "Hi" }] }],
    ["messages.0.content", { messages: [{ role: "user", content: ["Hi"] }] }],
    ["messages.1.thinking", { messages: [user, { role: "assistant", thinking: 1 }] }],
    ["messages.0.images", { messages: [{ ...user, images: "aGk=" }] }],
    ["messages.0.images.1", { messages: [{ ...user, images: ["aGk=", ""] }] }],
    ["messages.0.tool_name", { messages: [{ role: "tool", tool_name: 1 }] }],
    ["messages.0.tool_call_id", { messages: [{ role: "tool", tool_call_id: 1 }] }],
    ["messages.1.tool_calls", { messages: [user, { role: "assistant", tool_calls: {} }] }],
    ["messages.1.tool_calls.0", calling("now")],
    ["messages.1.tool_calls.0.id", calling({ id: 1, function: { name: "now" } })],
    ["messages.1.tool_calls.0.function", calling({ function: "now" })],
    ["messages.1.tool_calls.0.function.name", calling({ function: { name: "" } })],
    [
      "messages.1.tool_calls.0.function.arguments",
      calling({ function: { name: "now", arguments: "{}" } }),
    ],
    ["tools", { tools: {} }],
    ["tools.0", { tools: ["now"] }],
    ["tools.0.type", { tools: [{ type: "plugin", function: { name: "now" } }] }],
    ["tools.0.function", { tools: [{ type: "function" }] }],
    ["tools.0.function.name", { tools: [{ function: { name: "a b" } }] }],
    ["tools.0.function.description", { tools: [{ function: { name: "a", description: 1 } }] }],
    ["tools.0.function.parameters", { tools: [{ function: { name: "a", parameters: [] } }] }],
  ])("is named in the error of /api/chat: %s", async (field, body) => {
    const message = await refusalFor("/api/chat", body);
    expect(message).toMatch(new RegExp(`^${field}: expected .+, got `));
  });

  it.each([
    ["prompt", { prompt: ["Hi"] }],
    ["system", { system: 1 }],
    ["suffix", { suffix: 1 }],
    ["raw", { raw: "yes" }],
    ["images", { images: "aGk=" }],
    ["context", { context: "1 2" }],
    ["template", { template: {} }],
  ])("is named in the error of /api/generate: %s", async (field, body) => {
    const message = await refusalFor("/api/generate", body);
    expect(message).toMatch(new RegExp(`^${field}: expected .+, got `));
  });

  it("is named in the error of /api/show", async () => {
    expect(await refusalFor("/api/show", { model: 7 })).toMatch(/^model: expected .+, got 7\.$/);
    expect(await refusalFor("/api/show", { name: [] })).toMatch(/^name: expected .+, got \[\]\.$/);
  });
});

describe("an unsupported parameter", () => {
  it.each([
    ["template", { template: "{{ .Prompt }}" }],
    ["context", { context: [1, 2] }],
    ["debug_render_only", { debug_render_only: true }],
    ["width", { width: 512 }],
    ["height", { height: 512 }],
    ["steps", { steps: 20 }],
    ["options.tfs_z", { options: { tfs_z: 0.5 } }],
  ])("is rejected by name: %s", async (field, body) => {
    const message = await refusalFor("/api/generate", body);
    expect(message).toMatch(new RegExp(`^${field}: expected .+, got .+, which is not supported`));
  });

  it.each([
    { template: "", context: [], images: [], debug_render_only: false, width: 0, suffix: "" },
    { template: null, context: null, images: null, raw: null, system: null, suffix: null },
    { options: { typical_p: 1, tfs_z: 1, mirostat: 0, mirostat_tau: 5, mirostat_eta: 0.1 } },
    { options: { num_keep: 4, penalize_newline: false, low_vram: true }, truncate: true, x: 1 },
  ])("is accepted if it has no effect: %j", async (fields) => {
    const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: ["ok"] })));
    const payload = { prompt: "Hi", stream: false, ...fields };
    const response = await app.inject({ method: "POST", url: "/api/generate", payload });
    expect(response.json()).toMatchObject({ response: "ok", done: true });
  });
});
