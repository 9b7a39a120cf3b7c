import type { FastifyInstance } from "fastify";
import { describe, expect, test } from "vitest";
import { storeInMemory } from "../../../support/store-in-memory.js";
import { create, expectError, JSON_TYPE, todosApp, todosAppWith } from "./todos-app.js";

const put = (app: FastifyInstance, payload: object, url = "/v1/todos/1") =>
  app.inject({ method: "PUT", url, payload });
const patch = (app: FastifyInstance, payload: object, url = "/v1/todos/1") =>
  app.inject({ method: "PATCH", url, payload });

/** A clock that advances by one second at each reading. */
function ticking(): () => number {
  let seconds = 0;
  return () => Date.UTC(2026, 0, 1, 0, 0, seconds++);
}

describe("POST /v1/todos", () => {
  test("returns 201 with the created item and its Location", async () => {
    const app = todosApp(storeInMemory({ clock: ticking() }));
    const response = await create(app, { title: "milk" });
    expect(response.statusCode).toBe(201);
    expect(response.headers.location).toBe("/v1/todos/1");
    expect(response.headers["cache-control"]).toBe("no-cache");
    expect(response.json()).toEqual({
      id: 1,
      title: "milk",
      completed: false,
      created_at: expect.stringMatching(/^2026-01-01T00:00:0\d\.000Z$/),
      updated_at: response.json().created_at,
    });
    const { location } = (await create(app, { title: "tea", completed: true })).headers;
    expect((await app.inject(String(location))).json()).toMatchObject({ id: 2, completed: true });
  });

  test("stores a title verbatim", async () => {
    const title = `  e\u0301 \u{1F469}\u200D\u{1F680} \uD800 ${"x".repeat(9000)}\n`;
    expect((await create(todosApp(), { title })).json()).toMatchObject({ title });
  });

  test("accepts the longest title even if escaped", async () => {
    const payload = `{"title":"${"\\ud83d\\ude00".repeat(10_000)}"}`;
    const request = { method: "POST", url: "/v1/todos", headers: JSON_TYPE, payload } as const;
    expect((await todosApp().inject(request)).statusCode).toBe(201);
  });

  test.each<[name: string, body: object | null, fields: string[]]>([
    ["no title", {}, ["title"]],
    ["an empty title", { title: "" }, ["title"]],
    ["a title of white space", { title: " \n\u00a0" }, ["title"]],
    ["a title that is not a string", { title: 7 }, ["title"]],
    ["a title above 10,000 characters", { title: "x".repeat(10_001) }, ["title"]],
    ["truthy completed", { title: "a", completed: 1 }, ["completed"]],
    ["completed as a string", { title: "a", completed: "true" }, ["completed"]],
    ["completed null", { title: "a", completed: null }, ["completed"]],
    ["both invalid", { title: 1, completed: 2 }, ["title", "completed"]],
    ["unknown fields", { title: "a", titel: "b", done: true }, ["titel", "done"]],
    ["an array", [], ["body"]],
    ["null", null, ["body"]],
  ])("returns 422 for %s", async (_name, body, fields) => {
    const payload = JSON.stringify(body);
    await expectError(
      await todosAppWith(["a"]),
      { method: "POST", url: "/v1/todos", headers: JSON_TYPE, payload },
      { status: 422, code: "VALIDATION_FAILED", fields },
    );
  });

  test("rejects fields named like prototype properties as unknown fields", async () => {
    await expectError(
      todosApp(),
      {
        method: "POST",
        url: "/v1/todos",
        headers: JSON_TYPE,
        payload: '{"title":"a","__proto__":{"title":"b"},"constructor":1}',
      },
      { status: 422, code: "VALIDATION_FAILED", fields: ["__proto__", "constructor"] },
    );
  });

  test("reports the expected and the received value in errors", async () => {
    const response = await create(todosApp(), { title: 7, x: 1 });
    expect(response.json().error).toMatchObject({
      message:
        "title: expected a string of 1 to 10000 characters, not only white space, got 7; " +
        "x: expected no such field, got 1.",
      details: [
        {
          field: "title",
          reason: "expected a string of 1 to 10000 characters, not only white space, got 7",
        },
        { field: "x", reason: "expected no such field, got 1" },
      ],
    });
  });
});

describe("GET /v1/todos/{id}", () => {
  test("returns 200 with the item", async () => {
    const response = await (await todosAppWith(["a", "b"])).inject("/v1/todos/2");
    expect(response.statusCode).toBe(200);
    expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(response.json()).toMatchObject({ id: 2, title: "b", completed: false });
  });

  test("returns the same headers and no body for HEAD", async () => {
    const app = await todosAppWith(["a"]);
    const get = await app.inject("/v1/todos/1");
    const head = await app.inject({ method: "HEAD", url: "/v1/todos/1" });
    expect([head.statusCode, head.body]).toEqual([200, ""]);
    for (const name of ["etag", "content-type", "content-length", "cache-control"]) {
      expect(head.headers[name]).toBe(get.headers[name]);
    }
  });
});

describe("PUT /v1/todos/{id}", () => {
  test("returns 200 with the new item, which keeps its id and created_at", async () => {
    const app = todosApp(storeInMemory({ clock: ticking() }));
    const created = (await create(app, { title: "a" })).json();
    const response = await put(app, { title: "b", completed: true });
    expect(response.statusCode).toBe(200);
    const { updated_at, ...otherFields } = response.json();
    expect(otherFields).toEqual({
      id: 1,
      title: "b",
      completed: true,
      created_at: created.created_at,
    });
    expect(updated_at > created.updated_at).toBe(true);
    expect((await app.inject("/v1/todos/1")).body).toBe(response.body);
  });

  test("accepts an item as returned, and ignores the fields that the service sets", async () => {
    const app = await todosAppWith(["a"]);
    const item = (await app.inject("/v1/todos/1")).json();
    const response = await put(app, { ...item, id: 99, created_at: "never", title: "b" });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ id: 1, title: "b", created_at: item.created_at });
  });

  test.each<[object, string[]]>([
    [{ title: "b" }, ["completed"]],
    [{ completed: true }, ["title"]],
    [{}, ["title", "completed"]],
    [{ title: "b", completed: true, note: "" }, ["note"]],
    [{ title: " ", completed: 0 }, ["title", "completed"]],
  ])("returns 422 for %j, because a replacement requires both fields", async (payload, fields) => {
    await expectError(
      await todosAppWith(["a"]),
      { method: "PUT", url: "/v1/todos/1", payload },
      { status: 422, code: "VALIDATION_FAILED", fields },
    );
  });
});

describe("PATCH /v1/todos/{id}", () => {
  test.each<[object, object]>([
    [{ title: "b" }, { title: "b", completed: false }],
    [{ completed: true }, { title: "a", completed: true }],
    [
      { title: "b", completed: true },
      { title: "b", completed: true },
    ],
    [
      { title: "b", id: 7, updated_at: null },
      { id: 1, title: "b" },
    ],
  ])("returns 200 for %j and changes only the given fields", async (change, expected) => {
    const app = await todosAppWith(["a"]);
    const response = await patch(app, change);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject(expected);
    expect((await app.inject("/v1/todos/1")).body).toBe(response.body);
  });

  test.each<[object, string[]]>([
    [{}, ["body"]],
    [{ id: 1 }, ["body"]],
    [{ title: null }, ["title"]],
    [{ completed: "yes" }, ["completed"]],
    [{ Completed: true }, ["Completed", "body"]],
    [[], ["body"]],
  ])("returns 422 for %j", async (payload, fields) => {
    await expectError(
      await todosAppWith(["a"]),
      { method: "PATCH", url: "/v1/todos/1", payload },
      { status: 422, code: "VALIDATION_FAILED", fields },
    );
  });
});

describe("DELETE /v1/todos/{id}", () => {
  test("returns 204 without a body and deletes the item", async () => {
    const app = await todosAppWith(["a", "b"]);
    const response = await app.inject({ method: "DELETE", url: "/v1/todos/1" });
    expect([response.statusCode, response.body]).toEqual([204, ""]);
    expect(response.headers).not.toHaveProperty("content-type");
    expect((await app.inject("/v1/todos/1")).statusCode).toBe(404);
    expect((await app.inject("/v1/todos/2")).statusCode).toBe(200);
  });
});

describe("the id in a path", () => {
  const requests = (id: string) =>
    [
      { method: "GET", url: `/v1/todos/${id}` },
      { method: "PUT", url: `/v1/todos/${id}`, payload: { title: "b", completed: true } },
      { method: "PATCH", url: `/v1/todos/${id}`, payload: { title: "b" } },
      { method: "DELETE", url: `/v1/todos/${id}` },
    ] as const;

  test.each(["0", "-1", "1.0", "1e0", "a", "%20", "9007199254740992", "1%00"])(
    "returns 422 for %s",
    async (id) => {
      const app = await todosAppWith(["a"]);
      for (const request of requests(id)) {
        await expectError(app, request, {
          status: 422,
          code: "VALIDATION_FAILED",
          fields: ["id"],
        });
      }
    },
  );

  test("returns 404 if no item has the id", async () => {
    const app = await todosAppWith(["a"]);
    for (const request of requests("2")) {
      await expectError(app, request, { status: 404, code: "NOT_FOUND" });
    }
  });

  test("ignores leading zeros, trailing slashes and repeated slashes", async () => {
    const app = await todosAppWith(["a"]);
    for (const url of ["/v1/todos/001", "/v1/todos/1/", "/v1//todos/1"]) {
      expect((await app.inject(url)).json()).toMatchObject({ id: 1 });
    }
  });
});

test("/v1/todos and /api/todos share the same items", async () => {
  const app = await todosAppWith(["a"]);
  await app.inject({ method: "POST", url: "/api/todos", payload: { title: "b" } });
  await patch(app, { completed: true }, "/v1/todos/2");
  expect((await app.inject("/api/todos")).json()).toEqual([
    { id: 1, title: "a", completed: false },
    { id: 2, title: "b", completed: true },
  ]);
});
