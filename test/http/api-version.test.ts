import type { InjectOptions } from "fastify";
import { pino } from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { chooseVersion } from "../../src/http/api-version.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { storeInMemory } from "../support/store-in-memory.js";
import { buildTestApp, type TestAppOptions } from "../support/test-app.js";

const vary = ["accept-version", "api-version"];

describe("chooseVersion", () => {
  test.each([
    ["/todos", "/v1/todos"],
    ["/todos/1?x=/y", "/v1/todos/1?x=/y"],
    ["/todos?limit=1", "/v1/todos?limit=1"],
    ["/models", "/v1/models"],
    ["/models/a%2Fb", "/v1/models/a%2Fb"],
    ["/chat/completions", "/v1/chat/completions"],
  ])("a version header maps %s to %s", (url, target) => {
    for (const name of vary) {
      for (const value of ["v1", "1"]) {
        expect(chooseVersion(url, { [name]: value })).toEqual({ url: target, vary, errors: [] });
      }
    }
    const both = { "accept-version": "v1", "api-version": "1" };
    expect(chooseVersion(url, both)).toEqual({ url: target, vary, errors: [] });
    const unversioned = url.startsWith("/todos") ? url : target;
    expect(chooseVersion(url, {})).toEqual({ url: unversioned, vary, errors: [] });
  });

  test.each([
    ["/responses", "/v1/responses"],
    ["/responses/input_tokens?a=b", "/v1/responses/input_tokens?a=b"],
    ["/v1/reranking", "/v1/rerank"],
    ["/v1/health", "/health"],
  ])("%s is an alias of %s, which version headers do not affect", (url, target) => {
    const chosen = chooseVersion(url, { "api-version": "v9" });
    expect(chosen).toEqual({ url: target, vary: [], errors: [] });
  });

  test.each([
    "/",
    "/health",
    "/health/live",
    "/api/todos",
    "/api/todos/1",
    "/api/v2/todos",
    "/todosx",
    "/chat",
    "/v1x/todos",
    "/vx/todos",
    "/v/todos",
    "/openapi.json",
    "?x",
  ])("version headers do not affect %s", (url) => {
    const headers = { "accept-version": "v9", "api-version": "nonsense" };
    expect(chooseVersion(url, headers)).toEqual({ url, vary: [], errors: [] });
  });

  test.each(["/v1", "/v1/todos", "/v1/models?x", "/v1/nothing"])(
    "version headers may agree with the prefix of %s",
    (url) => {
      for (const headers of [{}, { "api-version": "1" }, { "accept-version": "v1" }]) {
        expect(chooseVersion(url, headers)).toEqual({ url, vary: [], errors: [] });
      }
    },
  );

  test.each(["", "2", "v2", "V1", "v1.0", "01", "latest", "v1, v1", "v1,v2"])(
    "a header with the version %j is rejected with an error that names the header",
    (value) => {
      const errors = [
        { field: "api-version", reason: `expected v1, got ${JSON.stringify(value)}` },
      ];
      for (const url of ["/todos", "/v1/todos"]) {
        const headers = { "accept-version": "1", "api-version": value };
        expect(chooseVersion(url, headers)).toMatchObject({ url: "/v1/todos", errors });
      }
    },
  );

  test.each([
    ["/v2/todos", "/v1/todos", "v2"],
    ["/v0/models", "/v1/models", "v0"],
    ["/v10/x?y", "/v1/x?y", "v10"],
    ["/v01/todos", "/v1/todos", "v01"],
    ["/v2", "/v1", "v2"],
  ])("the prefix of %s is rejected by the dialect of %s", (url, target, version) => {
    expect(chooseVersion(url, {})).toEqual({
      url: target,
      vary: [],
      errors: [{ field: "path", reason: `expected v1, got "${version}"` }],
    });
  });

  test("all unsupported versions are reported", () => {
    const { errors } = chooseVersion("/v2/todos", { "accept-version": "2", "api-version": "3" });
    expect(errors.map(({ field }) => field)).toEqual(["path", "accept-version", "api-version"]);
  });
});

describe("over HTTP", () => {
  const messages = [{ role: "user", content: "Hi" }];
  const v1 = { "api-version": "v1" };

  function versionedApp(options: TestAppOptions = {}) {
    const engine = new ScriptedEngine(() => ({ parts: ["ok"] }));
    const { app } = buildTestApp(engine, { todos: storeInMemory(), ...options });
    onTestFinished(() => app.close());
    return app;
  }

  test("a version header on the unprefixed path is equivalent to the prefix", async () => {
    const app = versionedApp();
    const payload = { title: "a" };
    const created = await app.inject({ method: "POST", url: "/todos", headers: v1, payload });
    expect(created.headers.location).toBe("/v1/todos/1");
    for (const path of ["/todos", "/todos/1", "/todos?sort=-id", "/models", "/models/scripted"]) {
      const byHeader = await app.inject({ url: path, headers: { "accept-version": "1" } });
      expect(byHeader.statusCode).toBe(200);
      expect(byHeader.body).toBe((await app.inject(`/v1${path}`)).body);
      expect(byHeader.headers.vary).toContain("accept-version, api-version");
      expect(byHeader.headers).not.toHaveProperty("deprecation");
    }
    const chat = { method: "POST", url: "/chat/completions", payload: { messages } } as const;
    expect((await app.inject({ ...chat, headers: v1 })).json()).toMatchObject({
      object: "chat.completion",
    });
  });

  test("streams also send Vary", async () => {
    const payload = { messages, stream: true };
    const request = { method: "POST", url: "/chat/completions", headers: v1, payload } as const;
    const response = await versionedApp().inject(request);
    expect(response.headers["content-type"]).toMatch(/^text\/event-stream/);
    expect(response.headers.vary).toBe("accept-version, api-version");
  });

  test("without a version header, /todos is the simple to-do API, and other unprefixed routes equal /v1", async () => {
    const app = versionedApp();
    const todos = await app.inject("/todos");
    expect([todos.json(), todos.headers.vary]).toEqual([[], "accept-version, api-version"]);
    const models = await app.inject("/models");
    expect(models.body).toBe((await app.inject("/v1/models")).body);
    expect(models.headers.vary).toContain("accept-version, api-version");
    const chat = { method: "POST", url: "/chat/completions", payload: { messages } } as const;
    expect((await app.inject(chat)).json()).toMatchObject({ object: "chat.completion" });
  });

  test.each([
    ["POST", "/responses", { input: "Hi" }, { object: "response" }],
    ["POST", "/responses/input_tokens?a=b", { input: "Hi" }, { input_tokens: 2 }],
    ["POST", "/chat/completions/input_tokens", { messages }, { input_tokens: 2 }],
    ["GET", "/v1/health", undefined, { status: "ok" }],
    ["POST", "/reranking", {}, { error: { param: expect.any(String) } }],
    ["POST", "/v1/reranking", {}, { error: { param: expect.any(String) } }],
  ] as const)("llama-server's %s %s is also served", async (method, url, payload, expected) => {
    const response = await versionedApp().inject({ method, url, ...(payload && { payload }) });
    expect(response.json()).toMatchObject(expected);
  });

  test("no Vary is sent if only the prefix selects the version", async () => {
    for (const url of ["/v1/todos", "/v1/key", "/api/todos", "/health"]) {
      expect((await versionedApp().inject(url)).headers).not.toHaveProperty("vary");
    }
  });

  const rejected: readonly InjectOptions[] = [
    { url: "/v2/todos" },
    { method: "POST", url: "/v2/todos", payload: "no json" },
    { url: "/todos", headers: { "api-version": "2" } },
    { url: "/todos/1", headers: { "api-version": "v1", "accept-version": "v2" } },
    { url: "/v1/todos/1", headers: { "api-version": "2" } },
    { url: "/v3/todos/1/nothing" },
    { method: "PUT", url: "/v3/todos" },
  ];

  test.each(rejected)("answers 400 in the conventional error format for %j", async (request) => {
    const response = await versionedApp().inject(request);
    expect(response.statusCode).toBe(400);
    const { error } = response.json();
    expect(error.code).toBe("UNSUPPORTED_VERSION");
    expect(error.message).toMatch(
      /^(path|accept-version|api-version): expected v1, got "v?[23]"\.$/,
    );
    expect(error.details).toHaveLength(1);
    expect(response.headers["access-control-allow-origin"]).toBe("*");
  });

  test.each<InjectOptions>([
    { url: "/v2/models" },
    { url: "/models", headers: { "accept-version": "2" } },
    { method: "POST", url: "/v1/chat/completions", headers: { "api-version": "2" }, payload: {} },
    { method: "POST", url: "/v4/chat/completions", payload: { messages, stream: true } },
  ])("answers 400 in OpenAI's error format for %j", async (request) => {
    const response = await versionedApp().inject(request);
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toMatchObject({
      code: "unsupported_version",
      type: "invalid_request_error",
      details: [{ reason: expect.stringMatching(/^expected v1, got/) }],
      request_id: response.headers["x-request-id"],
    });
  });

  test("version headers are ignored on unversioned paths", async () => {
    const headers = { "api-version": "9", "accept-version": "nonsense" };
    for (const url of ["/", "/health", "/health/live", "/api/todos"]) {
      expect((await versionedApp().inject({ url, headers })).statusCode).toBe(200);
    }
  });

  test("API keys are required for every header that maps to /v1", async () => {
    const app = versionedApp({ apiKeys: ["k"] });
    for (const url of ["/todos", "/models", "/v2/todos"]) {
      expect((await app.inject({ url, headers: v1 })).statusCode).toBe(401);
    }
    expect((await app.inject("/todos")).statusCode).toBe(200);
    const headers = { ...v1, "x-api-key": "k" };
    expect((await app.inject({ url: "/todos", headers })).statusCode).toBe(200);
  });

  test("405 lists the methods of the mapped path in Allow", async () => {
    const request = { method: "PUT", url: "/models", headers: v1 } as const;
    const response = await versionedApp().inject(request);
    expect([response.statusCode, response.headers.allow]).toEqual([405, "GET, HEAD, POST, DELETE"]);
  });

  test("percent-encoded letters and repeated slashes do not hide a version", async () => {
    const app = versionedApp();
    expect((await app.inject("/%76%32/todos")).statusCode).toBe(400);
    const response = await app.inject({ url: "//%74odos", headers: v1 });
    expect(response.json()).toHaveProperty("pagination");
  });

  test("the log contains the requested path and the path that answered", async () => {
    const lines: string[] = [];
    const logger = pino({ level: "info" }, { write: (line) => lines.push(line) });
    const app = versionedApp({ logger });
    await app.inject({ url: "//todos?title=secret", headers: v1 });
    await app.inject({ url: "/v1/todos?title=secret" });
    const requests = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request");
    expect(requests[0]).toMatchObject({ path: "/todos", answered_as: "/v1/todos", status: 200 });
    expect(requests[1]).toMatchObject({ path: "/v1/todos" });
    expect(requests[1]).not.toHaveProperty("answered_as");
    expect(lines.join()).not.toContain("secret");
  });
});
