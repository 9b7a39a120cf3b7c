import type { InjectOptions } from "fastify";
import { pino } from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { maxBodyBytes } from "../../../../src/api/todos/schema.js";
import { errorCatalogue, GgufdError } from "../../../../src/core/errors.js";
import type { Todos } from "../../../../src/todos/todo.js";
import { buildLoadingApp } from "../../../support/test-app.js";
import { allItems, create, expectError, JSON_TYPE, todosApp, todosAppWith } from "./todos-app.js";

const writes = [
  { method: "POST", url: "/v1/todos" },
  { method: "PUT", url: "/v1/todos/1" },
  { method: "PATCH", url: "/v1/todos/1" },
] as const;

describe("a body that cannot be parsed is rejected", () => {
  const cases: readonly [string, Pick<InjectOptions, "headers" | "payload">, number, string][] = [
    ["no body", {}, 400, "INVALID_REQUEST"],
    ["an empty body", { headers: JSON_TYPE, payload: "" }, 400, "INVALID_REQUEST"],
    ["truncated JSON", { headers: JSON_TYPE, payload: '{"title":' }, 400, "INVALID_JSON"],
    [
      "invalid UTF-8",
      { headers: JSON_TYPE, payload: Buffer.from([0x22, 0xff, 0x22]) },
      400,
      "INVALID_JSON",
    ],
    [
      "200 levels of nesting",
      { headers: JSON_TYPE, payload: "[".repeat(200) },
      400,
      "INVALID_JSON",
    ],
    [
      "no content type",
      { headers: { "content-type": "" }, payload: "{}" },
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    [
      "text",
      { headers: { "content-type": "text/plain" }, payload: "{}" },
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    [
      "a form",
      { headers: { "content-type": "application/x-www-form-urlencoded" }, payload: "title=a" },
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    [
      "more than 128 KiB",
      { headers: JSON_TYPE, payload: " ".repeat(maxBodyBytes + 1) },
      413,
      "PAYLOAD_TOO_LARGE",
    ],
  ];

  test.each(cases)("%s", async (_name, body, status, code) => {
    const app = await todosAppWith(["a"]);
    for (const write of writes) await expectError(app, { ...write, ...body }, { status, code });
  });
});

describe("unknown paths and methods of /v1/todos", () => {
  test.each([
    ["PUT", "/v1/todos", "GET, HEAD, POST"],
    ["PATCH", "/v1/todos/", "GET, HEAD, POST"],
    ["DELETE", "/v1/todos?limit=1", "GET, HEAD, POST"],
    ["POST", "/v1/todos/1", "GET, HEAD, PUT, PATCH, DELETE"],
  ] as const)("return 405 with Allow for %s %s", async (method, url, allow) => {
    const expected = { status: 405, code: "METHOD_NOT_ALLOWED" };
    const app = await todosAppWith(["a"]);
    const response = await expectError(app, { method, url }, expected);
    const list = (header: unknown) => String(header).split(", ").toSorted();
    expect(list(response.headers.allow)).toEqual(list(allow));
  });

  test.each(["/v1/todos/1/items", "/v1/todos/1/items/2"])("return 404 for %s", async (url) => {
    await expectError(await todosAppWith(["a"]), { url }, { status: 404, code: "NOT_FOUND" });
  });

  test("return 400 with CORS for a path that cannot be decoded", async () => {
    const expected = { status: 400, code: "INVALID_REQUEST" };
    const response = await expectError(todosApp(), { url: "/v1/todos/%E0%A4%A" }, expected);
    expect(response.headers["access-control-allow-origin"]).toBe("*");
  });

  test("return errors in OpenAI's format outside /v1/todos", async () => {
    for (const url of ["/v1/todosx", "/v1/nothing"]) {
      expect((await todosApp().inject(url)).json()).toMatchObject({ error: { code: "not_found" } });
    }
  });
});

describe("API keys of /v1/todos", () => {
  const app = () => todosApp(undefined, { apiKeys: ["full"], readOnlyApiKeys: ["reader"] });
  const paths = ["/v1/todos", "/v1/todos/1", "/v1/todos/x/y"];

  test("are required on every path", async () => {
    for (const url of paths) {
      await expectError(app(), { url }, { status: 401, code: "INVALID_API_KEY" });
    }
  });

  test("return 403 for a change with read-only access", async () => {
    const headers = { authorization: "Bearer reader" };
    for (const write of [...writes, { method: "DELETE", url: "/v1/todos/1" } as const]) {
      await expectError(app(), { ...write, headers }, { status: 403, code: "PERMISSION_DENIED" });
    }
  });

  test("allow reading with read-only access, and changes with full access", async () => {
    const { statusCode } = await app().inject({
      url: "/v1/todos",
      headers: { "x-api-key": "reader" },
    });
    expect(statusCode).toBe(200);
    expect((await create(app(), { title: "a" }, { "x-api-key": "full" })).statusCode).toBe(201);
  });
});

describe("storage errors of /v1/todos", () => {
  const failing = (error: unknown): Todos => {
    const fail = () => {
      throw error;
    };
    const reject = () => Promise.reject(error);
    return {
      list: () => [],
      readPage: fail,
      find: fail,
      create: reject,
      change: reject,
      remove: reject,
    };
  };
  const requests: readonly InjectOptions[] = [
    { url: "/v1/todos" },
    { url: "/v1/todos/1" },
    { method: "POST", url: "/v1/todos", payload: { title: "a" } },
    { method: "PUT", url: "/v1/todos/1", payload: { title: "a", completed: true } },
    { method: "PATCH", url: "/v1/todos/1", payload: { completed: true } },
    { method: "DELETE", url: "/v1/todos/1" },
  ];
  const codes = [
    "too_many_changes",
    "internal_error",
    "storage_unavailable",
    "shutting_down",
    "storage_full",
  ] as const;

  test.each(codes)("are returned with their status and Retry-After: %s", async (code) => {
    const app = todosApp(failing(new GgufdError(code, "Words.", { retryAfterSeconds: 3 })));
    const { status } = errorCatalogue[code];
    for (const request of requests) {
      const response = await expectError(app, request, { status, code: code.toUpperCase() });
      expect(response.headers["retry-after"]).toBe("3");
      expect(response.json().error).toMatchObject({ message: "Words.", details: [] });
    }
  });

  test("are reported without internals and logged if unexpected", async () => {
    const lines: string[] = [];
    const logger = pino({ level: "warn" }, { write: (line) => lines.push(line) });
    const { app } = buildLoadingApp({ todos: failing(new TypeError("secret")), logger });
    onTestFinished(() => app.close());
    for (const request of requests) {
      const response = await app.inject(request);
      expect([response.statusCode, response.json().error.code]).toEqual([500, "INTERNAL_ERROR"]);
      expect(response.body).not.toContain("secret");
    }
    expect(lines).toHaveLength(requests.length);
    expect(lines.join()).toContain("secret");
  });
});

test("/v1/todos is available while the model loads", async () => {
  const app = await todosAppWith(["a"]);
  expect((await app.inject("/v1/models")).statusCode).toBe(503);
  expect((await app.inject("/v1/todos")).statusCode).toBe(200);
  expect(await allItems(app)).toHaveLength(1);
});
