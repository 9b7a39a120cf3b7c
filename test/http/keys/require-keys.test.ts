import { pino } from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { storeInMemory } from "../../support/store-in-memory.js";
import { buildTestApp, type TestAppOptions } from "../../support/test-app.js";

function appWith(options: TestAppOptions) {
  const engine = new ScriptedEngine(() => ({ parts: ["ok"] }));
  const { app } = buildTestApp(engine, { todos: storeInMemory(), ...options });
  onTestFinished(() => app.close());
  return app;
}

const bothKinds = { apiKeys: ["full"], readOnlyApiKeys: ["reader", "other"] };
const chat = {
  method: "POST",
  url: "/v1/chat/completions",
  payload: { messages: [{ role: "user", content: "Hi" }] },
} as const;

describe("a read-only key", () => {
  test.each([
    { authorization: "Bearer reader" },
    { authorization: "bearer other" },
    { "x-api-key": "reader" },
  ])("permits reading: %j", async (headers) => {
    for (const method of ["GET", "HEAD"] as const) {
      for (const url of ["/v1/models", "/v1/models/scripted", "/v1/todos"]) {
        const { statusCode } = await appWith(bothKinds).inject({ method, url, headers });
        expect(statusCode).toBe(200);
      }
    }
  });

  test("is answered 403 for any other request, before the body is parsed", async () => {
    const headers = { authorization: "Bearer reader" };
    for (const payload of [chat.payload, "no json"]) {
      const response = await appWith(bothKinds).inject({ ...chat, payload, headers });
      expect(response.statusCode).toBe(403);
      expect(response.json().error).toMatchObject({
        code: "permission_denied",
        type: "permission_error",
        message: "The API key is read-only: expected GET or HEAD, got POST.",
        details: [],
      });
    }
  });

  test("does not restrict full keys", async () => {
    const headers = { authorization: "Bearer full" };
    expect((await appWith(bothKinds).inject({ ...chat, headers })).statusCode).toBe(200);
  });

  test("enables authentication even without full keys", async () => {
    const app = appWith({ readOnlyApiKeys: ["reader"] });
    expect((await app.inject("/v1/models")).statusCode).toBe(401);
    expect((await app.inject(chat)).statusCode).toBe(401);
    const headers = { "x-api-key": "reader" };
    expect((await app.inject({ ...chat, headers })).statusCode).toBe(403);
    expect((await app.inject({ url: "/v1/models", headers })).statusCode).toBe(200);
  });

  test("that is invalid is answered 401 for any request", async () => {
    for (const key of ["", "Reader", "read", "readers", "full,reader"]) {
      const headers = { "x-api-key": key };
      expect((await appWith(bothKinds).inject({ ...chat, headers })).statusCode).toBe(401);
      expect((await appWith(bothKinds).inject({ url: "/v1/todos", headers })).statusCode).toBe(401);
    }
  });

  test("is not required for preflights, health checks and the simple to-do API", async () => {
    const app = appWith(bothKinds);
    expect((await app.inject({ ...chat, method: "OPTIONS" })).statusCode).toBe(204);
    for (const url of ["/", "/health", "/api/todos"]) {
      expect((await app.inject(url)).statusCode).toBe(200);
    }
    const post = { method: "POST", url: "/api/todos", payload: { title: "a" } } as const;
    const headers = { "x-api-key": "reader" };
    expect((await app.inject({ ...post, headers })).statusCode).toBe(201);
  });
});

test("keys appear in no log and no response", async () => {
  const lines: string[] = [];
  const logger = pino({ level: "debug" }, { write: (line) => lines.push(line) });
  const app = appWith({ apiKeys: ["hush-full"], readOnlyApiKeys: ["hush-reader"], logger });
  for (const key of ["hush-full", "hush-reader", "hush-wrong"]) {
    const response = await app.inject({ ...chat, headers: { authorization: `Bearer ${key}` } });
    expect(response.body).not.toContain("hush");
  }
  expect(lines).not.toEqual([]);
  expect(lines.join()).not.toContain("hush");
});
