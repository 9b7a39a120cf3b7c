import type { FastifyInstance } from "fastify";
import { describe, expect, test } from "vitest";
import { storeInMemory } from "../../../support/store-in-memory.js";
import { create, expectError, todosApp, todosAppWith } from "./todos-app.js";

interface Page {
  readonly data: readonly { readonly id: number; readonly title: string }[];
  readonly pagination: { readonly next_cursor: string | null; readonly has_more: boolean };
}

async function page(app: FastifyInstance, query: Record<string, string> = {}): Promise<Page> {
  const response = await app.inject({ url: "/v1/todos", query });
  expect(response.statusCode).toBe(200);
  return response.json();
}

const idsOf = ({ data }: Page) => data.map(({ id }) => id);

/** The ids of all pages, in order; `between` runs between two pages. */
async function walk(
  app: FastifyInstance,
  query: Record<string, string>,
  between: (pages: number) => Promise<unknown> = async () => undefined,
): Promise<number[]> {
  const ids: number[] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    const current: Page = await page(app, cursor === null ? query : { ...query, cursor });
    ids.push(...idsOf(current));
    cursor = current.pagination.next_cursor;
    expect(current.pagination.has_more).toBe(cursor !== null);
    pages += 1;
    if (cursor !== null) await between(pages);
  } while (cursor !== null);
  return ids;
}

const remove = (app: FastifyInstance, id: number) =>
  app.inject({ method: "DELETE", url: `/v1/todos/${id}` });

const titles = (count: number) => Array.from({ length: count }, (_, n) => `todo ${n + 1}`);

describe("a page of items", () => {
  test("is empty and the last one if there are no items", async () => {
    expect(await page(todosApp())).toEqual({
      data: [],
      pagination: { next_cursor: null, has_more: false },
    });
  });

  test("has complete items", async () => {
    const app = await todosAppWith(["a"]);
    const item = (await app.inject("/v1/todos/1")).json();
    expect((await page(app)).data).toEqual([item]);
  });

  test("has 20 items by default and reports whether more follow", async () => {
    const app = await todosAppWith(titles(21));
    const first = await page(app);
    expect(first.data).toHaveLength(20);
    expect(first.pagination).toEqual({ next_cursor: expect.any(String), has_more: true });
    const second = await page(app, { cursor: String(first.pagination.next_cursor) });
    expect(idsOf(second)).toEqual([21]);
    expect(second.pagination).toEqual({ next_cursor: null, has_more: false });
  });

  test("is the last one if it is full but no items follow", async () => {
    const { pagination } = await page(await todosAppWith(titles(3)), { limit: "3" });
    expect(pagination).toEqual({ next_cursor: null, has_more: false });
  });

  test("may have a different limit from the previous page", async () => {
    const app = await todosAppWith(titles(5));
    const first = await page(app, { limit: "1" });
    const cursor = String(first.pagination.next_cursor);
    expect(idsOf(await page(app, { limit: "100", cursor }))).toEqual([2, 3, 4, 5]);
  });

  test.each(["0", "101", "-1", "1.5", "1e1", "", " 1", "ten", "0x10", "9".repeat(400)])(
    "cannot have the limit $0",
    async (limit) => {
      await expectError(
        todosApp(),
        { url: "/v1/todos", query: { limit } },
        { status: 422, code: "VALIDATION_FAILED", fields: ["limit"] },
      );
    },
  );
});

describe("the sort order", () => {
  const items = [
    { title: "b", completed: true },
    { title: "a", completed: false },
    { title: "c", completed: true },
    { title: "a", completed: true },
  ];

  async function appWithItems(): Promise<FastifyInstance> {
    let now = Date.UTC(2026, 0, 1);
    const app = todosApp(
      storeInMemory({
        clock: () => {
          now += 1000;
          return now;
        },
      }),
    );
    for (const item of items) await create(app, item);
    await app.inject({ method: "PATCH", url: "/v1/todos/2", payload: { completed: false } });
    return app;
  }

  test.each([
    ["id", [1, 2, 3, 4]],
    ["-id", [4, 3, 2, 1]],
    ["title", [2, 4, 1, 3]],
    ["-title", [3, 1, 2, 4]],
    ["completed", [2, 1, 3, 4]],
    ["-completed", [1, 3, 4, 2]],
    ["created_at", [1, 2, 3, 4]],
    ["-created_at", [4, 3, 2, 1]],
    ["updated_at", [1, 3, 4, 2]],
    ["-updated_at", [2, 4, 3, 1]],
    ["completed,-title", [2, 3, 1, 4]],
    ["-title,-id", [3, 1, 4, 2]],
    ["-completed,title,created_at", [4, 1, 3, 2]],
  ])("%s is the same on one page and across several pages", async (sort, expected) => {
    const app = await appWithItems();
    expect(idsOf(await page(app, { sort }))).toEqual(expected);
    expect(await walk(app, { sort, limit: "1" })).toEqual(expected);
    expect(await walk(app, { sort, limit: "3" })).toEqual(expected);
  });

  test.each(["", "name", "ID", "createdAt", "title,", ",id", "title,title", "id,-id", "--id"])(
    "is rejected if it is %j",
    async (sort) => {
      await expectError(
        todosApp(),
        { url: "/v1/todos", query: { sort } },
        { status: 422, code: "VALIDATION_FAILED", fields: ["sort"] },
      );
    },
  );
});

describe("query parameters of the list", () => {
  async function appWithItems(): Promise<FastifyInstance> {
    const app = await todosAppWith(["Buy milk", "drink MILK", "50% off", "Straße"]);
    await app.inject({ method: "PATCH", url: "/v1/todos/2", payload: { completed: true } });
    return app;
  }

  test.each<[Record<string, string>, number[]]>([
    [{ completed: "true" }, [2]],
    [{ completed: "false" }, [1, 3, 4]],
    [{ title: "milk" }, [1, 2]],
    [{ title: "%" }, [3]],
    [{ title: "STRA" }, [4]],
    [{ title: "." }, []],
    [{ title: " " }, [1, 2, 3]],
    [{ title: "milk", completed: "false" }, [1]],
  ])("filter items: %j", async (query, expected) => {
    const app = await appWithItems();
    expect(idsOf(await page(app, query))).toEqual(expected);
    expect(await walk(app, { ...query, limit: "1" })).toEqual(expected);
  });

  test.each<[Record<string, string>, string]>([
    [{ completed: "1" }, "completed"],
    [{ completed: "TRUE" }, "completed"],
    [{ completed: "" }, "completed"],
    [{ title: "" }, "title"],
    [{ titel: "milk" }, "titel"],
    [{ Title: "milk" }, "Title"],
    [{ id: "1" }, "id"],
    [{ offset: "1" }, "offset"],
    [JSON.parse('{"__proto__":"x"}'), "__proto__"],
  ])("are rejected if invalid or unknown: %j", async (query, field) => {
    const search = new URLSearchParams(Object.entries(query));
    await expectError(
      todosApp(),
      { url: `/v1/todos?${search}` },
      { status: 422, code: "VALIDATION_FAILED", fields: [field] },
    );
  });

  test.each([
    "limit=1&limit=2",
    "title=a&title=b",
    "completed=true&completed=true",
    "sort=id&sort=id",
  ])("cannot be repeated: %s", async (search) => {
    await expectError(
      todosApp(),
      { url: `/v1/todos?${search}` },
      { status: 422, code: "VALIDATION_FAILED", fields: [search.split("=", 1)[0] ?? ""] },
    );
  });

  test("are all reported at once if invalid", async () => {
    await expectError(
      todosApp(),
      { url: "/v1/todos?limit=0&sort=x&page=2" },
      { status: 422, code: "VALIDATION_FAILED", fields: ["limit", "sort", "page"] },
    );
  });
});

describe("cursors", () => {
  test.each(["id", "-id", "title", "-updated_at,title"])(
    "stay valid when items are created and deleted between pages, sorted by %s",
    async (sort) => {
      const app = await todosAppWith(titles(9));
      const seen = await walk(app, { sort, limit: "2" }, async (pages) => {
        if (pages === 1) for (const id of [1, 2, 5, 9]) await remove(app, id);
        if (pages === 2) await create(app, { title: "todo 0" });
      });
      const kept = [3, 4, 6, 7, 8];
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((id) => kept.includes(id)).toSorted()).toEqual(kept);
    },
  );

  test("continue after the last item of the page was deleted", async () => {
    const app = await todosAppWith(titles(4));
    const { pagination } = await page(app, { limit: "2" });
    await remove(app, 2);
    expect(idsOf(await page(app, { cursor: String(pagination.next_cursor) }))).toEqual([3, 4]);
  });

  test("are valid in another process with the same items", async () => {
    const first = await todosAppWith(titles(3));
    const second = await todosAppWith(titles(3));
    const { pagination } = await page(first, { limit: "2" });
    expect(idsOf(await page(second, { cursor: String(pagination.next_cursor) }))).toEqual([3]);
  });

  test("are short and URL-safe for any titles", async () => {
    const app = await todosAppWith(["\u0000".repeat(9000), "\uD800".repeat(9000), "x"]);
    for (const sort of ["title", "-title,created_at,completed"]) {
      const { pagination } = await page(app, { limit: "1", sort });
      expect(pagination.next_cursor).toMatch(/^[\w-]{1,4096}$/);
      expect(await walk(app, { limit: "1", sort })).toHaveLength(3);
    }
  });

  test.each<[string, Record<string, string>]>([
    ["another order", { sort: "-id" }],
    ["another sort field", { sort: "title" }],
    ["an additional sort field", { sort: "id,title" }],
    ["a filter", { completed: "false" }],
    ["another filter", { title: "todo" }],
  ])("are rejected with %s", async (_name, query) => {
    const app = await todosAppWith(titles(3));
    const { pagination } = await page(app, { limit: "1" });
    await expectError(
      app,
      { url: "/v1/todos", query: { ...query, cursor: String(pagination.next_cursor) } },
      { status: 400, code: "INVALID_CURSOR", fields: ["cursor"] },
    );
  });

  test("are valid with the default order both explicit and omitted", async () => {
    const app = await todosAppWith(titles(3));
    const { pagination } = await page(app, { limit: "1" });
    const cursor = String(pagination.next_cursor);
    expect(idsOf(await page(app, { cursor, sort: "id" }))).toEqual([2, 3]);
  });

  test.each(["", "x", "null", "0", "eyJpZCI6MX0", "a".repeat(5000), "../../etc", "\u0000"])(
    "return 400 if the service did not issue them: $0",
    async (cursor) => {
      await expectError(
        await todosAppWith(["a"]),
        { url: "/v1/todos", query: { cursor } },
        { status: 400, code: "INVALID_CURSOR", fields: ["cursor"] },
      );
    },
  );
});
