import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { replaceDurably } from "../../src/files/durable-file.js";
import { RecordingFiles } from "../support/recording-files.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const bytes = (...texts: string[]) => texts.map((text) => Buffer.from(text));

async function folderWithFile(): Promise<{ folder: string; path: string; files: RecordingFiles }> {
  const folder = join(await temporaryFolder(), "data");
  await mkdir(folder);
  const path = join(folder, "file");
  await writeFile(path, "old");
  return { folder, path, files: new RecordingFiles() };
}

describe("replaceDurably", () => {
  test("syncs the temporary file, renames it, then syncs the directory", async () => {
    const { folder, path, files } = await folderWithFile();
    await replaceDurably(files, { path, chunks: bytes("ne", "", "w\n"), mode: undefined });
    expect(files.steps).toEqual([
      "open file.tmp w",
      "write file.tmp",
      "sync file.tmp",
      "rename file.tmp file",
      "open data r",
      "sync data",
    ]);
    expect(await readFile(path, "utf8")).toBe("new\n");
    expect(await readdir(folder)).toEqual(["file"]);
  });

  test("creates missing directories and first syncs their parents", async () => {
    const folder = await temporaryFolder();
    const files = new RecordingFiles();
    const path = join(folder, "a", "b", "file");
    await replaceDurably(files, { path, chunks: bytes("new"), mode: undefined });
    expect(await readFile(path, "utf8")).toBe("new");
    const synced = files.steps.filter((step) => step.startsWith("sync"));
    expect(synced).toEqual(["sync a", `sync ${basename(folder)}`, "sync file.tmp", "sync b"]);
  });

  test("continues after a short write of any length", async () => {
    const { path, files } = await folderWithFile();
    const chunks = bytes(...Array.from({ length: 40 }, (_, n) => "x".repeat(n % 7) + n));
    for (const maxWriteBytes of [1, 2, 3, 5, 7, 50]) {
      files.maxWriteBytes = maxWriteBytes;
      await replaceDurably(files, { path, chunks, mode: undefined });
      expect(await readFile(path)).toEqual(Buffer.concat(chunks));
    }
  });

  test("splits writes with more chunks than the system accepts at once", async () => {
    const { path, files } = await folderWithFile();
    const chunks = bytes(...Array.from({ length: 3000 }, (_, n) => `${n}\n`));
    await replaceDurably(files, { path, chunks, mode: undefined });
    expect(await readFile(path)).toEqual(Buffer.concat(chunks));
    expect(files.steps.filter((step) => step.startsWith("write"))).toHaveLength(3);
  });

  test("fails if a write returns 0 bytes without an error", async () => {
    const { path, files } = await folderWithFile();
    files.maxWriteBytes = 0;
    const writing = replaceDurably(files, { path, chunks: bytes("new"), mode: undefined });
    await expect(writing).rejects.toThrow("wrote nothing");
  });

  test("sets the requested permissions", async () => {
    const { path, files } = await folderWithFile();
    await replaceDurably(files, { path, chunks: bytes("new"), mode: 0o640 });
    expect((await stat(path)).mode & 0o777).toBe(0o640);
  });

  test.each([
    ["open file.tmp w", "ENOSPC"],
    ["write file.tmp", "ENOSPC"],
    ["sync file.tmp", "EIO"],
    ["rename file.tmp file", "EBUSY"],
  ])(
    "if '%s' fails, rejects, keeps the old file and removes the temporary file",
    async (step, code) => {
      const { folder, path, files } = await folderWithFile();
      files.faults.set(step, code);
      const replacement = { path, chunks: bytes("new"), mode: undefined };
      await expect(replaceDurably(files, replacement)).rejects.toMatchObject({ code });
      expect(await readFile(path, "utf8")).toBe("old");
      expect(await readdir(folder)).toEqual(["file"]);
      files.faults.clear();
      await replaceDurably(files, replacement);
      expect(await readFile(path, "utf8")).toBe("new");
    },
  );

  test.each(["open data r", "sync data"])("rejects if '%s' fails", async (step) => {
    const { path, files } = await folderWithFile();
    files.faults.set(step, "EIO");
    const writing = replaceDurably(files, { path, chunks: bytes("new"), mode: undefined });
    await expect(writing).rejects.toMatchObject({ code: "EIO" });
  });

  test.each([
    ["open data r", "EISDIR"],
    ["open data r", "EACCES"],
    ["sync data", "EPERM"],
    ["sync data", "EINVAL"],
    ["sync data", "EBADF"],
  ])(
    "ignores failure of '%s' with %s, which means that directories cannot be synced",
    async (step, code) => {
      const { path, files } = await folderWithFile();
      files.faults.set(step, code);
      await replaceDurably(files, { path, chunks: bytes("new"), mode: undefined });
      expect(await readFile(path, "utf8")).toBe("new");
    },
  );

  test("overwrites a leftover temporary file that is longer than the new file", async () => {
    const { folder, path, files } = await folderWithFile();
    await writeFile(`${path}.tmp`, "x".repeat(10_000));
    await replaceDurably(files, { path, chunks: bytes("new"), mode: undefined });
    expect(await readFile(path, "utf8")).toBe("new");
    expect(await readdir(folder)).toEqual(["file"]);
  });
});
