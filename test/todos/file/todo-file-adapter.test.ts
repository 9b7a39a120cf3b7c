import {
  chmod,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { TodoCollection } from "../../../src/todos/collection/todo-collection.js";
import { LockHeldError } from "../../../src/todos/file/file-lock.js";
import { TodoFileAdapter, type TodoFilePorts } from "../../../src/todos/file/todo-file-adapter.js";
import { temporaryFolder } from "../temporary-folder.js";
import { RecordingFiles } from "./recording-files.js";

const empty = '{"version":2,"nextId":1,"items":[],"idempotencyKeys":[]}\n';
const version1 = '{"version":1,"nextId":1,"items":[]}';

function adapterAt(path: string, ports?: TodoFilePorts): TodoFileAdapter {
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
function readOnlyFolder(): TodoFilePorts & { isWritable: boolean; released: number } {
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

describe("read", () => {
  test("resolves with null when there is no file, and creates none", async () => {
    const folder = await temporaryFolder();
    expect(await adapterAt(join(folder, "none", "todos.json")).read()).toBeNull();
    expect(await readdir(folder)).toEqual([]);
  });

  test("accepts a byte order mark, as some editors write it", async () => {
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

  test("is refused while another adapter has the file, under any of its paths", async () => {
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
    expect(await readdir(folder)).toEqual(["todos.json"]);
    expect(await adapterAt(join(links, "file.json")).read()).not.toBeNull();
  });
});

describe("write", () => {
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

  test("of a migrated file first backs up the old bytes durably, and only once", async () => {
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
    "of a migrated file leaves it unmodified when '%s' fails",
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

  test("that would overlap another one is rejected, and the next one works", async () => {
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

  test("does not write to a file that another process has taken over", async () => {
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

describe("a folder that cannot be written to", () => {
  test("is still read, and locked before the first write", async () => {
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
  ])("whose file was %s since it was read is not written to", async (_name, change) => {
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

  test("in which a file has appeared is not written to", async () => {
    const { folder, path } = await folderWithFile();
    const ports = readOnlyFolder();
    const missing = join(folder, "other.json");
    const adapter = adapterAt(missing, ports);
    expect(await adapter.read()).toBeNull();
    await link(path, missing);
    ports.isWritable = true;
    await expect(adapter.write(changed())).rejects.toMatchObject({ code: "storage_unavailable" });
  });

  test("because it does not exist is created by the first write, and locked", async () => {
    const path = join(await temporaryFolder(), "a", "b", "todos.json");
    const adapter = adapterAt(path);
    expect(await adapter.read()).toBeNull();
    await adapter.write(changed());
    expect((await readdir(dirname(path))).sort()).toEqual(["todos.json", "todos.json.lock"]);
    await expect(adapterAt(path).read()).rejects.toThrow(LockHeldError);
  });
});
