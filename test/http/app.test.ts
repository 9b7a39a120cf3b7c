import { describe, expect, it } from "vitest";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { ALIAS, buildLoadingApp, buildTestApp } from "../support/test-app.js";

const chat = "/v1/chat/completions";
const messages = [{ role: "user", content: "Hi" }];
const engine = () => new ScriptedEngine(() => ({ parts: ["ok"] }));

describe("request ids", () => {
  it("echoes the client's id if it is safe", async () => {
    const { app } = buildTestApp(engine());
    const response = await app.inject({ url: "/health", headers: { "x-request-id": "abc-1:2" } });
    expect(response.headers["x-request-id"]).toBe("abc-1:2");
  });

  it.each(["", "a b", "ä", "x".repeat(200), "a\tb"])(
    "replaces the invalid id $0 with a new one",
    async (id) => {
      const { app } = buildTestApp(engine());
      const response = await app.inject({ url: "/health", headers: { "x-request-id": id } });
      expect(response.headers["x-request-id"]).toMatch(/^req_/);
    },
  );

  it("includes the id in error bodies", async () => {
    const { app } = buildTestApp(engine());
    const response = await app.inject({ url: "/nowhere", headers: { "x-request-id": "r1" } });
    expect(response.json()).toMatchObject({ error: { request_id: "r1" } });
  });
});

describe("paths and methods", () => {
  it("answers unknown paths with 404 in the error format", async () => {
    const { app } = buildTestApp(engine());
    const response = await app.inject({ url: "/v1/nothing" });
    expect(response.statusCode).toBe(404);
    expect(response.json()).toEqual({
      error: {
        message: "There is nothing at GET /v1/nothing. GET /docs describes all paths.",
        type: "invalid_request_error",
        param: null,
        code: "not_found",
        details: [],
        request_id: response.headers["x-request-id"],
      },
    });
  });

  it("answers unsupported methods with 405 and the allowed methods", async () => {
    const { app } = buildTestApp(engine());
    const response = await app.inject({ method: "GET", url: chat });
    expect(response.statusCode).toBe(405);
    expect(response.headers.allow).toBe("POST");
    expect(response.json()).toMatchObject({ error: { code: "method_not_allowed" } });
  });

  it("merges repeated slashes", async () => {
    const { app } = buildTestApp(engine());
    expect((await app.inject({ url: "//v1//models?x=//" })).statusCode).toBe(200);
  });

  it("answers a path that cannot be decoded with 400", async () => {
    const { app } = buildTestApp(engine());
    const response = await app.inject({ url: "/v1/models/%E0%A4%A" });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ error: { code: "invalid_request" } });
  });

  it.each(["/", "/health"])("answers HEAD %s", async (url) => {
    const { app } = buildTestApp(engine());
    const response = await app.inject({ method: "HEAD", url });
    expect(response.statusCode).toBe(200);
    expect(response.body).toBe("");
  });
});

describe("bodies", () => {
  const post = (body: string | Buffer, type?: string) =>
    buildTestApp(engine()).app.inject({
      method: "POST",
      url: chat,
      body,
      headers: type === undefined ? {} : { "content-type": type },
    });

  it.each([
    ["truncated JSON", '{"messages":', "application/json", 400, "invalid_json"],
    ["an empty body", "", "application/json", 400, "invalid_request"],
    [
      "100,000 levels of nesting",
      `${"[".repeat(1e5)}${"]".repeat(1e5)}`,
      "application/json",
      400,
      "invalid_json",
    ],
    ["null", "null", "application/json", 400, "invalid_request"],
    ["an array", "[]", "application/json", 400, "invalid_request"],
    ["a string", '"text"', "application/json", 400, "invalid_request"],
    ["a form", "a=b", "application/x-www-form-urlencoded", 415, "unsupported_media_type"],
    ["plain text", "{}", "text/plain", 415, "unsupported_media_type"],
    ["17 MB", `"${"x".repeat(17_000_000)}"`, "application/json", 413, "payload_too_large"],
  ])("rejects %s", async (_what, body, type, status, code) => {
    const response = await post(body, type);
    expect(response.statusCode).toBe(status);
    expect(response.json()).toMatchObject({ error: { code, type: "invalid_request_error" } });
  });

  it("is safe against prototype pollution", async () => {
    const response = await post(
      '{"messages":[{"role":"user","content":"x"}],"__proto__":{"a":1},"constructor":{"prototype":{}}}',
      "application/json",
    );
    expect([200, 400]).toContain(response.statusCode);
    expect(({} as { a?: number }).a).toBeUndefined();
  });
});

describe("CORS", () => {
  it("answers preflights for every path, without a key", async () => {
    const { app } = buildTestApp(engine(), { apiKeys: ["k"] });
    for (const url of [chat, "/api/todos", "/api/todos/1"]) {
      const response = await app.inject({
        method: "OPTIONS",
        url,
        headers: { origin: "http://x", "access-control-request-method": "PATCH" },
      });
      expect(response.statusCode).toBe(204);
      expect(response.headers["access-control-allow-origin"]).toBe("*");
      expect(response.headers["access-control-allow-methods"]).toContain("PATCH");
    }
  });

  it("allows pages to send the request headers of all routes", async () => {
    const { app } = buildTestApp(engine());
    const requestedHeaders =
      "authorization,x-api-key,content-type,if-match,if-none-match,idempotency-key,api-version,accept-version,prefer";
    const response = await app.inject({
      method: "OPTIONS",
      url: "/v1/todos/1",
      headers: {
        origin: "http://x",
        "access-control-request-method": "PUT",
        "access-control-request-headers": requestedHeaders,
      },
    });
    expect(response.statusCode).toBe(204);
    expect(response.headers["access-control-allow-headers"]).toBe(requestedHeaders);
    expect(response.headers["access-control-allow-methods"]).toContain("PUT");
  });

  it("exposes the response headers of all routes to pages, on errors too", async () => {
    const { app } = buildTestApp(engine());
    for (const url of ["/v1/models", "/v1/todos/x", "/todos", "/nowhere", "/api/nowhere"]) {
      const response = await app.inject({ url, headers: { origin: "http://x" } });
      expect(response.headers["access-control-allow-origin"]).toBe("*");
      const exposed = String(response.headers["access-control-expose-headers"]).split(", ");
      expect(exposed.toSorted()).toEqual([
        "deprecation",
        "etag",
        "idempotent-replayed",
        "link",
        "location",
        "preference-applied",
        "request-id",
        "retry-after",
        "sunset",
        "traceparent",
        "x-ratelimit-limit-requests",
        "x-ratelimit-limit-tokens",
        "x-ratelimit-remaining-requests",
        "x-ratelimit-remaining-tokens",
        "x-ratelimit-reset-requests",
        "x-ratelimit-reset-tokens",
        "x-request-id",
      ]);
    }
  });
});

describe("API keys", () => {
  const protectedApp = () => buildTestApp(engine(), { apiKeys: ["first", "second"] }).app;

  it.each([
    { authorization: "Bearer first" },
    { authorization: "bearer second" },
    { "x-api-key": "second" },
  ])("accept %j", async (headers) => {
    const response = await protectedApp().inject({ url: "/v1/models", headers });
    expect(response.statusCode).toBe(200);
  });

  it.each([
    {},
    { authorization: "Bearer wrong" },
    { authorization: "first" },
    { authorization: "Basic first" },
    { "x-api-key": "" },
  ])("reject %j with 401", async (headers) => {
    const response = await protectedApp().inject({ url: "/v1/models", headers });
    expect(response.statusCode).toBe(401);
    expect(response.json()).toMatchObject({ error: { code: "invalid_api_key" } });
    expect(response.body).not.toContain("wrong");
  });

  it("are checked before the body is parsed", async () => {
    const response = await protectedApp().inject({
      method: "POST",
      url: chat,
      payload: "not json",
    });
    expect(response.statusCode).toBe(401);
  });

  it("are not required for health checks and the to-do service", async () => {
    for (const url of ["/", "/health", "/api/todos"]) {
      expect((await protectedApp().inject({ url })).statusCode).toBe(200);
    }
  });
});

describe("readiness", () => {
  it("is 503 with Retry-After while the model is loading", async () => {
    const { app, model } = buildLoadingApp();
    model.createListener(() => {}).onProgress(0.25);
    for (const url of ["/health", "/health/ready"]) {
      const response = await app.inject({ url });
      expect(response.statusCode).toBe(503);
      expect(response.json()).toEqual({ status: "loading model", progress: 0.25 });
    }
    expect((await app.inject({ url: "/health/live" })).statusCode).toBe(200);
    for (const request of [
      { method: "POST", url: chat, payload: { messages } },
      { method: "GET", url: "/v1/models" },
    ] as const) {
      const response = await app.inject(request);
      expect(response.statusCode).toBe(503);
      expect(response.headers["retry-after"]).toBe("2");
      expect(response.json()).toMatchObject({ error: { code: "model_loading" } });
    }
  });

  it("is 200 with status ok when the server accepts traffic", async () => {
    const { app } = buildTestApp(engine());
    const response = await app.inject({ url: "/health" });
    expect([response.statusCode, response.json()]).toEqual([200, { status: "ok" }]);
  });

  it("is 503 while draining, and new requests are rejected", async () => {
    const { app, models } = buildTestApp(engine());
    models.drain();
    expect((await app.inject({ url: "/health" })).statusCode).toBe(503);
    const response = await app.inject({ method: "POST", url: chat, payload: { messages } });
    expect(response.statusCode).toBe(503);
    expect(response.headers["retry-after"]).toBe("5");
    expect(response.json()).toMatchObject({ error: { code: "shutting_down" } });
  });
});

describe("GET /v1/models", () => {
  it("lists the served model with its metadata", async () => {
    const { app } = buildTestApp(engine());
    const model = {
      id: ALIAS,
      object: "model",
      created: 1_700_000_000,
      owned_by: "ggufd",
      aliases: [],
      root: ALIAS,
      source: "preset",
      can_remove: false,
      status: { value: "loaded" },
      architecture: { input_modalities: ["text"], output_modalities: ["text"] },
      max_model_len: 100,
      capabilities: ["completion", "tools", "structured_output"],
      meta: {
        name: "Scripted",
        architecture: "llama",
        n_ctx: 100,
        n_ctx_train: 2048,
        n_params: 1_000_000,
        n_vocab: 256,
        size: 2_000_000,
        n_slots: 2,
      },
    };
    expect((await app.inject({ url: "/v1/models" })).json()).toEqual({
      object: "list",
      can_download: true,
      default_model: "scripted",
      data: [model],
      models: [
        {
          name: ALIAS,
          model: ALIAS,
          type: "model",
          capabilities: ["completion"],
          details: { format: "gguf" },
        },
      ],
      pagination: { next_cursor: null, has_more: false },
    });
    expect((await app.inject({ url: `/v1/models/${ALIAS}` })).json()).toEqual(model);
  });

  it("answers 404 for any other model", async () => {
    const { app } = buildTestApp(engine());
    const response = await app.inject({ url: "/v1/models/org%2Fother" });
    expect(response.statusCode).toBe(404);
    expect(response.json()).toMatchObject({ error: { code: "model_not_found" } });
  });
});
