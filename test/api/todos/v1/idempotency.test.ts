import type { FastifyInstance } from "fastify";
import { describe, expect, test } from "vitest";
import { storeInMemory } from "../../../support/store-in-memory.js";
import { allItems, create, expectError, JSON_TYPE, todosApp } from "./todos-app.js";

const key = { "idempotency-key": "key-1" };
const replayed = "idempotent-replayed";

const post = (app: FastifyInstance, payload: string, headers: Record<string, string> = key) =>
  app.inject({ method: "POST", url: "/v1/todos", headers: { ...JSON_TYPE, ...headers }, payload });

describe("Idempotency-Key", () => {
  test("replays the first response for the same key and body without creating an item", async () => {
    const app = todosApp();
    const first = await create(app, { title: "a" }, key);
    expect(first.statusCode).toBe(201);
    expect(first.headers).not.toHaveProperty(replayed);
    const second = await create(app, { title: "a" }, key);
    expect(second.statusCode).toBe(201);
    expect(second.headers[replayed]).toBe("true");
    expect(second.body).toBe(first.body);
    for (const name of ["location", "etag", "content-type", "cache-control"]) {
      expect(second.headers[name]).toBe(first.headers[name]);
    }
    expect(await allItems(app)).toHaveLength(1);
  });

  test("replays the first response even after the item was changed or deleted", async () => {
    const app = todosApp();
    const first = await create(app, { title: "a" }, key);
    await app.inject({ method: "PATCH", url: "/v1/todos/1", payload: { title: "b" } });
    expect((await create(app, { title: "a" }, key)).body).toBe(first.body);
    await app.inject({ method: "DELETE", url: "/v1/todos/1" });
    const last = await create(app, { title: "a" }, key);
    expect([last.body, last.headers.etag]).toEqual([first.body, first.headers.etag]);
    expect(await allItems(app)).toEqual([]);
  });

  test("treats requests that differ in field order, white space or ignored fields as equal", async () => {
    const app = todosApp();
    await post(app, '{"title":"a"}');
    const others = [
      '{ "completed": false, "title": "\\u0061" }',
      '{"id":7,"title":"a","created_at":"now"}',
    ];
    for (const payload of others) {
      expect((await post(app, payload)).headers[replayed]).toBe("true");
    }
  });

  test.each(['{"title":"b"}', '{"title":"a","completed":true}', '{"title":"a "}'])(
    "returns 409 for a different request with the same key: %s",
    async (payload) => {
      const app = todosApp();
      await post(app, '{"title":"a"}');
      await expectError(
        app,
        { method: "POST", url: "/v1/todos", headers: { ...JSON_TYPE, ...key }, payload },
        { status: 409, code: "IDEMPOTENCY_KEY_REUSED" },
      );
    },
  );

  test("creates one item for concurrent requests with the same key", async () => {
    const app = todosApp();
    const answers = await Promise.all([1, 2, 3].map(() => create(app, { title: "a" }, key)));
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(answers.filter(({ headers }) => replayed in headers)).toHaveLength(2);
    expect(await allItems(app)).toHaveLength(1);
  });

  test("creates an item for each different key and for each request without a key", async () => {
    const app = todosApp();
    for (const headers of [key, { "idempotency-key": "Key-1" }, {}, {}]) {
      await create(app, { title: "a" }, headers);
    }
    expect(await allItems(app)).toHaveLength(4);
  });

  test("is scoped to the API key", async () => {
    const app = todosApp(storeInMemory(), { keyLines: ["a name=alice", "b name=bob"] });
    const of = (apiKey: string) => ({ ...key, "x-api-key": apiKey });
    const alices = await create(app, { title: "a" }, of("a"));
    const bobs = await create(app, { title: "a" }, of("b"));
    expect([bobs.statusCode, replayed in bobs.headers]).toEqual([201, false]);
    expect(bobs.json().id).not.toBe(alices.json().id);
    expect((await create(app, { title: "a" }, of("a"))).body).toBe(alices.body);
    const again = await create(app, { title: "a" }, of("b"));
    expect([again.body, replayed in again.headers]).toEqual([bobs.body, true]);
    expect((await create(app, { title: "other" }, of("b"))).statusCode).toBe(409);
    expect(await allItems(app)).toHaveLength(2);
  });

  test("can be reused after a rejected request", async () => {
    const app = todosApp();
    expect((await create(app, { title: "" }, key)).statusCode).toBe(422);
    const response = await create(app, { title: "a" }, key);
    expect([response.statusCode, replayed in response.headers]).toEqual([201, false]);
  });

  test("can be reused after a request that could not be stored", async () => {
    let fails = true;
    const persist = () => (fails ? Promise.reject(new Error("broken")) : Promise.resolve());
    const app = todosApp(storeInMemory({ persist }));
    expect((await create(app, { title: "a" }, key)).statusCode).toBe(500);
    fails = false;
    const response = await create(app, { title: "a" }, key);
    expect([response.statusCode, replayed in response.headers]).toEqual([201, false]);
  });

  test.each(["!", "~", "x".repeat(255), '"quoted"', "a,b"])("may be $0", async (value) => {
    const response = await create(todosApp(), { title: "a" }, { "idempotency-key": value });
    expect(response.statusCode).toBe(201);
  });

  test.each(["", " ", "a b", "x".repeat(256), "\u00e9", "a\tb"])(
    "is rejected if it is $0",
    async (value) => {
      await expectError(
        todosApp(),
        {
          method: "POST",
          url: "/v1/todos",
          headers: { "idempotency-key": value },
          payload: { title: "a" },
        },
        { status: 422, code: "VALIDATION_FAILED", fields: ["idempotency-key"] },
      );
    },
  );
});
