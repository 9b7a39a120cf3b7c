import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAppendable, expectFolder, readRegularFile } from "../../src/files/regular-files.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** Paths that name something other than a file, with its kind. */
async function specialPaths(): Promise<ReadonlyMap<string, string>> {
  const folder = await temporaryFolder();
  const at = (name: string) => join(folder, name);
  execFileSync("mkfifo", [at("fifo")]);
  symlinkSync(at("fifo"), at("link"));
  await mkdir(at("folder"));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(at("socket"), resolve));
  onTestFinished(() => void server.close());
  return new Map([
    [at("fifo"), "a named pipe (FIFO)"],
    [at("link"), "a named pipe (FIFO)"],
    [at("folder"), "a folder"],
    [at("socket"), "a socket"],
    ["/dev/zero", "a device"],
  ]);
}

describe("a path that is not a regular file", () => {
  test("is rejected before it is opened for reading or appending", async () => {
    for (const [path, kind] of await specialPaths()) {
      const refusal = `expected a file, got ${kind}`;
      expect(() => readRegularFile(path)).toThrow(refusal);
      expect(() => createAppendable(path, 0o600)).toThrow(refusal);
    }
  });

  test("is rejected if a directory is expected", async () => {
    for (const [path, kind] of await specialPaths()) {
      const stats = await stat(path);
      if (kind === "a folder") expect(() => expectFolder(stats)).not.toThrow();
      else expect(() => expectFolder(stats)).toThrow(`expected a folder, got ${kind}`);
    }
  });
});

test("a file is read through symbolic links, up to a size limit", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "file");
  writeFileSync(path, "hello");
  symlinkSync(path, join(folder, "link"));
  expect(readRegularFile(join(folder, "link"), 5).toString()).toBe("hello");
  expect(() => readRegularFile(path, 4)).toThrow("expected at most 4 bytes, got 5");
});

test("a missing file is created for appending, and an existing one is not changed", async () => {
  const path = join(await temporaryFolder(), "log");
  createAppendable(path, 0o640);
  expect((await stat(path)).mode & 0o777).toBe(0o640);
  writeFileSync(path, "line\n");
  createAppendable(path, 0o640);
  expect(readFileSync(path, "utf8")).toBe("line\n");
});

test.each([
  ["/dev/null", ""],
  ["/dev/stdout", "line\n"],
  ["/dev/stderr", "line\n"],
])("%s can be appended to, even if it is a pipe", (path, output) => {
  const module = new URL("../../src/files/regular-files.ts", import.meta.url);
  const script = `
    const { createAppendable } = await import(${JSON.stringify(module.href)});
    createAppendable(${JSON.stringify(path)}, 0o600);
    (await import("node:fs")).appendFileSync(${JSON.stringify(path)}, "line\\n");
  `;
  const command = '"$NODE" --import tsx --input-type=module -e "$SCRIPT" 2>&1 | cat';
  const env = { ...process.env, NODE: process.execPath, SCRIPT: script };
  expect(execFileSync("sh", ["-c", command], { env, encoding: "utf8" })).toBe(output);
});
