import type { InjectOptions } from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";
import { GgufdError } from "../../../src/core/errors.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { buildLoadingApp, buildTestApp, type TestAppOptions } from "../../support/test-app.js";

const url = "/v1/messages";
const countUrl = "/v1/messages/count_tokens";
const messages = [{ role: "user", content: "Hi" }];
const post = (body: object, path = url): InjectOptions => ({
  method: "POST",
  url: path,
  payload: { max_tokens: 5, messages, ...body },
});

function appWith(script: Script = { parts: ["ok"] }, options: TestAppOptions = {}) {
  const { app } = buildTestApp(new ScriptedEngine(() => script), options);
  onTestFinished(() => app.close());
  return app;
}

const long = [{ role: "user", content: "x".repeat(500) }];
const json = { "content-type": "application/json" };

describe("the messages routes use Anthropic's error envelope for", () => {
  const cases: readonly (readonly [string, number, string, InjectOptions])[] = [
    ["an invalid field", 400, "invalid_request_error", post({ temperature: "hot" })],
    ["a prompt that is too long", 400, "invalid_request_error", post({ messages: long })],
    [
      "a prompt that is too long to count",
      400,
      "invalid_request_error",
      post({ messages: long }, countUrl),
    ],
    ["invalid JSON", 400, "invalid_request_error", { ...post({}), payload: "{", headers: json }],
    ["no body", 400, "invalid_request_error", { method: "POST", url }],
    ["a body that is not an object", 400, "invalid_request_error", { ...post({}), payload: [1] }],
    ["an unknown API version", 400, "invalid_request_error", { ...post({}), url: "/v2/messages" }],
    ["a path that cannot be decoded", 400, "invalid_request_error", { url: `${url}/%` }],
    ["an unknown model", 404, "not_found_error", post({ model: "claude" })],
    [
      "an unknown model in a token count request",
      404,
      "not_found_error",
      post({ model: "claude" }, countUrl),
    ],
    ["an unknown path", 404, "not_found_error", post({}, "/v1/messages/x")],
    ["a wrong method", 405, "invalid_request_error", { url }],
    [
      "a body that is too large",
      413,
      "request_too_large",
      { ...post({}), payload: JSON.stringify({ system: "x".repeat(5_000_000) }), headers: json },
    ],
    [
      "a plain-text body",
      415,
      "invalid_request_error",
      { ...post({}), payload: "a=b", headers: { "content-type": "text/plain" } },
    ],
  ];

  test.each(cases)("%s", async (_name, status, type, request) => {
    const headers = { ...request.headers, "x-request-id": "mine-1" };
    const response = await appWith().inject({ ...request, headers });
    expect(response.statusCode).toBe(status);
    expect(response.json()).toEqual({
      type: "error",
      error: { type, message: expect.stringMatching(/./) },
      request_id: "mine-1",
    });
  });

  test("an invalid key and a read-only key", async () => {
    const app = appWith(undefined, { apiKeys: ["k"], readOnlyApiKeys: ["r"] });
    for (const [key, status, type] of [
      ["x", 401, "authentication_error"],
      ["r", 403, "permission_error"],
    ] as const) {
      for (const path of [url, countUrl]) {
        const response = await app.inject({ ...post({}, path), headers: { "x-api-key": key } });
        expect(response.statusCode).toBe(status);
        expect(response.json()).toMatchObject({ type: "error", error: { type } });
        expect(response.headers["request-id"]).toBe(response.headers["x-request-id"]);
      }
    }
  });

  test("a request while the model is loading", async () => {
    const { app } = buildLoadingApp();
    onTestFinished(() => app.close());
    for (const request of [post({}), post({ stream: true }), post({}, countUrl)]) {
      const response = await app.inject(request);
      expect(response.statusCode).toBe(503);
      expect(response.json()).toMatchObject({ error: { type: "api_error" } });
    }
  });

  test("an engine failure, with and without streaming", async () => {
    const failure = new GgufdError("internal_error", "It broke.");
    for (const stream of [false, true]) {
      const response = await appWith({ parts: [], ending: failure }).inject(post({ stream }));
      expect(response.statusCode).toBe(500);
      expect(response.json()).toMatchObject({ error: { type: "api_error" } });
    }
  });

  test.each(["server_overloaded", "queue_timeout"] as const)(
    "%s, with status 529 and Retry-After",
    async (code) => {
      const overload = new GgufdError(code, "Full.", { retryAfterSeconds: 3 });
      const response = await appWith({ parts: [], ending: overload }).inject(post({}));
      expect(response.statusCode).toBe(529);
      expect(response.headers["retry-after"]).toBe("3");
      expect(response.json()).toMatchObject({ error: { type: "overloaded_error" } });
    },
  );

  test.each([
    ["answer_timeout", 504, "timeout_error"],
    ["crashes_engine", 500, "api_error"],
  ] as const)("%s, with x-should-retry: false", async (code, status, type) => {
    const ending = new GgufdError(code, "No.");
    const response = await appWith({ parts: [], ending }).inject(post({}));
    expect(response.statusCode).toBe(status);
    expect(response.headers["x-should-retry"]).toBe("false");
    expect(response.json()).toMatchObject({ error: { type } });
  });
});

test('a prompt that exceeds the context is reported as "prompt is too long"', async () => {
  const response = await appWith().inject(post({ messages: long }));
  expect(response.json()).toMatchObject({
    error: { message: expect.stringMatching(/^prompt is too long: .*maximum context length/) },
  });
});

test("the request-id header is exposed to cross-origin clients", async () => {
  const response = await appWith().inject({ ...post({}), headers: { origin: "https://a.b" } });
  expect(response.headers["access-control-expose-headers"]).toMatch(/(^|, ?)request-id(,|$)/);
});
