import type { InjectOptions } from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";
import { GgufdError } from "../../../src/core/errors.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { buildLoadingApp, buildTestApp, type TestAppOptions } from "../../support/test-app.js";

const messages = [{ role: "user", content: "Hi" }];
const url = "/v1/chat/completions";
const chat = (body: object): InjectOptions => ({
  method: "POST",
  url,
  payload: { messages, ...body },
});

function appWith(script: Script = { parts: ["ok"] }, options: TestAppOptions = {}) {
  const { app } = buildTestApp(new ScriptedEngine(() => script), options);
  onTestFinished(() => app.close());
  return app;
}

/** OpenAI's four error fields, and two from section 2 of the specification. */
const envelope = (requestId: unknown) => ({
  message: expect.any(String),
  type: expect.any(String),
  param: expect.toSatisfy((param) => param === null || typeof param === "string"),
  code: expect.stringMatching(/^[a-z_]+$/),
  details: expect.any(Array),
  request_id: requestId,
});

describe("the inference routes return errors with details and the request's id for", () => {
  const failure = new GgufdError("internal_error", "It broke.");
  const cases: readonly (readonly [string, number, InjectOptions])[] = [
    ["an invalid field", 400, chat({ temperature: "hot" })],
    ["an unsupported parameter", 400, chat({ use_beam_search: true })],
    [
      "a prompt that is too long",
      400,
      chat({ messages: [{ role: "user", content: "x".repeat(500) }] }),
    ],
    [
      "invalid JSON",
      400,
      { ...chat({}), payload: "{", headers: { "content-type": "application/json" } },
    ],
    ["no body", 400, { method: "POST", url }],
    ["an invalid limit", 400, { url: "/v1/models?limit=0" }],
    ["a path that cannot be decoded", 400, { url: "/v1/models/%" }],
    ["an unknown API version", 400, { url: "/v2/models" }],
    ["an unknown model", 404, chat({ model: "other" })],
    ["an unknown path", 404, { url: "/v1/nothing" }],
    ["a wrong method", 405, { url }],
    [
      "a plain-text body",
      415,
      { ...chat({}), payload: "a=b", headers: { "content-type": "text/plain" } },
    ],
  ];

  test.each(cases)("%s", async (_name, status, request) => {
    const headers = { ...request.headers, "x-request-id": "mine-1" };
    const response = await appWith().inject({ ...request, headers });
    expect(response.statusCode).toBe(status);
    const { n_prompt_tokens, n_ctx, ...error } = response.json().error;
    expect(error).toEqual(envelope("mine-1"));
    expect(n_ctx === undefined).toBe(n_prompt_tokens === undefined);
  });

  test("an invalid key and a read-only key", async () => {
    const app = appWith(undefined, { apiKeys: ["k"], readOnlyApiKeys: ["r"] });
    for (const [key, status] of [
      ["x", 401],
      ["r", 403],
    ] as const) {
      const response = await app.inject({ ...chat({}), headers: { "x-api-key": key } });
      expect(response.statusCode).toBe(status);
      expect(response.json()).toEqual({ error: envelope(response.headers["x-request-id"]) });
    }
  });

  test("a request while the model is loading", async () => {
    const { app } = buildLoadingApp();
    onTestFinished(() => app.close());
    for (const request of [chat({}), chat({ stream: true }), { url: "/v1/models" }]) {
      const response = await app.inject(request);
      expect(response.statusCode).toBe(503);
      expect(response.json()).toEqual({ error: envelope(response.headers["x-request-id"]) });
    }
  });

  test("an engine failure before the first token, with and without streaming", async () => {
    for (const stream of [false, true]) {
      const response = await appWith({ parts: [], ending: failure }).inject(chat({ stream }));
      expect(response.statusCode).toBe(500);
      expect(response.json()).toEqual({ error: envelope(response.headers["x-request-id"]) });
    }
  });

  test("an engine failure in the middle of a stream, as the last event", async () => {
    const app = appWith({ parts: ["a"], ending: failure });
    const headers = { "x-request-id": "mine-2" };
    const response = await app.inject({ ...chat({ stream: true }), headers });
    expect(response.statusCode).toBe(200);
    const events = response.body.trim().split("\n\n");
    const last = JSON.parse(String(events.at(-1)?.slice("data: ".length)));
    expect(last).toEqual({ error: envelope("mine-2") });
  });
});
