import { mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GgufdError } from "../../src/core/errors.js";
import { StartupError } from "../../src/core/startup-error.js";
import { emptyTodoFile, type TodoFile } from "../../src/todos/todo-file.js";
import { openTodoStore, TodoStore } from "../../src/todos/todo-store.js";
import { HeldWrites } from "./held-writes.js";
import { temporaryFolder } from "./temporary-folder.js";

const milk = { title: "milk", completed: false };

async function newPath(): Promise<string> {
  return join(await temporaryFolder(), "todos.json");
}

async function fileWith(content: string): Promise<string> {
  const path = await newPath();
  await writeFile(path, content);
  return path;
}

async function content(path: string): Promise<unknown> {
  return JSON.parse(await readFile(path, "utf8"));
}

describe("the items", () => {
  test("are created with ids from 1, listed in that order, completed and removed", async () => {
    const store = await openTodoStore(await newPath());
    expect(store.list()).toEqual([]);
    expect(await store.create(milk)).toEqual({ id: 1, title: "milk", completed: false });
    expect(await store.create({ title: " tea ", completed: true })).toEqual({
      id: 2,
      title: " tea ",
      completed: true,
    });
    await store.setCompleted(1, true);
    await store.setCompleted(2, false);
    expect(store.list()).toEqual([
      { id: 1, title: "milk", completed: true },
      { id: 2, title: " tea ", completed: false },
    ]);
    await store.remove(1);
    expect(store.list()).toEqual([{ id: 2, title: " tea ", completed: false }]);
  });

  test("an unknown id is a typed error and changes nothing", async () => {
    const path = await newPath();
    const store = await openTodoStore(path);
    await store.create(milk);
    const before = await readFile(path, "utf8");
    for (const change of [store.setCompleted(2, true), store.remove(2)]) {
      await expect(change).rejects.toThrow(GgufdError);
      await expect(change).rejects.toMatchObject({ code: "not_found", status: 404 });
      await expect(change).rejects.toThrow("No todo has the id 2.");
    }
    expect(await readFile(path, "utf8")).toBe(before);
  });

  test("a caller cannot reach into the store through what it was given", async () => {
    const store = await openTodoStore(await newPath());
    const created = await store.create(milk);
    Object.assign(created, { title: "changed" });
    Object.assign(store.list()[0] ?? {}, { title: "changed" });
    expect(store.list()).toEqual([{ id: 1, ...milk }]);
  });
});

describe("the file", () => {
  test("is made by the first change, with its folders, and not before", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "deep", "er", "todos.json");
    const store = await openTodoStore(path);
    store.list();
    await store.close();
    expect(await readdir(folder)).toEqual([]);
    await (await openTodoStore(path)).create(milk);
    expect(await content(path)).toEqual({ version: 1, nextId: 2, items: [{ id: 1, ...milk }] });
  });

  test("is used although NODE_ENV is 'test', where lowdb's presets use memory", async () => {
    expect(process.env.NODE_ENV).toBe("test");
    const path = await newPath();
    await (await openTodoStore(path)).create(milk);
    expect(await readFile(path, "utf8")).toContain("milk");
  });

  test("is indented, one field a line", async () => {
    const path = await newPath();
    await (await openTodoStore(path)).create(milk);
    const lines = (await readFile(path, "utf8")).split("\n");
    expect(lines).toContain('      "title": "milk",');
  });

  test("holds a change when it is answered, and the next process reads it", async () => {
    const path = await newPath();
    const store = await openTodoStore(path);
    const titles = Array.from({ length: 50 }, (_, n) => `todo ${n}`);
    const todos = await Promise.all(
      titles.map((title) => store.create({ title, completed: false })),
    );
    expect((await openTodoStore(path)).list()).toEqual(todos);
    expect(todos.map(({ id }) => id)).toEqual(titles.map((_, n) => n + 1));
  });

  test("remembers ids of removed items across a restart", async () => {
    const path = await newPath();
    const store = await openTodoStore(path);
    await store.create(milk);
    await store.create(milk);
    await store.remove(2);
    expect((await store.create(milk)).id).toBe(3);
    await store.remove(3);
    await store.remove(1);
    const next = await openTodoStore(path);
    expect(next.list()).toEqual([]);
    expect((await next.create(milk)).id).toBe(4);
  });

  test("keeps fields that this version does not know, and shows clients none of them", async () => {
    const path = await fileWith(
      JSON.stringify({
        comment: "by hand",
        version: 1,
        nextId: 8,
        items: [{ id: 7, title: "a", completed: false, tags: ["x"] }],
      }),
    );
    const store = await openTodoStore(path);
    expect(store.list()).toEqual([{ id: 7, title: "a", completed: false }]);
    await store.setCompleted(7, true);
    expect(await content(path)).toEqual({
      comment: "by hand",
      version: 1,
      nextId: 8,
      items: [{ id: 7, title: "a", completed: true, tags: ["x"] }],
    });
  });

  test("keeps titles as they are, also lone surrogates and control characters", async () => {
    const path = await newPath();
    const store = await openTodoStore(path);
    const title = '\u0000"\\\n\u2028\uD800 \u{1F600} __proto__';
    await store.create({ title, completed: false });
    expect((await openTodoStore(path)).list()[0]?.title).toBe(title);
  });
});

describe("a file that is no todo file", () => {
  const item = { id: 1, title: "a", completed: false };
  const file = { version: 1, nextId: 2, items: [item] };
  const withItem = (change: object) => ({ ...file, items: [{ ...item, ...change }] });

  test.each<[name: string, text: string, wrong: string]>([
    ["empty", "", "Unexpected end of JSON input"],
    ["cut off", '{"version":1,', "JSON"],
    ["several lines of prose", "dear\n diary\u001b[31m", "not valid JSON"],
    ["null", "null", "top level: Invalid input: expected object, received null"],
    ["zero", "0", "top level: Invalid input: expected object, received number"],
    ["an array", "[]", "top level: Invalid input: expected object, received array"],
    ["an empty object", "{}", "version: Invalid input: expected 1"],
    [
      "a later version",
      JSON.stringify({ ...file, version: 2 }),
      "version: Invalid input: expected 1",
    ],
    ["no nextId", JSON.stringify({ version: 1, items: [] }), "nextId: "],
    ["nextId zero", JSON.stringify({ ...file, nextId: 0 }), "nextId: "],
    [
      "nextId in use",
      JSON.stringify({ ...file, nextId: 1 }),
      "items[0].id: expected an id below nextId (1), got 1",
    ],
    ["no items", JSON.stringify({ version: 1, nextId: 1 }), "items: "],
    ["a fractional id", JSON.stringify(withItem({ id: 0.5 })), "items[0].id: "],
    ["a negative id", JSON.stringify(withItem({ id: -1 })), "items[0].id: "],
    [
      "one id twice",
      JSON.stringify({ ...file, items: [item, item] }),
      "items[1].id: two items have the id 1",
    ],
    [
      "a title that is a number",
      JSON.stringify(withItem({ title: 4 })),
      "items[0].title: Invalid input: expected string, received number",
    ],
    [
      "completed as a word",
      JSON.stringify(withItem({ completed: "yes" })),
      "items[0].completed: Invalid input: expected boolean, received string",
    ],
  ])("%s: stops the start with one line, and is not touched", async (_name, text, wrong) => {
    const path = await fileWith(text);
    const error = await openTodoStore(path).catch((caught: unknown) => caught);
    if (!(error instanceof StartupError)) throw new Error("expected a StartupError");
    expect(error.message).toContain(path);
    expect(error.message).toContain(wrong);
    expect(error.message).not.toMatch(/\p{Cc}/u);
    expect(await readFile(path, "utf8")).toBe(text);
    expect(await readdir(join(path, ".."))).toEqual(["todos.json"]);
  });

  test("a folder in its place, or a file in its folder's place, stops the start too", async () => {
    const path = await newPath();
    await mkdir(path);
    await expect(openTodoStore(path)).rejects.toThrow(StartupError);
    const file = await fileWith("{}");
    await expect(openTodoStore(join(file, "todos.json"))).rejects.toThrow(/ENOTDIR/);
  });
});

describe("a write that fails", () => {
  test("is a typed error whose cause is the file system's, and readers never saw it", async () => {
    const writes = new HeldWrites<TodoFile>();
    const store = new TodoStore(emptyTodoFile(), writes.persist);
    const created = store.create(milk);
    const outcome = expect(created).rejects.toMatchObject({
      name: "GgufdError",
      code: "internal_error",
      message: "The change could not be stored.",
      cause: new Error("ENOSPC"),
    });
    expect(store.list()).toEqual([]);
    await writes.fail(new Error("ENOSPC"));
    await outcome;
    expect(store.list()).toEqual([]);
  });

  test("on the real file system, leaves a store that works on once the cause is gone", async () => {
    const path = await newPath();
    const store = await openTodoStore(path);
    await store.create(milk);
    await mkdir(`${path}.tmp`);
    await expect(store.remove(1)).rejects.toMatchObject({ code: "internal_error" });
    expect(store.list()).toEqual([{ id: 1, ...milk }]);
    expect((await openTodoStore(path)).list()).toEqual([{ id: 1, ...milk }]);
    await rmdir(`${path}.tmp`);
    await store.remove(1);
    expect((await openTodoStore(path)).list()).toEqual([]);
  });

  test("gives the id that it would have used to the next item", async () => {
    const writes = new HeldWrites<TodoFile>();
    const store = new TodoStore(emptyTodoFile(), writes.persist);
    const lost = expect(store.create(milk)).rejects.toThrow();
    await writes.fail(new Error("EIO"));
    await lost;
    const kept = store.create({ title: "tea", completed: false });
    await writes.pass();
    expect(await kept).toEqual({ id: 1, title: "tea", completed: false });
  });
});

describe("close", () => {
  test("lets pending changes finish and refuses later ones", async () => {
    const writes = new HeldWrites<TodoFile>();
    const store = new TodoStore(emptyTodoFile(), writes.persist);
    const changes = [store.create(milk), store.create(milk)];
    let closed = false;
    const closing = store.close().then(() => {
      closed = true;
    });
    await expect(store.create(milk)).rejects.toMatchObject({ code: "shutting_down", status: 503 });
    await expect(store.remove(1)).rejects.toMatchObject({ code: "shutting_down" });
    await writes.pass();
    expect(closed).toBe(false);
    await writes.pass();
    await closing;
    await Promise.all(changes);
    expect(store.list()).toHaveLength(2);
    await store.close();
  });
});
