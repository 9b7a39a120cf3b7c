import { expect, it } from "vitest";
import { someCaller } from "../../support/callers.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

const messages = [{ role: "user", content: "Hello" }];

function count(engine: ScriptedEngine, fields: object = {}) {
  const { app } = buildTestApp(engine);
  const url = "/v1/messages/count_tokens?beta=true";
  return app.inject({ method: "POST", url, payload: { messages, ...fields } });
}

it("POST /v1/messages/count_tokens counts the tokens of a prompt without generating", async () => {
  const engine = new ScriptedEngine(() => ({ parts: [] }));
  const response = await count(engine, { system: "Be brief." });
  expect(response.json()).toEqual({ input_tokens: "Be brief.Hello".length });
  expect(response.headers["request-id"]).toBe(response.headers["x-request-id"]);
  expect(engine.started).toEqual([]);
});

it("POST /v1/messages/count_tokens neither waits for a slot nor takes a place in the queue", async () => {
  const engine = new ScriptedEngine(() => ({ parts: [], ending: "never" }), { slots: 1 });
  const { app, scheduler } = buildTestApp(engine, { maxQueue: 0 });
  const abort = new AbortController();
  const request = {
    id: "busy",
    prompt: { type: "chat", messages: [], tools: [], templateVariables: {} },
    sampling: {},
    stopping: { minTokens: 0, stop: [], ignoreEos: false },
  } as const;
  await scheduler.submit([request], someCaller({ signal: abort.signal }));
  const url = "/v1/messages/count_tokens";
  const response = await app.inject({ method: "POST", url, payload: { messages } });
  expect(response.json()).toEqual({ input_tokens: 5 });
  abort.abort();
});
