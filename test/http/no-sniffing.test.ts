import { describe, expect, it } from "vitest";
import { listening, openRaw, parseRaw } from "../support/raw-connection.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { buildLoadingApp, buildTestApp } from "../support/test-app.js";

const app = () => buildTestApp(new ScriptedEngine(() => ({ parts: ["<b>"] }))).app;
const payload = { messages: [{ role: "user", content: "<script>" }] };

describe("answers with X-Content-Type-Options: nosniff", () => {
  it.each([
    ["a health check", { url: "/health/live" }, 200],
    ["a list", { url: "/v1/models" }, 200],
    ["all to-dos", { url: "/api/todos" }, 200],
    ["a page of to-dos", { url: "/v1/todos" }, 200],
    ["Ollama's version", { url: "/api/version" }, 200],
    ["the description", { url: "/openapi.json" }, 200],
    ["metrics", { url: "/metrics" }, 200],
    ["a completion", { method: "POST", url: "/v1/chat/completions", payload }, 200],
    [
      "a stream",
      { method: "POST", url: "/v1/chat/completions", payload: { ...payload, stream: true } },
      200,
    ],
    ["Ollama's lines", { method: "POST", url: "/api/chat", payload }, 200],
    ["an invalid body", { method: "POST", url: "/v1/messages", payload }, 400],
    ["an unknown path", { url: "/nowhere" }, 404],
    ["a path that cannot be decoded", { url: "/v1/%zz" }, 400],
    ["another method", { method: "PUT", url: "/v1/models" }, 405],
    ["another host", { url: "/v1/models", headers: { host: "evil.example" } }, 403],
  ] as const)("%s", async (_, request, status) => {
    const response = await app().inject({ ...request });
    expect(response.statusCode).toBe(status);
    expect(response.headers["x-content-type-options"]).toBe("nosniff");
  });

  it("an invalid HTTP request", async () => {
    const { closed } = await openRaw(await listening(buildLoadingApp().app), "hello\r\n\r\n");
    const { status, headers } = parseRaw(await closed);
    expect([status, headers["x-content-type-options"]]).toEqual([400, "nosniff"]);
  });
});
