import type * as realFs from "node:fs/promises";
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { DurableJsonAdapter } from "../../src/todos/durable-json-adapter.js";
import { temporaryFolder } from "./temporary-folder.js";

/** Steps of the adapter as they reach the file system, and errors that a test plants in their way. */
const disk = vi.hoisted(() => ({
  steps: [] as string[],
  faults: new Map<string, string>(),
  step(name: string): void {
    this.steps.push(name);
    const code = this.faults.get(name);
    if (code !== undefined) throw Object.assign(new Error(`${code}: planted`), { code });
  },
}));

vi.mock("node:fs/promises", async (importOriginal) => {
  const fs = await importOriginal<typeof realFs>();
  const named = (path: unknown) => String(path).split("/").slice(-1).join();
  return {
    ...fs,
    open: async (path: string, flags: string) => {
      disk.step(`open ${named(path)} ${flags}`);
      const handle = await fs.open(path, flags);
      return {
        chmod: (mode: number) => handle.chmod(mode),
        writeFile: async (text: string) => {
          await handle.writeFile(text);
          disk.step(`write ${named(path)}`);
        },
        sync: async () => {
          disk.step(`sync ${named(path)}`);
          await handle.sync();
        },
        close: () => handle.close(),
      };
    },
    rename: async (from: string, to: string) => {
      disk.step(`rename ${named(from)} ${named(to)}`);
      await fs.rename(from, to);
    },
  };
});

beforeEach(() => {
  disk.steps.length = 0;
  disk.faults.clear();
});

const adapterAt = (path: string) => new DurableJsonAdapter<unknown>(path, (value) => value);

async function folderWithFile(content = '{"n":1}'): Promise<{ folder: string; path: string }> {
  const folder = join(await temporaryFolder(), "data");
  await mkdir(folder);
  const path = join(folder, "todos.json");
  await writeFile(path, content);
  return { folder, path };
}

describe("write", () => {
  test("syncs the temporary file, renames it, then syncs the folder, in this order", async () => {
    const { path } = await folderWithFile();
    await adapterAt(path).write({ n: 2 });
    expect(disk.steps).toEqual([
      "open todos.json.tmp w",
      "write todos.json.tmp",
      "sync todos.json.tmp",
      "rename todos.json.tmp todos.json",
      "open data r",
      "sync data",
    ]);
  });

  test("writes indented JSON that ends with a line break, and leaves nothing beside it", async () => {
    const { folder, path } = await folderWithFile();
    await adapterAt(path).write({ n: 2, list: ["ä"] });
    expect(await readFile(path, "utf8")).toBe('{\n  "n": 2,\n  "list": [\n    "ä"\n  ]\n}\n');
    expect(await readdir(folder)).toEqual(["todos.json"]);
  });

  test("creates missing folders and syncs each, up to the one that was there", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "a", "b", "todos.json");
    await adapterAt(path).write({ n: 1 });
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual({ n: 1 });
    const top = folder.split("/").at(-1);
    const synced = disk.steps.filter((step) => step.startsWith("sync"));
    expect(synced).toEqual(["sync todos.json.tmp", "sync b", "sync a", `sync ${top}`]);
  });

  test.each([
    ["open todos.json.tmp w", "ENOSPC"],
    ["write todos.json.tmp", "ENOSPC"],
    ["sync todos.json.tmp", "EIO"],
    ["rename todos.json.tmp todos.json", "EBUSY"],
  ])(
    "when '%s' fails, rejects, keeps the old file and removes the temporary one",
    async (step, code) => {
      const { folder, path } = await folderWithFile();
      disk.faults.set(step, code);
      await expect(adapterAt(path).write({ n: 2 })).rejects.toMatchObject({ code });
      expect(await readFile(path, "utf8")).toBe('{"n":1}');
      expect(await readdir(folder)).toEqual(["todos.json"]);
      disk.faults.clear();
      await adapterAt(path).write({ n: 3 });
      expect(JSON.parse(await readFile(path, "utf8"))).toEqual({ n: 3 });
    },
  );

  test.each(["open data r", "sync data"])("when '%s' fails, rejects", async (step) => {
    const { path } = await folderWithFile();
    disk.faults.set(step, "EIO");
    await expect(adapterAt(path).write({ n: 2 })).rejects.toMatchObject({ code: "EIO" });
  });

  test.each([
    ["open data r", "EISDIR"],
    ["open data r", "EACCES"],
    ["sync data", "EPERM"],
    ["sync data", "EINVAL"],
    ["sync data", "EBADF"],
  ])(
    "'%s' with %s means that folders cannot be synced here, and is no failure",
    async (step, code) => {
      const { path } = await folderWithFile();
      disk.faults.set(step, code);
      await adapterAt(path).write({ n: 2 });
      expect(JSON.parse(await readFile(path, "utf8"))).toEqual({ n: 2 });
    },
  );

  test("a left-over temporary file, longer than the new one, does no harm", async () => {
    const { folder, path } = await folderWithFile();
    await writeFile(`${path}.tmp`, `{"n":${"9".repeat(10_000)}`);
    expect(await adapterAt(path).read()).toEqual({ n: 1 });
    await adapterAt(path).write({ n: 2 });
    expect(await adapterAt(path).read()).toEqual({ n: 2 });
    expect(await readdir(folder)).toEqual(["todos.json"]);
  });

  test("keeps the file's permissions", async () => {
    const { path } = await folderWithFile();
    await chmod(path, 0o640);
    await adapterAt(path).write({ n: 2 });
    expect((await stat(path)).mode & 0o777).toBe(0o640);
  });

  test("writes through a symbolic link", async () => {
    const { path } = await folderWithFile();
    const link = join(await temporaryFolder(), "link.json");
    await symlink(path, link);
    await adapterAt(link).write({ n: 2 });
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual({ n: 2 });
    expect(await readdir(dirname(link))).toEqual(["link.json"]);
  });
});

describe("read", () => {
  test("gives null when there is no file, and makes none", async () => {
    const folder = await temporaryFolder();
    expect(await adapterAt(join(folder, "none", "todos.json")).read()).toBeNull();
    expect(await readdir(folder)).toEqual([]);
  });

  test("takes a byte order mark, as some editors write it", async () => {
    const { path } = await folderWithFile('\uFEFF{"n":1}');
    expect(await adapterAt(path).read()).toEqual({ n: 1 });
  });

  test("refuses bytes that are no UTF-8", async () => {
    const { path } = await folderWithFile();
    await writeFile(path, Buffer.from([0x22, 0xff, 0x22]));
    await expect(adapterAt(path).read()).rejects.toThrow(/utf-8/);
  });

  test("refuses what the parser refuses", async () => {
    const { path } = await folderWithFile();
    const adapter = new DurableJsonAdapter<never>(path, () => {
      throw new Error("wrong shape");
    });
    await expect(adapter.read()).rejects.toThrow("wrong shape");
  });
});
