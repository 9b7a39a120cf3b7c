import { describe, expect, test } from "vitest";
import { todosApp, todosAppWith } from "./v1/todos-app.js";

/** Specification, section 4, rule 4. */
describe("/todos", () => {
  test("lists the same items as /api/todos", async () => {
    const app = await todosAppWith(["a", "b"]);
    const response = await app.inject("/todos");
    expect(response.statusCode).toBe(200);
    expect(response.body).toBe((await app.inject("/api/todos")).body);
  });

  test("returns {success: true} for changes, with 201 for POST", async () => {
    const app = todosApp();
    const changes = [
      { method: "POST", url: "/todos", payload: { title: "a" } },
      { method: "PATCH", url: "/todos/1", payload: { completed: "yes" } },
      { method: "DELETE", url: "/todos/1" },
    ] as const;
    for (const change of changes) {
      const response = await app.inject(change);
      expect(response.statusCode).toBe(change.method === "POST" ? 201 : 200);
      expect(response.json()).toEqual({ success: true });
      expect(response.headers).not.toHaveProperty("location");
    }
  });

  test("has the same effect as /api/todos", async () => {
    const app = todosApp();
    for (const title of ["a", "b"]) {
      await app.inject({ method: "POST", url: "/todos", payload: { title, extra: 1 } });
    }
    await app.inject({ method: "PATCH", url: "/todos/2", payload: { completed: 1 } });
    await app.inject({ method: "DELETE", url: "/todos/1" });
    expect((await app.inject("/todos")).json()).toEqual([{ id: 2, title: "b", completed: true }]);
  });

  test("ignores the Prefer header", async () => {
    const request = { method: "POST", url: "/todos", payload: { title: "a" } } as const;
    for (const prefer of ["return=minimal", "return=representation"]) {
      const response = await todosApp().inject({ ...request, headers: { prefer } });
      expect(response.json()).toEqual({ success: true });
      expect(response.headers).not.toHaveProperty("preference-applied");
      expect(response.headers.vary).not.toContain("Prefer");
    }
  });

  test.each([
    [{ method: "POST", url: "/todos", payload: {} }, 400],
    [{ method: "POST", url: "/todos", payload: { title: " " } }, 400],
    [{ method: "PATCH", url: "/todos/1", payload: {} }, 400],
    [{ method: "PATCH", url: "/todos/x", payload: { completed: true } }, 400],
    [{ method: "DELETE", url: "/todos/9" }, 404],
    [{ method: "GET", url: "/todos/1" }, 405],
    [{ method: "PUT", url: "/todos" }, 405],
    [{ method: "GET", url: "/todos/1/x" }, 404],
    [{ method: "GET", url: "/todos/%" }, 400],
  ] as const)("for %j returns status %d with only an error message", async (request, status) => {
    const response = await (await todosAppWith(["a"])).inject(request);
    expect(response.statusCode).toBe(status);
    expect(response.json()).toEqual({ error: expect.any(String) });
  });

  test("requires no key, like /api/todos", async () => {
    const app = todosApp(undefined, { apiKeys: ["k"], readOnlyApiKeys: ["r"] });
    const request = { method: "POST", url: "/todos", payload: { title: "a" } } as const;
    expect((await app.inject(request)).statusCode).toBe(201);
  });
});
