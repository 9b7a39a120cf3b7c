import { chmod, mkdir, readdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { GgufdError } from "../../src/core/errors.js";
import { StartupError } from "../../src/core/startup-error.js";
import { nodeFileSystem } from "../../src/files/file-system.js";
import { MAX_QUEUED_CHANGES, openTodoStore, type TodoStore } from "../../src/todos/todo-store.js";
import { storeInMemory } from "../support/store-in-memory.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { buildLoadingApp } from "../support/test-app.js";
import { heldFileWrites } from "./file-of.js";
import { TestClock } from "./test-clock.js";

const milk = { title: "milk", completed: false };
const start = "2026-01-01T00:00:00.000Z";
const milkAtStart = { id: 1, ...milk, createdAt: start, updatedAt: start };
const milkInFile = { id: 1, ...milk, created_at: start, updated_at: start };

async function newPath(): Promise<string> {
  return join(await temporaryFolder(), "todos.json");
}

async function fileWith(content: string): Promise<string> {
  const path = await newPath();
  await writeFile(path, content);
  return path;
}

/** A store whose clock is set to `start`; it is closed when the test finishes. */
async function opened(path: string, clock = new TestClock(start)): Promise<TodoStore> {
  const store = await openTodoStore(path, { clock: clock.now });
  onTestFinished(() => store.close());
  return store;
}

async function content(path: string): Promise<unknown> {
  return JSON.parse(await readFile(path, "utf8"));
}

describe("a page of items with long titles", () => {
  test("is a snapshot of the time of the request, and does not block other requests", async () => {
    const store = storeInMemory();
    const title = `${"é".repeat(9_999)}x`;
    for (let count = 0; count < 3; count++) await store.create({ title, completed: false });
    const filter = { titleContains: `${"é".repeat(999)}x` };
    const page = store.readPage({ filter, order: [], limit: 10 });
    await store.remove(2);
    expect(store.list().map(({ id }) => id)).toEqual([1, 3]);
    expect((await page).items.map(({ id }) => id)).toEqual([1, 2, 3]);
  });
});

describe("todo items", () => {
  test("get ids from 1, and are listed in that order, changed and removed", async () => {
    const clock = new TestClock(start);
    const store = storeInMemory({ clock: clock.now });
    expect(store.list()).toEqual([]);
    expect(await store.create(milk)).toEqual({ todo: milkAtStart, origin: "created" });
    const tea = { title: " tea ", completed: true };
    const { todo } = await store.create(tea);
    expect(todo).toEqual({ id: 2, ...tea, createdAt: start, updatedAt: start });
    const later = clock.advance(1000);
    const changed = { ...milkAtStart, completed: true, updatedAt: later };
    expect(await store.change(1, { completed: true })).toEqual(changed);
    expect(store.find(1)).toEqual(changed);
    expect(await store.change(2, { title: "coffee" })).toMatchObject({
      title: "coffee",
      completed: true,
    });
    expect(store.list().map(({ id }) => id)).toEqual([1, 2]);
    await store.remove(1);
    expect(store.list()).toEqual([{ ...todo, title: "coffee", updatedAt: later }]);
  });

  test("with an unknown id cause a typed error without any change", async () => {
    const path = await newPath();
    const store = await opened(path);
    await store.create(milk);
    const before = await readFile(path, "utf8");
    for (const change of [store.change(2, { completed: true }), store.remove(2)]) {
      await expect(change).rejects.toThrow(GgufdError);
      await expect(change).rejects.toMatchObject({ code: "not_found", status: 404 });
      await expect(change).rejects.toThrow("No todo has the id 2.");
    }
    expect(() => store.find(2)).toThrow("No todo has the id 2.");
    expect(await readFile(path, "utf8")).toBe(before);
  });

  test("returned by the store cannot be used to modify it", async () => {
    const store = storeInMemory();
    const { todo } = await store.create(milk);
    for (const returned of [todo, store.find(1), store.list()[0]]) {
      expect(() => Object.assign(returned ?? {}, { title: "changed" })).toThrow(TypeError);
    }
  });

  test("are listed as a snapshot, which later changes do not affect", async () => {
    const store = storeInMemory();
    await store.create(milk);
    const list = store.list();
    await store.create(milk);
    await store.remove(1);
    expect(list.map(({ id }) => id)).toEqual([1]);
  });
});

describe("timestamps", () => {
  test("updatedAt advances with every change, even if no value differs", async () => {
    const clock = new TestClock(start);
    const store = storeInMemory({ clock: clock.now });
    await store.create(milk);
    const later = clock.advance(1);
    expect(await store.change(1, milk)).toEqual({ ...milkAtStart, updatedAt: later });
    const last = clock.advance(1);
    expect(await store.change(1, {})).toEqual({ ...milkAtStart, updatedAt: last });
  });

  test("of two changes in the same millisecond differ", async () => {
    const store = storeInMemory({ clock: new TestClock(start).now });
    await store.create(milk);
    expect((await store.change(1, {})).updatedAt).toBe("2026-01-01T00:00:00.001Z");
    expect((await store.change(1, {})).updatedAt).toBe("2026-01-01T00:00:00.002Z");
  });

  test("never decrease, even if the clock does", async () => {
    const clock = new TestClock(start);
    const store = storeInMemory({ clock: clock.now });
    await store.create(milk);
    const earlier = clock.advance(-5000);
    const { updatedAt } = await store.change(1, { completed: true });
    expect(updatedAt).toBe("2026-01-01T00:00:00.001Z");
    expect((await store.create(milk)).todo).toMatchObject({ createdAt: start, updatedAt: start });
    await store.remove(1);
    await store.remove(2);
    expect((await store.create(milk)).todo.createdAt).toBe(earlier);
  });
});

describe("preconditions", () => {
  const stale = new GgufdError("etag_mismatch", "stale");

  test("receive the item, and prevent the change if they throw", async () => {
    const store = storeInMemory();
    await store.create(milk);
    const seen: unknown[] = [];
    const refuse = (current: unknown) => {
      seen.push(current);
      throw stale;
    };
    await expect(store.change(1, { title: "x" }, refuse)).rejects.toBe(stale);
    await expect(store.remove(1, refuse)).rejects.toBe(stale);
    expect(seen).toEqual([store.find(1), store.find(1)]);
    expect(store.find(1)).toMatchObject(milk);
  });

  test("let only one of several concurrent changes with the same precondition succeed", async () => {
    const writes = heldFileWrites();
    const store = storeInMemory({ persist: writes.persist });
    const created = store.create(milk);
    await writes.pass();
    const { todo } = await created;
    const asSeen = (current: object) => {
      if (current !== todo) throw stale;
    };
    const outcomes = Promise.allSettled([
      store.change(1, { title: "first" }, asSeen),
      store.change(1, { title: "second" }, asSeen),
      store.remove(1, asSeen),
    ]);
    await writes.pass();
    const statuses = (await outcomes).map(({ status }) => status);
    expect(statuses).toEqual(["fulfilled", "rejected", "rejected"]);
    expect(store.find(1).title).toBe("first");
  });
});

describe("an idempotency key", () => {
  const key = { key: "k", fingerprint: "f" };
  const DAY_MS = 24 * 60 * 60 * 1000;

  test("returns the item as it was created, even after the item was removed", async () => {
    const store = storeInMemory({ clock: new TestClock(start).now });
    await store.create(milk, key);
    await store.change(1, { title: "changed" });
    expect(await store.create(milk, key)).toEqual({ todo: milkAtStart, origin: "replayed" });
    await store.remove(1);
    expect(await store.create(milk, key)).toEqual({ todo: milkAtStart, origin: "replayed" });
    expect(store.list()).toEqual([]);
  });

  test("is not written again when it is replayed", async () => {
    const writes = heldFileWrites();
    const store = storeInMemory({ persist: writes.persist });
    const first = store.create(milk, key);
    await writes.pass();
    await first;
    expect((await store.create(milk, key)).origin).toBe("replayed");
    expect(writes.states).toHaveLength(1);
  });

  test("of two concurrent requests creates one item, which both requests receive", async () => {
    const writes = heldFileWrites();
    const store = storeInMemory({ persist: writes.persist });
    const other = store.create({ title: "other", completed: false });
    const twice = [store.create(milk, key), store.create(milk, key)];
    await writes.pass();
    await writes.pass();
    const [first, second] = await Promise.all(twice);
    expect(first?.todo).toBe(second?.todo);
    expect([first?.origin, second?.origin]).toEqual(["created", "replayed"]);
    await other;
    expect(store.list()).toHaveLength(2);
  });

  test("of a failed creation creates the item on the next request", async () => {
    const writes = heldFileWrites();
    const store = storeInMemory({ persist: writes.persist });
    const lost = expect(store.create(milk, key)).rejects.toThrow();
    const second = store.create(milk, key);
    await writes.fail(new Error("EIO"));
    await lost;
    await writes.pass();
    expect(await second).toMatchObject({ origin: "created", todo: { id: 1 } });
  });

  test("is rejected with a different fingerprint, and creates nothing", async () => {
    const store = storeInMemory();
    await store.create(milk, key);
    const other = store.create({ title: "tea", completed: false }, { ...key, fingerprint: "g" });
    await expect(other).rejects.toMatchObject({ code: "idempotency_key_reused", status: 409 });
    expect(store.list()).toHaveLength(1);
  });

  test("is written together with its item, and can be replayed after a restart", async () => {
    const path = await newPath();
    const clock = new TestClock(start);
    const store = await opened(path, clock);
    const { todo } = await store.create(milk, key);
    expect(await content(path)).toEqual({
      version: 2,
      nextId: 2,
      items: [milkInFile],
      idempotencyKeys: [{ ...key, todo: milkInFile, at: start }],
    });
    await store.change(1, { title: "changed" });
    await store.close();
    clock.advance(DAY_MS - 1);
    const next = await opened(path, clock);
    expect(await next.create(milk, key)).toEqual({ todo, origin: "replayed" });
  });

  test("is specific to its owner, even after a restart, and expires separately per owner", async () => {
    const path = await newPath();
    const clock = new TestClock(start);
    const store = await opened(path, clock);
    const owned = (owner: string) => ({ ...key, owner });
    const alices = await store.create(milk, owned("alice"));
    clock.advance(1);
    const bobs = await store.create(
      { title: "tea", completed: false },
      { ...owned("bob"), fingerprint: "another" },
    );
    expect(bobs.origin).toBe("created");
    await store.close();
    const next = await opened(path, clock);
    expect(await next.create(milk, owned("alice"))).toEqual({ ...alices, origin: "replayed" });
    expect((await next.create(milk, key)).origin).toBe("created");
    clock.advance(DAY_MS - 1);
    await next.change(1, { completed: true });
    expect(await content(path)).toMatchObject({
      idempotencyKeys: [{ ...key, owner: "bob", fingerprint: "another" }, key],
    });
  });

  test("expires after a day, and is removed from the file by the next change", async () => {
    const path = await newPath();
    const clock = new TestClock(start);
    const store = await opened(path, clock);
    await store.create(milk, key);
    clock.advance(1);
    await store.create(milk, { key: "later", fingerprint: "f" });
    clock.advance(DAY_MS - 1);
    await store.change(1, { completed: true });
    expect(await content(path)).toMatchObject({ idempotencyKeys: [{ key: "later" }] });
    expect(await store.create(milk, key)).toMatchObject({ origin: "created", todo: { id: 3 } });
  });

  test("recorded with a wrong clock still expires", async () => {
    const clock = new TestClock(start);
    const store = storeInMemory({ clock: clock.now });
    clock.advance(400 * DAY_MS);
    await store.create(milk, key);
    clock.advance(-400 * DAY_MS);
    expect((await store.create(milk, key)).origin).toBe("created");
  });
});

describe("changes beyond the queue limit", () => {
  test("are rejected while the queue is full, and accepted again after it has been written", async () => {
    const writes = heldFileWrites();
    const store = storeInMemory({ persist: writes.persist });
    const first = store.create(milk);
    const waiting = Array.from({ length: MAX_QUEUED_CHANGES }, () => store.create(milk));
    await expect(store.remove(1)).rejects.toMatchObject({
      code: "too_many_changes",
      status: 429,
      retryAfterSeconds: 1,
    });
    await writes.pass();
    const later = store.create(milk);
    await writes.pass();
    await writes.pass();
    await Promise.all([first, ...waiting]);
    expect((await later).todo.id).toBe(MAX_QUEUED_CHANGES + 2);
  });
});

describe("the todo file", () => {
  test("is created by the first change, together with its folders, and not earlier", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "deep", "er", "todos.json");
    const store = await opened(path);
    store.list();
    await store.close();
    expect(await readdir(folder)).toEqual([]);
    const next = await opened(path);
    await next.create(milk);
    expect(await content(path)).toEqual({
      version: 2,
      nextId: 2,
      items: [milkInFile],
      idempotencyKeys: [],
    });
    await next.close();
    expect((await readdir(dirname(path))).sort()).toEqual(["todos.json", "todos.json.reserve"]);
  });

  test("is used even if NODE_ENV is 'test', for which lowdb's presets use memory", async () => {
    expect(process.env.NODE_ENV).toBe("test");
    const path = await newPath();
    await (await opened(path)).create(milk);
    expect(await readFile(path, "utf8")).toContain("milk");
  });

  test("contains a change once it is acknowledged, and is read by the next process", async () => {
    const path = await newPath();
    const store = await opened(path);
    const titles = Array.from({ length: 50 }, (_, n) => `todo ${n}`);
    const created = await Promise.all(
      titles.map((title) => store.create({ title, completed: false })),
    );
    await store.close();
    expect((await opened(path)).list()).toEqual(created.map(({ todo }) => todo));
    expect(created.map(({ todo }) => todo.id)).toEqual(titles.map((_, n) => n + 1));
  });

  test("does not reuse ids of removed items after a restart", async () => {
    const path = await newPath();
    const store = await opened(path);
    await store.create(milk);
    await store.create(milk);
    await store.remove(2);
    expect((await store.create(milk)).todo.id).toBe(3);
    await store.remove(3);
    await store.remove(1);
    await store.close();
    const next = await opened(path);
    expect(next.list()).toEqual([]);
    expect((await next.create(milk)).todo.id).toBe(4);
  });

  test("preserves unknown fields without exposing them to clients", async () => {
    const file = {
      comment: "by hand",
      version: 2,
      nextId: 8,
      items: [{ ...milkInFile, id: 7, tags: ["x"] }],
      idempotencyKeys: [],
    };
    const path = await fileWith(JSON.stringify(file));
    const store = await opened(path);
    expect(store.list()).toEqual([{ ...milkAtStart, id: 7 }]);
    const { updatedAt } = await store.change(7, { title: "tea" });
    await store.create(milk);
    expect(await content(path)).toEqual({
      ...file,
      nextId: 9,
      items: [
        { ...milkInFile, id: 7, tags: ["x"], title: "tea", updated_at: updatedAt },
        { ...milkInFile, id: 8 },
      ],
    });
  });

  test("may list items in any order, and the store sorts them by id", async () => {
    const items = [3, 1, 2].map((id) => ({ ...milkInFile, id }));
    const path = await fileWith(JSON.stringify({ version: 2, nextId: 4, items }));
    expect((await opened(path)).list().map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  test("preserves titles exactly, including lone surrogates and control characters", async () => {
    const path = await newPath();
    const store = await opened(path);
    const title = '\u0000"\\\n\u2028\uD800 \u{1F600} __proto__';
    await store.create({ title, completed: false });
    await store.close();
    expect((await opened(path)).list()[0]?.title).toBe(title);
  });
});

describe("a todo file of version 1", () => {
  const text =
    '{ "version": 1, "nextId": 3, "items": [{"id":1,"title":"milk","completed":false}] }';

  test("is unmodified until the first change, which saves the original as .bak", async () => {
    const path = await fileWith(text);
    await chmod(path, 0o640);
    const { mtimeMs, mode } = await nodeFileSystem.stat(path);
    const modifiedAt = new Date(mtimeMs).toISOString();
    const old = { id: 1, ...milk, createdAt: modifiedAt, updatedAt: modifiedAt };
    const store = await opened(path);
    expect(store.list()).toEqual([old]);
    expect(await readFile(path, "utf8")).toBe(text);

    await writeFile(`${path}.bak`, "an older one");
    const { todo } = await store.create(milk);
    expect(todo.id).toBe(3);
    expect(await readFile(`${path}.bak`, "utf8")).toBe(text);
    expect((await nodeFileSystem.stat(`${path}.bak`)).mode).toBe(mode);
    expect(await content(path)).toMatchObject({ version: 2, items: [{ id: 1 }, { id: 3 }] });

    await store.remove(3);
    expect(await readFile(`${path}.bak`, "utf8")).toBe(text);
    await store.close();
    expect((await opened(path)).list()).toEqual([old]);
    expect((await readdir(dirname(path))).sort()).toContain("todos.json.bak");
  });

  test("is not overwritten if its backup fails", async () => {
    const path = await fileWith(text);
    const store = await opened(path);
    await mkdir(`${path}.bak.tmp`);
    await expect(store.create(milk)).rejects.toMatchObject({ code: "internal_error" });
    expect(await readFile(path, "utf8")).toBe(text);
    await rmdir(`${path}.bak.tmp`);
    await store.create(milk);
    expect(await readFile(`${path}.bak`, "utf8")).toBe(text);
  });
});

describe("the last id", () => {
  const last = Number.MAX_SAFE_INTEGER - 1;
  const nearlyFull = JSON.stringify({ version: 2, nextId: last, items: [], idempotencyKeys: [] });
  const exhausted = {
    code: "storage_full",
    status: 507,
    message: `The change could not be stored: every id up to ${last} has been assigned.`,
  };

  test("is assigned only once; later creations fail and other requests succeed", async () => {
    const path = await fileWith(nearlyFull);
    const store = await opened(path);
    const key = { key: "k", fingerprint: "f" };
    const outcomes = await Promise.allSettled([store.create(milk, key), store.create(milk)]);
    expect(outcomes).toMatchObject([
      { status: "fulfilled", value: { todo: { id: last } } },
      { status: "rejected", reason: exhausted },
    ]);
    await expect(store.create(milk)).rejects.toMatchObject(exhausted);
    expect(await store.create(milk, key)).toMatchObject({ origin: "replayed", todo: { id: last } });
    expect(store.list().map(({ id }) => id)).toEqual([last]);
    await store.change(last, { completed: true });
    await store.close();
    const again = await opened(path);
    expect(again.list()).toMatchObject([{ id: last, completed: true }]);
    await again.remove(last);
    await expect(again.create(milk)).rejects.toMatchObject(exhausted);
  });

  test.each(["/api/todos", "/v1/todos"])("is the last id that %s assigns", async (url) => {
    const store = await opened(await fileWith(nearlyFull));
    const { app } = buildLoadingApp({ todos: store });
    onTestFinished(() => app.close());
    const post = () => app.inject({ method: "POST", url, payload: { title: "milk" } });
    expect((await post()).json()).toMatchObject({ id: last });
    const refused = await post();
    expect([refused.statusCode, refused.body]).toEqual([
      507,
      expect.stringContaining(exhausted.message),
    ]);
    const removed = await app.inject({ method: "DELETE", url: `${url}/${last}` });
    expect(removed.statusCode).toBeLessThan(300);
  });
});

describe("an invalid todo file", () => {
  const item = milkInFile;
  const file = { version: 2, nextId: 2, items: [item], idempotencyKeys: [] };
  const withItem = (change: object) => ({ ...file, items: [{ ...item, ...change }] });
  const key = { key: "k", fingerprint: "f", todo: item, at: start };
  const withKeys = (...idempotencyKeys: object[]) => ({ ...file, idempotencyKeys });

  test.each<[name: string, text: string | object, wrong: string]>([
    ["empty", "", "Unexpected end of JSON input"],
    ["cut off", '{"version":1,', "JSON"],
    ["several lines of plain text", "dear\n diary\u001b[31m", "not valid JSON"],
    ["only brackets", "[".repeat(100_000), "expected at most 128 levels of nesting, got more"],
    [
      "an unknown field that is nested too deeply",
      `{"version":2,"nextId":1,"items":[],"more":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
      "expected at most 128 levels of nesting, got more",
    ],
    [
      "an item that is nested too deeply",
      `{"version":2,"nextId":1,"items":${'[{"a":'.repeat(5000)}1${"}]".repeat(5000)}}`,
      "expected at most 128 levels of nesting, got more",
    ],
    ["null", "null", "top level: Invalid input: expected object, received null"],
    ["zero", "0", "top level: Invalid input: expected object, received number"],
    ["an array", "[]", "top level: Invalid input: expected object, received array"],
    ["an empty object", {}, "version: Invalid input: expected number, received undefined"],
    ["a later version", { ...file, version: 3 }, "version: expected 1 to 2, got 3"],
    ["version zero", { ...file, version: 0 }, "version: Too small"],
    ["no nextId", { version: 2, items: [] }, "nextId: "],
    ["nextId zero", { ...file, nextId: 0 }, "nextId: "],
    [
      "nextId in use",
      { ...file, nextId: 1 },
      "items[0].id: expected an id below nextId (1), got 1",
    ],
    ["no items", { version: 2, nextId: 1 }, "items: "],
    ["no items in version 1", { version: 1, nextId: 1 }, "items: "],
    ["non-object items of version 1", { version: 1, nextId: 1, items: [3] }, "items[0]: "],
    ["a fractional id", withItem({ id: 0.5 }), "items[0].id: "],
    ["a negative id", withItem({ id: -1 }), "items[0].id: "],
    ["a duplicate id", { ...file, items: [item, item] }, "items[1].id: two items have the id 1"],
    [
      "a title that is a number",
      withItem({ title: 4 }),
      "items[0].title: Invalid input: expected string, received number",
    ],
    [
      "completed as a string",
      withItem({ completed: "yes" }),
      "items[0].completed: Invalid input: expected boolean, received string",
    ],
    [
      "a timestamp in another time zone",
      withItem({ created_at: "2026-01-01T00:00:00.000+01:00" }),
      "items[0].created_at: ",
    ],
    [
      "a duplicate key",
      { ...withKeys(key, { ...key, todo: { ...item, id: 2 } }), nextId: 3 },
      'idempotencyKeys[1].key: two records have the key "k"',
    ],
    [
      "a key of an item that does not exist yet",
      withKeys({ ...key, todo: { ...item, id: 2 } }),
      "idempotencyKeys[0].todo.id: expected an id below nextId (2), got 2",
    ],
    [
      "two keys of one item",
      withKeys(key, { ...key, key: "l" }),
      "idempotencyKeys[1].todo.id: two keys created the item 1",
    ],
  ])("(%s) causes a one-line startup error, and is not modified", async (_name, input, wrong) => {
    const text = typeof input === "string" ? input : JSON.stringify(input);
    const path = await fileWith(text);
    const error = await openTodoStore(path).catch((caught: unknown) => caught);
    if (!(error instanceof StartupError)) throw new Error("expected a StartupError");
    expect(error.message).toContain(path);
    expect(error.message).toContain(wrong);
    expect(error.message).not.toMatch(/\p{Cc}/u);
    expect(await readFile(path, "utf8")).toBe(text);
    expect(await readdir(join(path, ".."))).toEqual(["todos.json"]);
  });

  test("that is a folder, or whose folder is a file, also causes a startup error", async () => {
    const path = await newPath();
    await mkdir(path);
    await expect(openTodoStore(path)).rejects.toThrow(StartupError);
    const inFile = join(await fileWith("{}"), "todos.json");
    await expect(openTodoStore(inFile)).rejects.toThrow(/ENOTDIR/);
  });
});

describe("a failed write", () => {
  test.each([
    ["ENOSPC", "storage_full", 507, undefined],
    ["EDQUOT", "storage_full", 507, undefined],
    ["EFBIG", "storage_full", 507, undefined],
    ["EROFS", "storage_unavailable", 503, 5],
    ["EACCES", "storage_unavailable", 503, 5],
    ["EPERM", "storage_unavailable", 503, 5],
    ["ENOENT", "storage_unavailable", 503, 5],
    ["ENOTDIR", "storage_unavailable", 503, 5],
    ["EIO", "internal_error", 500, undefined],
  ])(
    "with %s is reported as %s, and its change is not visible to readers",
    async (errno, code, status, retryAfterSeconds) => {
      const writes = heldFileWrites();
      const store = storeInMemory({ persist: writes.persist });
      const cause = Object.assign(new Error(errno), { code: errno });
      const outcome = expect(store.create(milk)).rejects.toMatchObject({
        name: "GgufdError",
        code,
        status,
        retryAfterSeconds,
        message: expect.stringMatching(/^The change could not be stored/),
        cause,
      });
      expect(store.list()).toEqual([]);
      await writes.fail(cause);
      await outcome;
      expect(store.list()).toEqual([]);
      const again = store.create(milk);
      await writes.pass();
      expect((await again).todo.id).toBe(1);
    },
  );

  test("on the real file system does not prevent later writes, once the cause is removed", async () => {
    const path = await newPath();
    const store = await opened(path);
    await store.create(milk);
    await mkdir(`${path}.tmp`);
    await expect(store.remove(1)).rejects.toMatchObject({ code: "internal_error" });
    expect(store.list()).toEqual([milkAtStart]);
    expect(await content(path)).toMatchObject({ items: [milkInFile] });
    await rmdir(`${path}.tmp`);
    await store.remove(1);
    expect(await content(path)).toMatchObject({ items: [] });
  });

  test("because of a removed folder is repaired by the next write", async () => {
    const path = join(await temporaryFolder(), "data", "todos.json");
    await mkdir(dirname(path));
    const store = await opened(path);
    await store.create(milk);
    await rm(dirname(path), { recursive: true });
    await writeFile(dirname(path), "a file in the folder's place");
    await expect(store.create(milk)).rejects.toMatchObject({ code: "storage_unavailable" });
    await rm(dirname(path));
    await store.create(milk);
    expect(await content(path)).toMatchObject({ items: [{ id: 1 }, { id: 2 }] });
  });

  test("does not consume an id", async () => {
    const writes = heldFileWrites();
    const store = storeInMemory({ persist: writes.persist });
    const lost = expect(store.create(milk)).rejects.toThrow();
    await writes.fail(new Error("EIO"));
    await lost;
    const kept = store.create({ title: "tea", completed: false });
    await writes.pass();
    expect((await kept).todo).toMatchObject({ id: 1, title: "tea" });
  });
});

describe("closing the store", () => {
  test("completes pending changes, refuses later ones, and then releases the file", async () => {
    const writes = heldFileWrites();
    const events: string[] = [];
    const release = async () => {
      events.push("released");
    };
    const store = storeInMemory({ persist: writes.persist, release });
    const changes = [store.create(milk), store.create(milk)];
    const closing = store.close().then(() => events.push("closed"));
    await expect(store.create(milk)).rejects.toMatchObject({ code: "shutting_down", status: 503 });
    await expect(store.remove(1)).rejects.toMatchObject({ code: "shutting_down" });
    await writes.pass();
    expect(events).toEqual([]);
    await writes.pass();
    await closing;
    expect(events).toEqual(["released", "closed"]);
    await Promise.all(changes);
    expect(store.list()).toHaveLength(2);
    await store.close();
  });
});
