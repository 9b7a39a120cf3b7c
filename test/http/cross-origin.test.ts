import { describe, expect, it, test } from "vitest";
import { findAllowedOrigin } from "../../src/http/cross-origin.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { storeInMemory } from "../support/store-in-memory.js";
import { buildLoadingApp, buildTestApp } from "../support/test-app.js";

const openPaths = ["/api/todos"];
const page = "https://page.example";
const other = "https://other.example";

describe("the allowed origin of an answer", () => {
  test.each([
    ["any", "/v1/models", page, "*"],
    ["any", "/v1/models", undefined, "*"],
    ["listed", "/v1/models", page, page],
    ["listed", "/v1/models", other, undefined],
    ["listed", "/v1/models", undefined, undefined],
    ["listed", "/api/todos", other, "*"],
    ["listed", "/api/todos/1", undefined, "*"],
    ["listed", "/api/todosx", other, undefined],
    ["none", "/v1/models", page, undefined],
    ["none", "/api/todos/1", page, "*"],
  ])("with origins %s, at %s, for a page of %s is %s", (kind, path, origin, expected) => {
    const origins = kind === "any" ? "any" : kind === "listed" ? [page] : [];
    expect(findAllowedOrigin({ origins, openPaths }, path, origin)).toBe(expected);
  });
});

test.each([
  ["http://localhost", true],
  ["http://localhost:8080", true],
  ["https://127.0.0.1:3000", true],
  ["http://[::1]:3000", true],
  ["http://localhost.evil.example", false],
  ["http://notlocalhost", false],
  ["ftp://localhost", false],
  ["localhost", false],
  ["null", false],
  [page, true],
])("with localhost among the origins, %s is allowed: %s", (origin, isAllowed) => {
  const allowed = findAllowedOrigin(
    { origins: ["localhost", page], openPaths },
    "/v1/models",
    origin,
  );
  expect(allowed).toBe(isAllowed ? origin : undefined);
});

const app = (corsOrigin: string[], host = "127.0.0.1") =>
  buildLoadingApp({ edge: { corsOrigin, host: [host] } }).app;

const preflight = (origin: string) => ({
  method: "OPTIONS" as const,
  headers: {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "content-type",
  },
});

describe("with configured origins", () => {
  it("an answer to a page of a configured origin allows the origin and varies by it", async () => {
    const response = await app([page]).inject({ url: "/health/live", headers: { origin: page } });
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({ "access-control-allow-origin": page, vary: "Origin" });
    expect(response.headers["access-control-expose-headers"]).toContain("x-request-id");
  });

  it("errors allow the origin too, even for a path that cannot be decoded", async () => {
    for (const url of ["/nowhere", "/v1/%zz"]) {
      const response = await app([page]).inject({ url, headers: { origin: page } });
      expect(response.statusCode).toBeGreaterThanOrEqual(400);
      expect(response.headers["access-control-allow-origin"]).toBe(page);
    }
  });

  it("a preflight from a page of a configured origin is answered", async () => {
    const response = await app([page]).inject({ url: "/v1/models", ...preflight(page) });
    expect(response.statusCode).toBe(204);
    expect(response.headers).toMatchObject({
      "access-control-allow-origin": page,
      "access-control-allow-headers": "content-type",
    });
  });

  it("clients without an Origin header are answered, with Vary for caches", async () => {
    const response = await app([page]).inject({ url: "/health/live" });
    expect(response.statusCode).toBe(200);
    expect(response.headers).not.toHaveProperty("access-control-allow-origin");
    // A cache must not give this answer to a page that may read another one.
    expect(response.headers.vary).toBe("Origin");
  });
});

const message = `origin: expected a page of this server or an origin that --cors-origin names, got "${other}".`;

describe.each([
  ["configured origins", [page]],
  ["none", ["none"]],
])("with %s as allowed origins, a page of another origin", (_, corsOrigin) => {
  it.each([
    ["/v1/models", { error: { code: "origin_not_allowed", message } }],
    ["/v1/%zz", { error: { code: "origin_not_allowed", message } }],
    ["/v1/messages", { type: "error", error: { type: "permission_error", message } }],
    ["/v1/todos", { error: { code: "ORIGIN_NOT_ALLOWED", message } }],
    ["/todos", { error: message }],
    ["/api/tags", { error: message }],
  ])("is rejected at %s with the error format of the path", async (url, body) => {
    const response = await app(corsOrigin).inject({ url, headers: { origin: other } });
    expect(response.statusCode).toBe(403);
    expect(response.headers["x-request-id"]).toMatch(/^req_/);
    expect(response.headers).not.toHaveProperty("access-control-allow-origin");
    expect(response.headers.vary).toMatch(/(^|, )Origin$/);
    expect(response.json()).toMatchObject(body);
  });

  it("is rejected in its preflight", async () => {
    const response = await app(corsOrigin).inject({ url: "/v1/models", ...preflight(other) });
    expect(response.statusCode).toBe(403);
    expect(response.headers.vary).toBe("Origin");
    expect(response.headers).not.toHaveProperty("access-control-allow-origin");
  });

  it("is rejected at Ollama's routes, which need no preflight", async () => {
    const engine = new ScriptedEngine(() => ({ parts: ["a"] }));
    const { app } = buildTestApp(engine, { edge: { corsOrigin } });
    const post = (url: string, origin: string) =>
      app.inject({
        method: "POST",
        url,
        headers: { origin, "content-type": "text/plain" },
        payload: JSON.stringify({ model: "scripted", prompt: "Hi", input: "Hi" }),
      });
    for (const url of ["/api/chat", "/api/generate", "/api/embed", "/api/show"]) {
      const response = await post(url, other);
      expect([response.statusCode, response.json()]).toEqual([403, { error: message }]);
    }
    expect([...engine.requests, ...engine.rawRequests]).toEqual([]);
  });

  it("may use the to-do service, as its specification requires", async () => {
    const { app } = buildLoadingApp({ edge: { corsOrigin }, todos: storeInMemory() });
    const created = await app.inject({
      method: "POST",
      url: "/api/todos",
      headers: { origin: other },
      payload: { title: "milk" },
    });
    expect(created.statusCode).toBe(201);
    expect(created.headers["access-control-allow-origin"]).toBe("*");
    const asked = await app.inject({ url: "/api/todos/1", ...preflight(other) });
    expect(asked.statusCode).toBe(204);
    expect(asked.headers["access-control-allow-origin"]).toBe("*");
  });
});

describe("a page of the server itself", () => {
  it.each([
    ["http://localhost:8080", "localhost:8080"],
    ["http://127.0.0.1:8080", "127.0.0.1:8080"],
    // Behind a proxy that terminates TLS.
    ["https://llm.example.com", "llm.example.com"],
    ["https://llm.example.com", "llm.example.com:443"],
  ])("of %s is allowed under the host %s, for any configured origins", async (origin, host) => {
    const server = app(["none"], "0.0.0.0");
    const response = await server.inject({ url: "/health/live", headers: { origin, host } });
    expect(response.statusCode).toBe(200);
  });

  it.each([
    ["http://localhost:9999", "localhost:8080"],
    ["null", "localhost:8080"],
    ["http://localhost:8080/", "localhost:8080"],
  ])("does not have the origin %s under the host %s", async (origin, host) => {
    const response = await app(["none"]).inject({ url: "/health/live", headers: { origin, host } });
    expect(response.statusCode).toBe(403);
  });
});

it("with any origin, the default, requests without an Origin header are served", async () => {
  const response = await buildLoadingApp().app.inject({
    url: "/health/live",
    headers: { origin: "null" },
  });
  expect(response.statusCode).toBe(200);
  expect(response.headers["access-control-allow-origin"]).toBe("*");
  expect(response.headers).not.toHaveProperty("vary");
});
