import { describe, expect, it } from "vitest";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { buildTestApp } from "../support/test-app.js";

const messages = [{ role: "user", content: "Hello!" }];
const ofAnthropic = { model: "scripted", max_tokens: 5, messages };
const ofOllama = { model: "scripted", stream: false };
const none = { cache_prompt: false };

/** Dialects whose original servers lack this field and ignore unknown fields. */
describe.each([
  ["/v1/responses", { input: "Hello!", ...none }],
  ["/v1/messages", { ...ofAnthropic, ...none }],
  ["/api/chat", { ...ofOllama, messages, ...none }],
  ["/api/chat", { ...ofOllama, messages, options: none }],
  ["/api/generate", { ...ofOllama, prompt: "Hello!", options: none }],
])("cache_prompt of %s", (url, payload) => {
  it("is ignored as an unknown field", async () => {
    const script = () => ({ parts: ["b"] });
    const engine = new ScriptedEngine(script, { rawScript: script });
    const { app } = buildTestApp(engine);
    expect(await app.inject({ method: "POST", url, payload })).toHaveStatus(200);
    const asked = [...engine.requests, ...engine.rawRequests];
    expect(asked.map(({ evaluation }) => evaluation)).toEqual([undefined]);
  });
});
