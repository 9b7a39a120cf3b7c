import { pino } from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { storeInMemory } from "../support/store-in-memory.js";
import { buildTestApp, type TestAppOptions } from "../support/test-app.js";

function appWith(options: TestAppOptions = {}) {
  const engine = new ScriptedEngine(() => ({ parts: ["ok"] }));
  const { app } = buildTestApp(engine, { todos: storeInMemory(), ...options });
  onTestFinished(() => app.close());
  return app;
}

const deprecationHeaders = {
  deprecation: "@1796083200",
  sunset: "Wed, 01 Dec 2027 00:00:00 GMT",
  link: '</v1/todos>; rel="successor-version"',
};
const names = Object.keys(deprecationHeaders);

describe("a deprecated path", () => {
  test("sends deprecation headers on every response at or below it, including errors", async () => {
    const app = appWith();
    const requests = [
      { url: "/todos" },
      { method: "HEAD", url: "/todos" },
      { url: "//todos/?x" },
      { method: "POST", url: "/todos", payload: { title: "a" } },
      { method: "POST", url: "/todos", payload: {} },
      { method: "PATCH", url: "/todos/1", payload: { completed: true } },
      { method: "DELETE", url: "/todos/1" },
      { method: "DELETE", url: "/todos/1" },
      { method: "PUT", url: "/todos" },
      { url: "/todos/1/nothing" },
      { url: "/todos/%" },
      { method: "OPTIONS", url: "/todos" },
    ] as const;
    const statuses: number[] = [];
    for (const request of requests) {
      const response = await app.inject(request);
      statuses.push(response.statusCode);
      expect(response.headers).toMatchObject(deprecationHeaders);
    }
    expect(statuses).toEqual([200, 200, 200, 201, 400, 200, 200, 404, 405, 404, 400, 204]);
  });

  test("does not affect its successor or sibling paths", async () => {
    const app = appWith();
    for (const url of ["/v1/todos", "/api/todos", "/todosx", "/", "/v1/models"]) {
      const { headers } = await app.inject(url);
      for (const name of names) expect(headers).not.toHaveProperty(name);
    }
    const { headers } = await app.inject({ url: "/todos", headers: { "api-version": "1" } });
    for (const name of names) expect(headers).not.toHaveProperty(name);
  });

  test("can be any path, including streams", async () => {
    const app = appWith({ deprecate: ["/v1/chat 2026-01-01 2026-02-03 https://example.com/new"] });
    const payload = { messages: [{ role: "user", content: "Hi" }], stream: true };
    const response = await app.inject({ method: "POST", url: "/v1/chat/completions", payload });
    expect(response.headers["content-type"]).toMatch(/^text\/event-stream/);
    expect(response.headers).toMatchObject({
      deprecation: "@1767225600",
      sunset: "Tue, 03 Feb 2026 00:00:00 GMT",
      link: '<https://example.com/new>; rel="successor-version"',
    });
    expect((await app.inject("/todos")).headers).not.toHaveProperty("deprecation");
  });

  test("takes precedence over a deprecated parent path", async () => {
    const app = appWith({
      deprecate: ["/ 2026-01-01 2027-01-01 /all", "/todos 2026-01-01 2027-01-01 /some"],
    });
    const linkOf = async (url: string) => (await app.inject(url)).headers.link;
    expect(await linkOf("/todos/1")).toBe('</some>; rel="successor-version"');
    expect(await linkOf("/health")).toBe('</all>; rel="successor-version"');
  });

  test("is optional", async () => {
    const { headers } = await appWith({ deprecate: [] }).inject("/todos");
    for (const name of names) expect(headers).not.toHaveProperty(name);
  });

  test("is logged only on its first request", async () => {
    const lines: string[] = [];
    const logger = pino({ level: "warn" }, { write: (line) => lines.push(line) });
    const app = appWith({ logger });
    await app.inject("/v1/todos");
    expect(lines).toEqual([]);
    for (const url of ["/todos/7?secret", "/todos", "/todos"]) await app.inject(url);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines.join())).toMatchObject({
      path: "/todos",
      successor: "/v1/todos",
      sunset: deprecationHeaders.sunset,
      msg: "a deprecated path was called; further calls are not logged",
    });
  });

  test("exposes its headers to cross-origin pages", async () => {
    const { headers } = await appWith().inject({ url: "/todos", headers: { origin: "http://x" } });
    const exposed = String(headers["access-control-expose-headers"]).split(", ");
    expect(exposed).toEqual(expect.arrayContaining(names));
  });
});
