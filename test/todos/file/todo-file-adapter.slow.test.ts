import {
  chmod,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ExclusiveFilePorts } from "../../../src/files/exclusive-file.js";
import { LockHeldError } from "../../../src/files/file-lock.js";
import { TodoCollection } from "../../../src/todos/collection/todo-collection.js";
import { TodoFileAdapter } from "../../../src/todos/file/todo-file-adapter.js";
import { RecordingFiles } from "../../support/recording-files.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const empty = '{"version":2,"nextId":1,"items":[],"idempotencyKeys":[]}\n';
const version1 = '{"version":1,"nextId":1,"items":[]}';

function adapterAt(path: string, ports?: ExclusiveFilePorts): TodoFileAdapter {
  const adapter = new TodoFileAdapter(path, ports);
  onTestFinished(() => adapter.close());
  return adapter;
}

async function folderWithFile(content = empty): Promise<{ folder: string; path: string }> {
  const folder = join(await temporaryFolder(), "data");
  await mkdir(folder);
  const path = join(folder, "todos.json");
  await writeFile(path, content);
  return { folder, path };
}

/** A collection that differs from the empty one. */
const changed = () =>
  TodoCollection.of({ nextId: 2, records: [], idempotency: [], unknown: { by: "hand" } });

/** A lock whose folder is read-only until `isWritable` is set. */
function readOnlyFolder(): ExclusiveFilePorts & { isWritable: boolean; released: number } {
  const folder = {
    isWritable: false,
    released: 0,
    acquireLock: async () => {
      if (!folder.isWritable) throw Object.assign(new Error("EROFS"), { code: "EROFS" });
      const release = async () => {
        folder.released += 1;
      };
      return { confirm: () => Promise.resolve(), release };
    },
  };
  return folder;
}

describe("reading the todo file", () => {
  test("returns null if there is no file, without creating one", async () => {
    const folder = await temporaryFolder();
    expect(await adapterAt(join(folder, "none", "todos.json")).read()).toBeNull();
    expect(await readdir(folder)).toEqual([]);
  });

  test("accepts a byte order mark", async () => {
    const { path } = await folderWithFile(`\uFEFF${empty}`);
    expect((await adapterAt(path).read())?.list()).toEqual([]);
  });

  test("rejects bytes that are not UTF-8", async () => {
    const { path } = await folderWithFile();
    await writeFile(path, Buffer.from([0x22, 0xff, 0x22]));
    await expect(adapterAt(path).read()).rejects.toThrow(/utf-8/);
  });

  test("ignores a leftover temporary file", async () => {
    const { path } = await folderWithFile();
    await writeFile(`${path}.tmp`, '{"version":');
    expect((await adapterAt(path).read())?.list()).toEqual([]);
  });

  test("is refused while another adapter uses the file, under any of its paths", async () => {
    const { folder, path } = await folderWithFile();
    const links = await temporaryFolder();
    await symlink(path, join(links, "file.json"));
    await symlink(folder, join(links, "folder"));
    const first = adapterAt(path);
    await first.read();
    for (const name of [path, join(links, "file.json"), join(links, "folder", "todos.json")]) {
      await expect(adapterAt(name).read()).rejects.toThrow(LockHeldError);
    }
    await first.close();
    expect((await readdir(folder)).sort()).toEqual(["todos.json", "todos.json.reserve"]);
    expect(await adapterAt(join(links, "file.json")).read()).not.toBeNull();
  });
});

describe("writing the todo file", () => {
  test("keeps the file's permissions", async () => {
    const { path } = await folderWithFile();
    await chmod(path, 0o640);
    const adapter = adapterAt(path);
    await adapter.read();
    await adapter.write(changed());
    expect((await stat(path)).mode & 0o777).toBe(0o640);
  });

  test("writes through a symbolic link", async () => {
    const { path } = await folderWithFile();
    const linked = join(await temporaryFolder(), "link.json");
    await symlink(path, linked);
    const adapter = adapterAt(linked);
    await adapter.read();
    await adapter.write(changed());
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ by: "hand" });
    expect((await lstat(linked)).isSymbolicLink()).toBe(true);
    expect(await readdir(dirname(linked))).toEqual(["link.json"]);
  });

  test("after a migration first makes a durable backup of the original file, only once", async () => {
    const { path } = await folderWithFile(version1);
    const files = new RecordingFiles();
    const adapter = adapterAt(path, { files });
    await adapter.read();
    files.steps.length = 0;
    await adapter.write(changed());
    const write = (name: string) => [
      `open ${name}.tmp w`,
      `write ${name}.tmp`,
      `sync ${name}.tmp`,
      `rename ${name}.tmp ${name}`,
      "open data r",
      "sync data",
    ];
    expect(files.steps).toEqual([...write("todos.json.bak"), ...write("todos.json")]);
    expect(await readFile(`${path}.bak`, "utf8")).toBe(version1);
    files.steps.length = 0;
    await adapter.write(changed());
    expect(files.steps).toEqual(write("todos.json"));
  });

  test.each(["open todos.json.bak.tmp w", "sync todos.json.bak.tmp", "sync data"])(
    "after a migration leaves the file unmodified if '%s' fails",
    async (step) => {
      const { path } = await folderWithFile(version1);
      const files = new RecordingFiles();
      const adapter = adapterAt(path, { files });
      await adapter.read();
      files.faults.set(step, "EIO");
      await expect(adapter.write(changed())).rejects.toMatchObject({ code: "EIO" });
      expect(await readFile(path, "utf8")).toBe(version1);
      files.faults.clear();
      await adapter.write(changed());
      expect(await readFile(`${path}.bak`, "utf8")).toBe(version1);
    },
  );

  test("is rejected while another write is in progress, and the next one succeeds", async () => {
    const { path } = await folderWithFile();
    const adapter = adapterAt(path);
    await adapter.read();
    const first = adapter.write(changed());
    await expect(adapter.write(TodoCollection.empty())).rejects.toThrow(
      "expected no write in flight, got a second one",
    );
    await first;
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ by: "hand" });
    await adapter.write(TodoCollection.empty());
    expect(await readFile(path, "utf8")).toBe(empty);
  });

  test("is refused if another process has taken over the file", async () => {
    const { path } = await folderWithFile();
    const held = {
      confirm: () => Promise.reject(new LockHeldError(undefined)),
      release: () => Promise.resolve(),
    };
    const adapter = adapterAt(path, { acquireLock: () => Promise.resolve(held) });
    await adapter.read();
    await expect(adapter.write(changed())).rejects.toMatchObject({
      code: "storage_unavailable",
      retryAfterSeconds: 5,
    });
    expect(await readFile(path, "utf8")).toBe(empty);
  });
});

describe("the reserve file", () => {
  const bytesAt = async (path: string) => (await stat(`${path}.reserve`)).size;
  const withItems = (count: number) =>
    TodoCollection.of({
      nextId: count + 1,
      records: Array.from({ length: count }, (_, index) => ({
        todo: {
          id: index + 1,
          title: "x".repeat(1000),
          completed: false,
          createdAt: at,
          updatedAt: at,
        },
        unknown: undefined,
      })),
      idempotency: [],
      unknown: {},
    });
  const at = "2026-01-01T00:00:00.000Z";

  test("exists from the start, is larger than the todo file, and grows and shrinks with it", async () => {
    const { path } = await folderWithFile();
    const adapter = adapterAt(path);
    await adapter.read();
    expect(await bytesAt(path)).toBeGreaterThan(65_536);
    for (const count of [500, 1000, 10]) {
      await adapter.write(withItems(count));
      const { size } = await stat(path);
      expect(await bytesAt(path)).toBeGreaterThanOrEqual(size + 65_536);
      expect(await bytesAt(path)).toBeLessThanOrEqual(2.5 * (size + 65_536));
    }
    expect((await stat(`${path}.reserve`)).mode & 0o777).toBe(0o600);
  });

  test("is rarely rewritten while the todo file grows slowly", async () => {
    const { path } = await folderWithFile();
    const files = new RecordingFiles();
    const adapter = adapterAt(path, { files });
    await adapter.read();
    for (let count = 1; count <= 300; count++) await adapter.write(withItems(count));
    const writes = files.steps.filter((step) => step === "open todos.json.reserve w");
    expect(writes.length).toBeGreaterThan(1);
    expect(writes.length).toBeLessThan(12);
  });

  test.each(["open todos.json.reserve w", "write todos.json.reserve", "sync todos.json.reserve"])(
    "is omitted if '%s' fails",
    async (step) => {
      const { path } = await folderWithFile();
      const files = new RecordingFiles();
      files.faults.set(step, "ENOSPC");
      const adapter = adapterAt(path, { files });
      await adapter.read();
      await adapter.write(changed());
      expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ by: "hand" });
    },
  );
});

describe("a symbolic link to a todo file that does not exist", () => {
  async function danglingLink(): Promise<{ target: string; linked: string; chained: string }> {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "links"));
    const target = join(folder, "data", "todos.json");
    const linked = join(folder, "links", "one.json");
    const chained = join(folder, "links", "two.json");
    await symlink(join("..", "data", "todos.json"), linked);
    await symlink("one.json", chained);
    return { target, linked, chained };
  }

  test("is kept, and the first write creates its target with the folders", async () => {
    const { target, linked, chained } = await danglingLink();
    const adapter = adapterAt(chained);
    expect(await adapter.read()).toBeNull();
    await adapter.write(changed());
    for (const link of [linked, chained]) {
      expect((await lstat(link)).isSymbolicLink()).toBe(true);
      expect(JSON.parse(await readFile(link, "utf8"))).toMatchObject({ by: "hand" });
    }
    expect((await lstat(target)).isFile()).toBe(true);
    expect((await readdir(dirname(target))).sort()).toEqual([
      "todos.json",
      "todos.json.lock",
      "todos.json.reserve",
    ]);
    expect((await readdir(dirname(linked))).sort()).toEqual(["one.json", "two.json"]);
  });

  test.each(["target", "linked", "chained"] as const)(
    "uses the lock of its target, which refuses another adapter at the %s path",
    async (other) => {
      const paths = await danglingLink();
      await mkdir(dirname(paths.target));
      expect(await adapterAt(paths.linked).read()).toBeNull();
      await expect(adapterAt(paths[other]).read()).rejects.toThrow(LockHeldError);
      expect(await readdir(dirname(paths.target))).toEqual(["todos.json.lock"]);
    },
  );

  test("through a linked folder also uses the lock of its target", async () => {
    const { target, linked } = await danglingLink();
    await mkdir(dirname(target));
    const folder = join(dirname(linked), "folder");
    await symlink(dirname(target), folder);
    expect(await adapterAt(join(folder, "todos.json")).read()).toBeNull();
    await expect(adapterAt(target).read()).rejects.toThrow(LockHeldError);
  });

  test("that is removed while in use is not resolved again", async () => {
    const { target, linked } = await danglingLink();
    const adapter = adapterAt(linked);
    expect(await adapter.read()).toBeNull();
    await rm(linked);
    await adapter.write(changed());
    expect(JSON.parse(await readFile(target, "utf8"))).toMatchObject({ by: "hand" });
  });

  test("with `..` after a linked folder is resolved relative to the link's target", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "a", "b"), { recursive: true });
    await symlink(join(folder, "a", "b"), join(folder, "c"));
    await symlink("c/../todos.json", join(folder, "link.json"));
    const adapter = adapterAt(join(folder, "link.json"));
    expect(await adapter.read()).toBeNull();
    await adapter.write(changed());
    expect(await readdir(join(folder, "a"))).toContain("todos.json");
  });

  test.each<[name: string, links: readonly (readonly [string, string])[]]>([
    [
      "of two links",
      [
        ["b", "a"],
        ["a", "b"],
      ],
    ],
    ["of itself", [["a", "a"]]],
  ])("in a loop %s is refused", async (_, links) => {
    const folder = await temporaryFolder();
    for (const [to, from] of links) await symlink(to, join(folder, from));
    await expect(adapterAt(join(folder, "a")).read()).rejects.toThrow(
      "expected a file or a link to one, got symbolic links in a loop",
    );
    expect((await readdir(folder)).sort()).toEqual(links.map(([, from]) => from).sort());
  });
});

describe("a todo file in a read-only or missing folder", () => {
  test("can be read, and is locked before the first write", async () => {
    const { path } = await folderWithFile();
    const ports = readOnlyFolder();
    const adapter = adapterAt(path, ports);
    expect(await adapter.read()).not.toBeNull();
    await expect(adapter.write(changed())).rejects.toMatchObject({ code: "EROFS" });
    ports.isWritable = true;
    await adapter.write(changed());
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ by: "hand" });
    await adapter.write(changed());
  });

  test.each<[name: string, change: (path: string) => Promise<void>]>([
    ["replaced", (path) => writeFile(path, `${empty} `)],
    ["touched", (path) => utimes(path, 1, 1)],
  ])("is not written to if it was %s after it was read", async (_name, change) => {
    const { path } = await folderWithFile();
    const ports = readOnlyFolder();
    const adapter = adapterAt(path, ports);
    await adapter.read();
    await change(path);
    ports.isWritable = true;
    const content = await readFile(path, "utf8");
    await expect(adapter.write(changed())).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(await readFile(path, "utf8")).toBe(content);
    expect(ports.released).toBe(1);
  });

  test("is not written to if it was created by another process after reading", async () => {
    const { folder, path } = await folderWithFile();
    const ports = readOnlyFolder();
    const missing = join(folder, "other.json");
    const adapter = adapterAt(missing, ports);
    expect(await adapter.read()).toBeNull();
    await link(path, missing);
    ports.isWritable = true;
    await expect(adapter.write(changed())).rejects.toMatchObject({ code: "storage_unavailable" });
  });

  test("is created with its missing folder, and locked, by the first write", async () => {
    const path = join(await temporaryFolder(), "a", "b", "todos.json");
    const adapter = adapterAt(path);
    expect(await adapter.read()).toBeNull();
    await adapter.write(changed());
    expect((await readdir(dirname(path))).sort()).toEqual([
      "todos.json",
      "todos.json.lock",
      "todos.json.reserve",
    ]);
    await expect(adapterAt(path).read()).rejects.toThrow(LockHeldError);
  });
});
