import type { InjectOptions } from "fastify";
import { describe, expect, it, onTestFinished } from "vitest";
import { GgufdError } from "../../../src/core/errors.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { buildLoadingApp, buildTestApp, type TestAppOptions } from "../../support/test-app.js";

const messages = [{ role: "user", content: "Hi" }];

function serve(script: Script = { parts: ["ok"] }, options: TestAppOptions = {}) {
  const engine = new ScriptedEngine(() => script);
  const { app } = buildTestApp(engine, options);
  onTestFinished(() => app.close());
  const post = (path: string, payload: object, headers: InjectOptions["headers"] = {}) =>
    app.inject({ method: "POST", url: `/api/${path}`, payload, headers });
  return { app, engine, post };
}

describe("a response of /api/chat", () => {
  it("is streamed as JSON lines, unless the client disables streaming", async () => {
    const { post } = serve({ parts: ["Hel", "lo"] });
    for (const stream of [undefined, null, true]) {
      const response = await post("chat", { messages, stream });
      expect(response.statusCode).toBe(200);
      expect(response.headers["content-type"]).toMatch(/^application\/x-ndjson/);
      const lines = response.body.split("\n");
      expect(lines.pop()).toBe("");
      expect(lines.map((line) => JSON.parse(line).message.content)).toEqual(["Hel", "lo", ""]);
      expect(lines.map((line) => JSON.parse(line).done)).toEqual([false, false, true]);
    }
    const whole = await post("chat", { messages, stream: false });
    expect(whole.headers["content-type"]).toMatch(/^application\/json/);
    expect(whole.json()).toMatchObject({ message: { content: "Hello" }, done: true });
  });

  it("reports durations in whole nanoseconds", async () => {
    const { post } = serve();
    const answer = (await post("chat", { messages, stream: false })).json();
    expect(answer.total_duration).toBeGreaterThan(0);
    expect(Number.isInteger(answer.total_duration)).toBe(true);
    expect(answer.prompt_eval_duration).toBe(2_000_000);
    expect(answer.eval_duration).toBe(3_000_000);
    expect(new Date(answer.created_at).toISOString()).toBe(answer.created_at);
  });

  it.each(["\n", '"', "\\", "\u0000", "\r\n", "\u2028", "\u0085", "\u007f", '"}\n{"done":true}'])(
    "escapes %j in a text",
    async (text) => {
      const call = { id: "1", name: "say", arguments: JSON.stringify({ text }, null, 1) };
      const { post } = serve({ parts: [text, { reasoning: text }, { call }] });
      const lines = (await post("chat", { messages })).body.split("\n").slice(0, -1);
      expect(lines.map((line) => JSON.parse(line).message)).toEqual([
        { role: "assistant", content: text },
        { role: "assistant", content: "", thinking: text },
        {
          role: "assistant",
          content: "",
          tool_calls: [{ id: "1", function: { name: "say", arguments: { text } } }],
        },
        { role: "assistant", content: "" },
      ]);
    },
  );

  it("has tool call arguments as the model wrote them", async () => {
    const written = '{"id": 12345678901234567890, "x": 1.0}';
    const call = { id: "1", name: "find", arguments: [...written] };
    const { post } = serve({ parts: [{ call }], ending: "tool-calls" });
    for (const stream of [true, false]) {
      const { body } = await post("chat", { messages, stream });
      expect(body).toContain(`{"name":"find","arguments":${written}}`);
    }
  });

  it("ends with an error line if an error occurs after the first line", async () => {
    const { post } = serve({ parts: ["a"], ending: new GgufdError("internal_error", "It broke.") });
    const { statusCode, body } = await post("chat", { messages });
    expect(statusCode).toBe(200);
    expect(body.split("\n").slice(1)).toEqual(['{"error":"It broke."}', ""]);
  });

  it("has the error's HTTP status if an error occurs before the first line", async () => {
    const { post } = serve({ parts: [], ending: new GgufdError("internal_error", "It broke.") });
    const response = await post("chat", { messages });
    expect(response.statusCode).toBe(500);
    expect(response.json()).toEqual({ error: "It broke." });
  });
});

describe("a request body", () => {
  it.each(["application/x-www-form-urlencoded", "text/plain;charset=UTF-8", undefined])(
    "is parsed as JSON with the content type %j, which curl and fetch send",
    async (type) => {
      const { app } = serve();
      const payload = JSON.stringify({ prompt: "Hi", stream: false });
      const headers = type === undefined ? {} : { "content-type": type };
      const response = await app.inject({
        method: "POST",
        url: "/api/generate",
        payload,
        headers,
      });
      expect(response.json()).toMatchObject({ response: "ok" });
      const todos = await app.inject({ method: "POST", url: "/api/todos", payload, headers });
      expect(todos.statusCode).toBe(415);
    },
  );
});

describe("a request without a prompt", () => {
  it.each([
    [{}, "load"],
    [{ messages: [], prompt: "", keep_alive: "5m" }, "load"],
    [{ keep_alive: 0 }, "unload"],
  ])("is answered without generating: %j", async (body, reason) => {
    const { post, engine } = serve();
    const done = { model: "scripted", done: true, done_reason: reason };
    const chat = await post("chat", body);
    expect(chat.headers["content-type"]).toMatch(/^application\/json/);
    expect(chat.json()).toMatchObject({ ...done, message: { role: "assistant", content: "" } });
    expect((await post("generate", body)).json()).toMatchObject({ ...done, response: "" });
    expect(engine.requests).toEqual([]);
    expect((await post("generate", { prompt: "Hi", stream: false })).json()).toMatchObject({
      response: "ok",
    });
  });

  it("returns 503 while the model is loading", async () => {
    const { app } = buildLoadingApp();
    for (const url of ["/api/chat", "/api/generate", "/api/show"]) {
      const response = await app.inject({ method: "POST", url, payload: {} });
      expect(response.statusCode).toBe(503);
      expect(response.headers["retry-after"]).toBe("2");
      expect(response.json()).toEqual({ error: expect.stringContaining("loading") });
    }
    for (const url of ["/api/tags", "/api/ps"])
      expect((await app.inject(url)).statusCode).toBe(200);
    expect((await app.inject("/api/version")).json()).toEqual({ version: "0.0.0" });
  });
});

describe("an error below /api", () => {
  const json = { "content-type": "application/json" };

  it.each<[number, InjectOptions]>([
    [400, { method: "POST", url: "/api/chat", payload: "{", headers: json }],
    [400, { method: "POST", url: "/api/chat", payload: "", headers: json }],
    [400, { method: "POST", url: "/api/blobs/%E0%A4%A" }],
    [404, { method: "POST", url: "/api/chat", payload: { model: "llama3", messages } }],
    [404, { method: "POST", url: "/api/show", payload: { model: "llama3" } }],
    [404, { url: "/api" }],
    [404, { url: "/api/nothing" }],
    [404, { url: "/api/todosx" }],
    [405, { url: "/api/chat" }],
  ])("has a string as its error field, with status %d: %j", async (status, request) => {
    const response = await serve().app.inject(request);
    expect(response.statusCode).toBe(status);
    expect(response.json()).toEqual({ error: expect.any(String) });
  });

  it("is 401 without a key, and 403 for a change with a read-only key", async () => {
    const { app } = serve(undefined, { apiKeys: ["full"], readOnlyApiKeys: ["read"] });
    const ask = (method: "GET" | "POST", url: string, key?: string) =>
      app.inject({
        method,
        url,
        headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
        ...(method === "POST" && { payload: {} }),
      });
    for (const url of ["/api/tags", "/api/ps", "/api/version"]) {
      const refused = await ask("GET", url);
      expect(refused.statusCode).toBe(401);
      expect(refused.json()).toEqual({ error: expect.stringContaining("API key") });
      expect((await ask("GET", url, "read")).statusCode).toBe(200);
    }
    for (const url of ["/api/chat", "/api/generate", "/api/show", "/api/pull"]) {
      expect((await ask("POST", url)).statusCode).toBe(401);
      expect((await ask("POST", url, "read")).statusCode).toBe(403);
      expect((await ask("POST", url, "full")).statusCode).toBe(url === "/api/pull" ? 400 : 200);
    }
    expect((await ask("GET", "/api/todos")).statusCode).toBe(200);
  });
});

describe("routes that clients probe for availability", () => {
  it("respond to GET and HEAD", async () => {
    const { app } = serve();
    for (const url of ["/", "/api/tags", "/api/version"]) {
      for (const method of ["GET", "HEAD"] as const) {
        expect((await app.inject({ method, url })).statusCode).toBe(200);
      }
    }
  });

  it("allow cross-origin requests", async () => {
    const { app } = serve();
    const headers = { origin: "http://x", "access-control-request-method": "POST" };
    const preflight = await app.inject({ method: "OPTIONS", url: "/api/chat", headers });
    expect(preflight.statusCode).toBe(204);
    expect(preflight.headers["access-control-allow-origin"]).toBe("*");
    const { post } = serve();
    for (const response of [
      await post("chat", { messages }, { origin: "http://x" }),
      await post("pull", {}, { origin: "http://x" }),
    ]) {
      expect(response.headers["access-control-allow-origin"]).toBe("*");
    }
  });
});
