import type { FastifyInstance } from "fastify";
import { describe, expect, test } from "vitest";
import { create, expectError, todosApp, todosAppWith } from "./todos-app.js";

const tagOf = async (app: FastifyInstance, url: string): Promise<string> =>
  String((await app.inject(url)).headers.etag);

const urls = ["/v1/todos/1", "/v1/todos", "/v1/todos?limit=1&sort=-id", "/v1/todos?title=b"];

describe("entity tags", () => {
  test.each(urls)("are strong and change only with the response: %s", async (url) => {
    const app = await todosAppWith(["a", "b"]);
    const tag = await tagOf(app, url);
    expect(tag).toMatch(/^"[\x21\x23-\x7e]+"$/);
    expect(await tagOf(app, url)).toBe(tag);
    for (const id of [1, 2]) {
      const payload = { completed: true };
      await app.inject({ method: "PATCH", url: `/v1/todos/${id}`, payload });
    }
    expect(await tagOf(app, url)).not.toBe(tag);
  });

  test("of created and changed items match the item", async () => {
    const app = todosApp();
    const created = await create(app, { title: "a" });
    expect(created.headers.etag).toBe(await tagOf(app, "/v1/todos/1"));
    const requests = [
      { method: "PUT", url: "/v1/todos/1", payload: { title: "b", completed: true } },
      { method: "PATCH", url: "/v1/todos/1", payload: { title: "c" } },
    ] as const;
    for (const request of requests) {
      const changed = await app.inject(request);
      expect(changed.headers.etag).toBe(await tagOf(app, "/v1/todos/1"));
      expect(changed.headers["cache-control"]).toBe("no-cache");
    }
  });
});

describe("If-None-Match", () => {
  const revalidate = (
    app: FastifyInstance,
    url: string,
    header: string,
    method: "GET" | "HEAD" = "GET",
  ) => app.inject({ method, url, headers: { "if-none-match": header } });

  test.each(urls)("returns 304 without a body for a current copy: %s", async (url) => {
    const app = await todosAppWith(["a", "b"]);
    const tag = await tagOf(app, url);
    for (const header of [tag, `W/${tag}`, `"x", ${tag}`, "*"]) {
      for (const method of ["GET", "HEAD"] as const) {
        const response = await revalidate(app, url, header, method);
        expect([response.statusCode, response.body]).toEqual([304, ""]);
        expect(response.headers.etag).toBe(tag);
        expect(response.headers["cache-control"]).toBe("no-cache");
        expect(response.headers).not.toHaveProperty("content-type");
      }
    }
  });

  test("returns 200 for a stale copy", async () => {
    const app = await todosAppWith(["a"]);
    const response = await revalidate(app, "/v1/todos/1", '"x", W/"y"');
    expect(response.json()).toMatchObject({ id: 1 });
  });

  test("returns 404 for an item that does not exist, even with a cached copy", async () => {
    expect((await revalidate(todosApp(), "/v1/todos/1", "*")).statusCode).toBe(404);
  });

  test.each(["x", "", '"a'])("returns 400 for %j, which is not a list of tags", async (header) => {
    await expectError(
      await todosAppWith(["a"]),
      { url: "/v1/todos/1", headers: { "if-none-match": header } },
      { status: 400, code: "INVALID_REQUEST", fields: ["if-none-match"] },
    );
  });

  test("returns 409 for a change of an item that has one of the tags", async () => {
    const app = await todosAppWith(["a"]);
    for (const header of ["*", `W/${await tagOf(app, "/v1/todos/1")}`]) {
      const headers = { "if-none-match": header };
      await expectError(
        app,
        { method: "PATCH", url: "/v1/todos/1", headers, payload: { title: "b" } },
        { status: 409, code: "ETAG_MISMATCH", fields: ["if-none-match"] },
      );
    }
  });
});

describe("If-Match", () => {
  const changes = [
    { method: "PUT", payload: { title: "b", completed: true } },
    { method: "PATCH", payload: { completed: true } },
    { method: "DELETE" },
  ] as const;

  test.each(changes)("accepts $method with the current tag", async (change) => {
    for (const header of [(tag: string) => tag, (tag: string) => `"x", ${tag}`, () => "*"]) {
      const app = await todosAppWith(["a"]);
      const headers = { "if-match": header(await tagOf(app, "/v1/todos/1")) };
      const response = await app.inject({ ...change, url: "/v1/todos/1", headers });
      expect(response.statusCode).toBe(change.method === "DELETE" ? 204 : 200);
    }
  });

  test.each(changes)(
    "returns 409 for $method with a stale, weak or unknown tag",
    async (change) => {
      const app = await todosAppWith(["a"]);
      const stale = await tagOf(app, "/v1/todos/1");
      await app.inject({ method: "PATCH", url: "/v1/todos/1", payload: { title: "other" } });
      const current = await tagOf(app, "/v1/todos/1");
      for (const header of [stale, `W/${current}`, '"x"', '""']) {
        const headers = { "if-match": header };
        await expectError(
          app,
          { ...change, url: "/v1/todos/1", headers },
          { status: 409, code: "ETAG_MISMATCH", fields: ["if-match"] },
        );
      }
    },
  );

  test.each(changes)("returns 404 for $method of an item that does not exist", async (change) => {
    for (const header of ['"x"', "*"]) {
      await expectError(
        todosApp(),
        { ...change, url: "/v1/todos/1", headers: { "if-match": header } },
        { status: 404, code: "NOT_FOUND" },
      );
    }
  });

  test.each(changes)("returns 400 for $method with a malformed list of tags", async (change) => {
    const app = await todosAppWith(["a"]);
    for (const header of ["x", "", '"a" "b"', '*, "a"', '"a']) {
      await expectError(
        app,
        { ...change, url: "/v1/todos/1", headers: { "if-match": header } },
        { status: 400, code: "INVALID_REQUEST", fields: ["if-match"] },
      );
    }
  });

  test("allows exactly one of several concurrent changes with the same tag", async () => {
    const app = await todosAppWith(["a"]);
    const headers = { "if-match": await tagOf(app, "/v1/todos/1") };
    const answers = await Promise.all(
      ["b", "c", "d"].map((title) =>
        app.inject({ method: "PATCH", url: "/v1/todos/1", headers, payload: { title } }),
      ),
    );
    const statuses = answers.map(({ statusCode }) => statusCode);
    expect(statuses.toSorted()).toEqual([200, 409, 409]);
    const winner = answers[statuses.indexOf(200)];
    expect((await app.inject("/v1/todos/1")).body).toBe(winner?.body);
  });

  test("returns the current tag in the error, so that the client can retry", async () => {
    const app = await todosAppWith(["a"]);
    const headers = { "if-match": '"x"' };
    const response = await app.inject({ method: "DELETE", url: "/v1/todos/1", headers });
    expect(response.json().error.message).toContain(await tagOf(app, "/v1/todos/1"));
  });
});
