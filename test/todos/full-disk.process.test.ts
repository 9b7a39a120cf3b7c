import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openTodoStore, type TodoStore } from "../../src/todos/todo-store.js";
import { countingDisk, mountedDisk, type SmallDisk } from "../support/small-disk.js";
import { buildLoadingApp } from "../support/test-app.js";

const ITEMS = 200;

async function opened({ folder, files }: SmallDisk): Promise<TodoStore> {
  const store = await openTodoStore(join(folder, "todos.json"), { files });
  onTestFinished(() => store.close());
  return store;
}

/** A store with some items, on a disk that is now full. */
async function onFullDisk(disk: SmallDisk): Promise<TodoStore> {
  const store = await opened(disk);
  const creations = Array.from({ length: ITEMS }, (_, index) =>
    store.create({ title: `item ${index}`, completed: false }),
  );
  await Promise.all(creations);
  await disk.fill();
  return store;
}

const long = { title: "x".repeat(5000), completed: false };
const full = { code: "storage_full", status: 507 };

async function idsInFile({ folder }: SmallDisk): Promise<readonly number[]> {
  const { items } = JSON.parse(await readFile(join(folder, "todos.json"), "utf8"));
  return items.map(({ id }: { id: number }) => id);
}

describe.for<[name: string, disk: () => Promise<SmallDisk | undefined>]>([
  ["that is simulated", () => countingDisk(1_000_000)],
  ["that is mounted by the test", () => Promise.resolve(mountedDisk())],
])("on a full disk %s", ([, makeDisk]) => {
  test("every item can be deleted, with each deletion durable", async ({ skip }) => {
    const disk = await makeDisk();
    if (disk === undefined) return skip("this process may not mount a file system");
    const store = await onFullDisk(disk);
    await expect(store.create(long)).rejects.toMatchObject(full);
    for (let id = 1; id <= ITEMS; id++) {
      await store.remove(id);
      if (id % 50 === 0) expect(await idsInFile(disk)).toEqual(store.list().map((item) => item.id));
    }
    expect(await idsInFile(disk)).toEqual([]);
    expect(await store.create(long)).toMatchObject({ todo: { id: ITEMS + 1 } });
  });

  test("items can be completed and shortened, but not extended", async ({ skip }) => {
    const disk = await makeDisk();
    if (disk === undefined) return skip("this process may not mount a file system");
    const store = await onFullDisk(disk);
    expect(await store.change(1, { completed: true })).toMatchObject({ completed: true });
    expect(await store.change(2, { title: "short" })).toMatchObject({ title: "short" });
    await expect(store.change(3, long)).rejects.toMatchObject(full);
    expect(store.find(3)).toMatchObject({ title: "item 2" });
  });

  test("a deletion in the same write as rejected creations succeeds", async ({ skip }) => {
    const disk = await makeDisk();
    if (disk === undefined) return skip("this process may not mount a file system");
    const store = await onFullDisk(disk);
    const first = store.remove(1);
    const group = [store.create(long), store.remove(2), store.create(long), store.remove(3)];
    await first;
    expect(await Promise.allSettled(group)).toMatchObject([
      { status: "rejected", reason: full },
      { status: "fulfilled" },
      { status: "rejected", reason: full },
      { status: "fulfilled" },
    ]);
    expect(await idsInFile(disk)).toEqual(
      Array.from({ length: ITEMS - 3 }, (_, index) => index + 4),
    );
  });

  test("items can be deleted after a restart, although the lock needs disk space", async ({
    skip,
  }) => {
    const disk = await makeDisk();
    if (disk === undefined) return skip("this process may not mount a file system");
    const store = await onFullDisk(disk);
    await store.close();
    await disk.fill();
    const again = await opened(disk);
    await again.remove(1);
    await again.remove(2);
    expect(await idsInFile(disk)).toEqual(again.list().map(({ id }) => id));
    expect(again.list()).toHaveLength(ITEMS - 2);
  });
});

test.each(["/api/todos", "/v1/todos"])("DELETE %s/1 succeeds on a full disk", async (url) => {
  const { app } = buildLoadingApp({ todos: await onFullDisk(await countingDisk(1_000_000)) });
  onTestFinished(() => app.close());
  const payload = { title: long.title };
  const created = await app.inject({ method: "POST", url, payload });
  const removed = await app.inject({ method: "DELETE", url: `${url}/1` });
  expect([created.statusCode, removed.statusCode]).toEqual([507, url === "/v1/todos" ? 204 : 200]);
});
