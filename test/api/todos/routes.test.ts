import { mkdtemp, readFile, rm } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { FastifyInstance, InjectOptions } from "fastify";
import { pino } from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { maxBodyBytes } from "../../../src/api/todos/schema.js";
import { GgufdError } from "../../../src/core/errors.js";
import type { Todo, Todos } from "../../../src/todos/todo.js";
import { openTodoStore } from "../../../src/todos/todo-store.js";
import { storeInMemory } from "../../support/store-in-memory.js";
import { buildLoadingApp } from "../../support/test-app.js";

const minimal = { prefer: "return=minimal" };
const json = { "content-type": "application/json" };

/** The whole application with an in-memory to-do store and a model that never loads. */
function appOver(todos: Todos = storeInMemory()): FastifyInstance {
  const { app } = buildLoadingApp({ todos });
  onTestFinished(() => app.close());
  return app;
}

/** The application with the items `a` (id 1) and `b` (id 2). */
async function appWithTwo(): Promise<FastifyInstance> {
  const app = appOver();
  for (const title of ["a", "b"]) await post(app, { title });
  return app;
}

const post = (app: FastifyInstance, payload: object, headers = {}) =>
  app.inject({ method: "POST", url: "/api/todos", payload, headers });

const listOf = async (app: FastifyInstance): Promise<unknown> =>
  (await app.inject("/api/todos")).json();

/** Sends a request, and expects an error in the to-do service's format and an unchanged list. */
async function expectError(
  app: FastifyInstance,
  options: InjectOptions,
  status: number,
  message: string | RegExp,
) {
  const before = await listOf(app);
  const response = await app.inject(options);
  expect(response.statusCode).toBe(status);
  expect(response.headers["content-type"]).toMatch(/^application\/json/);
  expect(response.json()).toEqual({ error: expect.stringMatching(message) });
  expect(await listOf(app)).toEqual(before);
  return response;
}

describe("GET /api/todos", () => {
  test("returns 200 with an array, initially empty", async () => {
    const response = await appOver().inject("/api/todos");
    expect(response.statusCode).toBe(200);
    expect(response.headers["content-type"]).toMatch(/^application\/json/);
    expect(response.json()).toEqual([]);
  });

  test("returns all items with exactly id, title and completed, and ignores a query", async () => {
    const app = await appWithTwo();
    const all = [
      { id: 1, title: "a", completed: false },
      { id: 2, title: "b", completed: false },
    ];
    for (const url of ["/api/todos", "/api/todos/", "/api/todos?limit=1&cursor=x&sort=-id"]) {
      expect((await app.inject(url)).json()).toEqual(all);
    }
  });

  test("returns only the headers for HEAD", async () => {
    const response = await appOver().inject({ method: "HEAD", url: "/api/todos" });
    expect([response.statusCode, response.body]).toEqual([200, ""]);
  });

  test("does not wait for a write", async () => {
    const app = appOver(storeInMemory({ persist: () => new Promise(() => undefined) }));
    const never = post(app, { title: "a" });
    expect(await listOf(app)).toEqual([]);
    void never;
  });
});

describe("POST /api/todos", () => {
  test("returns 201 with the created item", async () => {
    const app = appOver();
    const response = await post(app, { title: "milk" });
    expect(response.statusCode).toBe(201);
    expect(response.json()).toEqual({ id: 1, title: "milk", completed: false });
    expect(response.headers).not.toHaveProperty("preference-applied");
    expect(response.headers).not.toHaveProperty("location");
    expect(response.headers.vary).toBe("Prefer");
    expect((await post(app, { title: "tea" })).json()).toMatchObject({ id: 2 });
  });

  test("accepts any JSON content type parameter, and a body with a byte order mark", async () => {
    const app = appOver();
    const response = await app.inject({
      method: "POST",
      url: "/api/todos",
      headers: { "content-type": "Application/JSON; charset=UTF-8" },
      payload: '\uFEFF{"title":"a"}',
    });
    expect(response.statusCode).toBe(201);
  });

  test.each([
    ["white space around it", "  milk \n"],
    ["one character", "x"],
    ["the word null", "null"],
    ["emoji and combining marks", "e\u0301 \u{1F469}\u200D\u{1F680}"],
    ["a lone surrogate", "\uD800"],
    ["NUL and quotes", '\u0000"\\'],
    ["10,000 letters", "x".repeat(10_000)],
    ["10,000 emoji", "\u{1F600}".repeat(10_000)],
  ])("stores a title verbatim: %s", async (_name, title) => {
    const app = appOver();
    const response = await post(app, { title });
    expect(response.statusCode).toBe(201);
    expect(response.json()).toEqual({ id: 1, title, completed: false });
    expect(await listOf(app)).toEqual([{ id: 1, title, completed: false }]);
  });

  test("accepts the longest title even when every character is escaped", async () => {
    const app = appOver();
    const payload = `{"title":"${"\\ud83d\\ude00".repeat(10_000)}"}`;
    const response = await app.inject({
      method: "POST",
      url: "/api/todos",
      headers: json,
      payload,
    });
    expect(response.statusCode).toBe(201);
    expect(response.json()).toMatchObject({ title: "\u{1F600}".repeat(10_000) });
  });

  test.each<[received: unknown, completed: boolean]>([
    [true, true],
    [1, true],
    ["false", true],
    [[], true],
    [{}, true],
    [false, false],
    [0, false],
    ["", false],
    [null, false],
  ])("coerces completed %j to %j", async (received, completed) => {
    const app = appOver();
    expect((await post(app, { title: "a", completed: received })).json()).toEqual({
      id: 1,
      title: "a",
      completed,
    });
  });

  test("ignores fields that a client cannot set", async () => {
    const app = appOver();
    const response = await post(app, { title: "a", id: 77, extra: 1 });
    expect(response.json()).toEqual({ id: 1, title: "a", completed: false });
  });

  test("treats keys of the prototype as unknown keys", async () => {
    const app = appOver();
    const payload =
      '{"title":"a","__proto__":{"completed":true,"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const response = await app.inject({
      method: "POST",
      url: "/api/todos",
      headers: json,
      payload,
    });
    expect(response.json()).toEqual({ id: 1, title: "a", completed: false });
    expect(Object.prototype).not.toHaveProperty("polluted");
    await expectError(
      app,
      { method: "POST", url: "/api/todos", headers: json, payload: '{"__proto__":{"title":"a"}}' },
      400,
      /^title: .*, got nothing\.$/,
    );
  });

  test.each<[name: string, payload: object, got: string]>([
    ["missing", {}, "nothing"],
    ["empty", { title: "" }, '""'],
    ["white space", { title: " \t\u3000" }, '" \\t\u3000"'],
    ["null", { title: null }, "null"],
    ["a number", { title: 7 }, "7"],
    ["a boolean", { title: false }, "false"],
    ["an array", { title: ["a"] }, '["a"]'],
    ["an object", { title: { toString: "a" } }, '{"toString":"a"}'],
    ["10,001 letters", { title: "x".repeat(10_001) }, `"${"x".repeat(59)}… (10001 characters)`],
    [
      "10,001 emoji",
      { title: "\u{1F600}".repeat(10_001) },
      `"${"\u{1F600}".repeat(59)}… (10001 characters)`,
    ],
  ])("returns 400 and stores nothing when the title is %s", async (_name, payload, got) => {
    const { body } = await expectError(
      await appWithTwo(),
      { method: "POST", url: "/api/todos", payload },
      400,
      /^title: /,
    );
    expect(JSON.parse(body)).toEqual({
      error: `title: expected a string of 1 to 10000 characters, not only white space, got ${got}.`,
    });
  });
});

describe("PATCH /api/todos/{id}", () => {
  const patch = (app: FastifyInstance, id: number | string, payload: object, headers = {}) =>
    app.inject({ method: "PATCH", url: `/api/todos/${id}`, payload, headers });

  test("returns 200 {updated: true} and sets or clears completed", async () => {
    const app = await appWithTwo();
    for (const completed of [true, true, false]) {
      const response = await patch(app, 2, { completed });
      expect(response.statusCode).toBe(200);
      expect(response.json()).toEqual({ updated: true });
      expect(response.headers.vary).toBe("Prefer");
      expect(await listOf(app)).toEqual([
        { id: 1, title: "a", completed: false },
        { id: 2, title: "b", completed },
      ]);
    }
  });

  test.each<[received: unknown, completed: boolean]>([
    ["false", true],
    ["0", true],
    [-1, true],
    [[], true],
    [{}, true],
    [0, false],
    ["", false],
    [null, false],
  ])("coerces completed %j to %j and lists it as a boolean", async (received, completed) => {
    const app = await appWithTwo();
    await patch(app, 1, { completed: !completed });
    expect((await patch(app, 1, { completed: received })).statusCode).toBe(200);
    expect(await listOf(app)).toContainEqual({ id: 1, title: "a", completed });
  });

  test("changes only completed", async () => {
    const app = await appWithTwo();
    await patch(app, 1, { completed: true, title: "other", id: 9 });
    expect(await listOf(app)).toContainEqual({ id: 1, title: "a", completed: true });
  });

  test.each([
    ["no such key", "{}"],
    ["another key", '{"complete":true}'],
    ["the key on the prototype", '{"__proto__":{"completed":true}}'],
  ])("returns 400 when completed is missing: %s", async (_name, payload) => {
    await expectError(
      await appWithTwo(),
      { method: "PATCH", url: "/api/todos/1", headers: json, payload },
      400,
      /^completed: expected a boolean, got nothing\.$/,
    );
  });

  test("returns 404 when no item has the id", async () => {
    await expectError(
      await appWithTwo(),
      { method: "PATCH", url: "/api/todos/3", payload: { completed: true } },
      404,
      /^No todo has the id 3\.$/,
    );
  });
});

describe("DELETE /api/todos/{id}", () => {
  const remove = (app: FastifyInstance, id: number, headers = {}) =>
    app.inject({ method: "DELETE", url: `/api/todos/${id}`, headers });

  test("returns 200 {deleted: true}, deletes the item and never reuses its id", async () => {
    const app = await appWithTwo();
    const response = await remove(app, 2);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({ deleted: true });
    expect(response.headers.vary).toBe("Prefer");
    expect(await listOf(app)).toEqual([{ id: 1, title: "a", completed: false }]);
    expect((await post(app, { title: "c" })).json()).toMatchObject({ id: 3 });
  });

  test("returns 404 the second time", async () => {
    const app = await appWithTwo();
    await remove(app, 2);
    await expectError(app, { method: "DELETE", url: "/api/todos/2" }, 404, /id 2/);
  });

  test("accepts an empty body with a JSON content type as no body", async () => {
    expect((await remove(await appWithTwo(), 1, json)).statusCode).toBe(200);
  });
});

describe("the id in the path", () => {
  const requests: InjectOptions[] = [
    { method: "PATCH", payload: { completed: true } },
    { method: "DELETE" },
  ];

  test.each([
    "0",
    "-1",
    "+1",
    "1.5",
    "1.0",
    "1e0",
    "0x1",
    "abc",
    "1a",
    "%201",
    "NaN",
    "Infinity",
    "null",
    "__proto__",
    "9007199254740992",
    "9".repeat(100),
    "%D9%A1",
    "1%2F2",
  ])("returns 400 for %j", async (id) => {
    const app = await appWithTwo();
    for (const options of requests) {
      await expectError(
        app,
        { ...options, url: `/api/todos/${id}` },
        400,
        /^id: expected an integer from 1 to 9007199254740991, got "/,
      );
    }
  });

  test("is parsed as a number: escaped digits and leading zeros give the same id", async () => {
    const app = await appWithTwo();
    for (const id of ["1", "%31", "001"]) {
      const url = `/api/todos/${id}`;
      const response = await app.inject({ method: "PATCH", url, payload: { completed: true } });
      expect(response.json()).toEqual({ updated: true });
    }
  });

  test("returns 404 for the largest valid id", async () => {
    const app = await appWithTwo();
    for (const options of requests) {
      await expectError(app, { ...options, url: "/api/todos/9007199254740991" }, 404, /^No todo/);
    }
  });
});

describe("a body that is not a JSON object is rejected", () => {
  const routes = [
    ["POST", "/api/todos"],
    ["PATCH", "/api/todos/1"],
  ] as const;
  const gzip = Buffer.from([0x1f, 0x8b, 0x08, 0x00]);

  test.each<[name: string, options: InjectOptions, status: number, message: RegExp]>([
    ["no body", {}, 400, /^body: expected a JSON object, got nothing\.$/],
    ["an empty body", { headers: json, payload: "" }, 400, /got nothing\.$/],
    ["null", { headers: json, payload: "null" }, 400, /got null\.$/],
    [
      "an array",
      { payload: [{ title: "a", completed: true }] },
      400,
      /got \[\{"title":"a","completed":true\}\]\.$/,
    ],
    ["a string", { headers: json, payload: '"title"' }, 400, /got "title"\.$/],
    ["a number", { headers: json, payload: "1" }, 400, /got 1\.$/],
    ["a boolean", { headers: json, payload: "true" }, 400, /got true\.$/],
    ["invalid JSON", { headers: json, payload: "{title:1}" }, 400, /^body: expected JSON: /],
    ["truncated JSON", { headers: json, payload: '{"title":"a' }, 400, /^body: expected JSON: /],
    [
      "two JSON values",
      { headers: json, payload: '{"title":"a"}{}' },
      400,
      /^body: expected JSON: /,
    ],
    ["white space", { headers: json, payload: " \n" }, 400, /^body: expected JSON: /],
    ["invalid UTF-8", { headers: json, payload: Buffer.from([0x22, 0xff, 0x22]) }, 400, /utf-8/],
    [
      "a compressed body",
      { headers: { ...json, "content-encoding": "gzip" }, payload: gzip },
      400,
      /utf-8/,
    ],
    ["deeply nested", { headers: json, payload: "[".repeat(100_000) }, 400, /^body: expected at/],
    [
      "text",
      { headers: { "content-type": "text/plain" }, payload: "a" },
      415,
      /got text\/plain\.$/,
    ],
    [
      "a form",
      { headers: { "content-type": "application/x-www-form-urlencoded" }, payload: "title=a" },
      415,
      /^content-type: expected application\/json, got application\/x-www-form-urlencoded\.$/,
    ],
    ["no content type", { headers: { "content-length": "2" }, payload: "{}" }, 415, /got none\.$/],
    [
      "an invalid content type",
      { headers: { "content-type": "json" }, payload: "{}" },
      415,
      /got json\.$/,
    ],
    [
      "a wrong content length",
      { headers: { ...json, "content-length": "3" }, payload: "{}" },
      400,
      /./,
    ],
  ])("%s", async (_name, options, status, message) => {
    const app = await appWithTwo();
    for (const [method, url] of routes) {
      await expectError(app, { ...options, method, url }, status, message);
    }
  });

  test("with 413 above 128 KiB, by the declared content length", async () => {
    const app = await appWithTwo();
    const payload = JSON.stringify({ title: "a", padding: "x".repeat(128 * 1024) });
    for (const [method, url] of routes) {
      const options = { method, url, headers: json, payload };
      await expectError(app, options, 413, /^body: expected at most 131072 bytes, got more\.$/);
    }
  });
});

describe("Prefer: return=minimal", () => {
  test.each<[name: string, options: InjectOptions, status: number]>([
    ["POST", { method: "POST", url: "/api/todos", payload: { title: "c" } }, 201],
    ["PATCH", { method: "PATCH", url: "/api/todos/1", payload: { completed: true } }, 200],
    ["DELETE", { method: "DELETE", url: "/api/todos/1" }, 200],
  ])("%s returns {success: true} with the same status", async (_name, options, status) => {
    const response = await (await appWithTwo()).inject({ ...options, headers: minimal });
    expect(response.statusCode).toBe(status);
    expect(response.json()).toEqual({ success: true });
    expect(response.headers["preference-applied"]).toBe("return=minimal");
    expect(response.headers.vary).toBe("Prefer");
  });

  test("has no influence on the stored items", async () => {
    const app = await appWithTwo();
    await post(app, { title: "c" }, minimal);
    await app.inject({
      method: "PATCH",
      url: "/api/todos/3",
      payload: { completed: 1 },
      headers: minimal,
    });
    await app.inject({ method: "DELETE", url: "/api/todos/1", headers: minimal });
    expect(await listOf(app)).toEqual([
      { id: 2, title: "b", completed: false },
      { id: 3, title: "c", completed: true },
    ]);
  });

  test("does not affect the list or errors", async () => {
    const app = await appWithTwo();
    const list = await app.inject({ url: "/api/todos", headers: minimal });
    expect(list.json()).toHaveLength(2);
    expect(list.headers).not.toHaveProperty("preference-applied");
    const error = await expectError(
      app,
      { method: "POST", url: "/api/todos", payload: {}, headers: minimal },
      400,
      /^title/,
    );
    expect(error.headers).not.toHaveProperty("preference-applied");
  });

  test("is the only preference with an effect", async () => {
    const response = await post(appOver(), { title: "a" }, { prefer: "respond-async, wait=1" });
    expect(response.json()).toEqual({ id: 1, title: "a", completed: false });
    expect(response.headers).not.toHaveProperty("preference-applied");
  });
});

describe("unknown methods and paths of /api/todos", () => {
  test.each([
    ["PUT", "/api/todos", "GET, HEAD, POST"],
    ["PATCH", "/api/todos", "GET, HEAD, POST"],
    ["PUT", "/api/todos/", "GET, HEAD, POST"],
    ["GET", "/api/todos/1", "PATCH, DELETE"],
    ["PUT", "/api/todos/1?x=/y", "PATCH, DELETE"],
    ["POST", "/api/todos/%31", "PATCH, DELETE"],
  ] as const)("return 405 with Allow for %s %s", async (method, url, allow) => {
    const app = await appWithTwo();
    const response = await expectError(app, { method, url }, 405, `, got ${method}\\.$`);
    expect(response.headers.allow).toBe(allow);
  });

  test("return 405 without a body for HEAD of one item", async () => {
    const response = await (await appWithTwo()).inject({ method: "HEAD", url: "/api/todos/1" });
    expect([response.statusCode, response.body]).toEqual([405, ""]);
    expect(response.headers.allow).toBe("PATCH, DELETE");
  });

  test("return 405 regardless of the body", async () => {
    const app = await appWithTwo();
    const bodies = [
      { headers: json, payload: "{" },
      { headers: { "content-type": "text/plain" }, payload: "x" },
      { headers: json, payload: "x".repeat(200_000) },
    ];
    for (const body of bodies) {
      await expectError(app, { ...body, method: "PUT", url: "/api/todos" }, 405, /got PUT\.$/);
    }
  });

  test.each([
    ["GET", "/api/todos/1/items"],
    ["POST", "/api/todos/1/items"],
  ] as const)("return 404 for %s %s", async (method, url) => {
    await expectError(
      await appWithTwo(),
      { method, url },
      404,
      /^There is nothing at \w+ \/api\/todos\/1\/items\. GET \/docs describes all paths\.$/,
    );
  });

  test("return errors in OpenAI's format outside /api/todos", async () => {
    for (const url of ["/apitodos", "/ap", "/nowhere"]) {
      expect((await appOver().inject(url)).json()).toMatchObject({ error: { code: "not_found" } });
    }
  });

  test("return 400 in the service's own format, with CORS, if the path cannot be decoded", async () => {
    const response = await appOver().inject("/api/todos/%");
    expect(response.statusCode).toBe(400);
    expect(response.json()).toEqual({ error: expect.any(String) });
    expect(response.headers["access-control-allow-origin"]).toBe("*");
  });

  test("do not include paths with a trailing or repeated slash", async () => {
    const app = await appWithTwo();
    for (const url of ["/api/todos/", "/api//todos"]) {
      expect((await app.inject(url)).json()).toHaveLength(2);
    }
    expect((await app.inject({ method: "DELETE", url: "/api/todos/1/" })).statusCode).toBe(200);
  });
});

describe("server errors of /api/todos", () => {
  const failing = (error: unknown): Todos => ({
    list: () => [],
    readPage: async () => ({ items: [], next: undefined }),
    find: () => {
      throw error;
    },
    create: () => Promise.reject(error),
    change: () => Promise.reject(error),
    remove: () => Promise.reject(error),
  });

  test.each<[name: string, error: unknown, status: number, message: RegExp]>([
    [
      "a failed write",
      new GgufdError("internal_error", "The change could not be stored.", {
        cause: new Error("ENOSPC /secret"),
      }),
      500,
      /^The change could not be stored\.$/,
    ],
    ["a full disk", new GgufdError("storage_full", "Full."), 507, /^Full\.$/],
    ["unavailable storage", new GgufdError("storage_unavailable", "Closed."), 503, /^Closed\.$/],
    ["shutdown", new GgufdError("shutting_down", "Shutting down."), 503, /^Shutting down\.$/],
    [
      "an unexpected error",
      new TypeError("secret"),
      500,
      /^The server failed to answer this request\.$/,
    ],
    [
      "an unexpected error with a status",
      Object.assign(new Error("x"), { statusCode: 502 }),
      500,
      /^The/,
    ],
    ["a thrown non-error", "secret", 500, /^The server failed to answer this request\.$/],
  ])("report %s without internals", async (_name, error, status, message) => {
    const app = appOver(failing(error));
    const requests: InjectOptions[] = [
      { method: "POST", url: "/api/todos", payload: { title: "a" } },
      { method: "PATCH", url: "/api/todos/1", payload: { completed: true } },
      { method: "DELETE", url: "/api/todos/1" },
    ];
    for (const options of requests) {
      const { body } = await expectError(app, options, status, message);
      expect(body).not.toContain("secret");
    }
  });

  const cause = new Error("the disk's own words");
  test.each([
    cause,
    new GgufdError("storage_full", "Full.", { cause }),
    new GgufdError("storage_unavailable", "Closed.", { cause }),
  ])("are logged with their cause, unlike client errors: %s", async (error) => {
    const lines: string[] = [];
    const logger = pino({ level: "warn" }, { write: (line) => lines.push(line) });
    const { app } = buildLoadingApp({ todos: failing(error), logger });
    onTestFinished(() => app.close());
    await post(app, {});
    await app.inject({ method: "PUT", url: "/api/todos" });
    expect(lines).toEqual([]);
    await post(app, { title: "a" });
    expect(lines.join()).toContain("the disk's own words");
  });

  test("have Retry-After if the error has a retry time", async () => {
    const busy = new GgufdError("shutting_down", "Shutting down.", { retryAfterSeconds: 5 });
    const response = await post(appOver(failing(busy)), { title: "a" });
    expect(response.headers["retry-after"]).toBe("5");
  });
});

test("any JSON body of /api/todos results in a success or a client error", async () => {
  const app = await appWithTwo();
  const field = fc.constantFrom("title", "completed", "id", "__proto__", "constructor", "x");
  const body = fc.oneof(
    fc.json(),
    fc.dictionary(field, fc.jsonValue()).map((o) => JSON.stringify(o)),
  );
  const route = fc.constantFrom(["POST", "/api/todos"], ["PATCH", "/api/todos/1"]);
  await fc.assert(
    fc.asyncProperty(route, body, async ([method, url], payload) => {
      const options = { method: method as "POST", url, headers: json, payload };
      const response = await app.inject(options);
      expect([200, 201, 400]).toContain(response.statusCode);
      if (response.statusCode === 400) {
        expect(response.json()).toEqual({ error: expect.any(String) });
      }
    }),
  );
});

describe("/api/todos over a socket with a file", () => {
  async function listening(): Promise<{ url: string; path: string }> {
    const folder = await mkdtemp(join(tmpdir(), "ggufd-todos-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, "todos.json");
    const app = appOver(await openTodoStore(path));
    await app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = app.server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}/api/todos`, path };
  }

  test("stores every acknowledged item of concurrent clients under a unique id", async () => {
    const { url, path } = await listening();
    const titles = Array.from({ length: 100 }, (_, n) => `todo ${n}`);
    const answers = await Promise.all(
      titles.map(async (title) => {
        const response = await fetch(url, {
          method: "POST",
          headers: json,
          body: JSON.stringify({ title }),
        });
        return [response.status, (await response.json()) as Todo] as const;
      }),
    );
    const { items } = JSON.parse(await readFile(path, "utf8"));
    for (const [index, [status, todo]] of answers.entries()) {
      expect(status).toBe(201);
      expect(todo.title).toBe(titles[index]);
      expect(items).toContainEqual(expect.objectContaining(todo));
    }
    expect(new Set(items.map(({ id }: { id: number }) => id)).size).toBe(100);
  });

  test("returns 413 for a body without a declared length once it exceeds the limit", async () => {
    const { url } = await listening();
    const status = await new Promise((resolve, reject) => {
      const request = httpRequest(url, { method: "POST", headers: json }, (response) => {
        resolve(response.statusCode);
        request.destroy();
      });
      request.on("error", reject);
      request.write(" ".repeat(maxBodyBytes + 1));
    });
    expect(status).toBe(413);
  });
});
