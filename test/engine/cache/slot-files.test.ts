import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createTokenIdentity } from "../../../src/engine/cache/prompt-identity.js";
import { SlotFiles } from "../../../src/engine/cache/slot-files.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

const open = (identity = "a model") => SlotFiles.open(folder, async () => identity);
const writing = (text: string) => async (path: string) => {
  await writeFile(path, text);
  return text.length;
};
const failing = async (path: string) => {
  writeFileSync(path, "half");
  throw new Error("no space left on device");
};

describe("saved slot states", () => {
  it("are found by name, also by later processes", async () => {
    const files = await open();
    expect(await files.save("one", createTokenIdentity([1, 2, 3]), writing("a state"))).toBe(7);
    await files.save("two.bin", createTokenIdentity([4]), writing("another"));
    const found = await (await open()).find("one");
    expect(found).toEqual({
      path: join(folder, "one.state"),
      prompt: createTokenIdentity([1, 2, 3]),
      bytes: 7,
    });
    expect((await files.find("two.bin")).prompt.cells).toEqual([4]);
  });

  it("can only be read by their owner", async () => {
    await (await open()).save("one", createTokenIdentity([1]), writing("a state"));
    for (const name of readdirSync(folder)) {
      expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
    }
  });

  it("are replaced only by a completely written state of the same name", async () => {
    const files = await open();
    await files.save("one", createTokenIdentity([1]), writing("a state"));
    await expect(files.save("one", createTokenIdentity([2]), failing)).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    expect((await files.find("one")).prompt.cells).toEqual([1]);
    expect(readdirSync(folder).sort()).toEqual(["one.state", "one.state.json"]);
    await files.save("one", createTokenIdentity([2]), writing("a newer state"));
    expect(await files.find("one")).toMatchObject({ prompt: createTokenIdentity([2]), bytes: 13 });
  });

  it("are not found by other names", async () => {
    const files = await open();
    await expect(files.find("none")).rejects.toMatchObject({
      code: "not_found",
      message: 'There is no saved state "none".',
      param: "filename",
    });
  });

  it.each([
    ["of another model", "another model", () => undefined],
    ["with changed content", "a model", (path: string) => writeFileSync(path, "a steak")],
    ["with a missing file", "a model", (path: string) => rmSync(path)],
  ])("%s are rejected without deleting their manifests", async (_, identity, change) => {
    await (await open()).save("one", createTokenIdentity([1]), writing("a state"));
    change(join(folder, "one.state"));
    await expect((await open(identity)).find("one")).rejects.toMatchObject({
      code: "invalid_request",
      param: "filename",
    });
    expect(existsSync(join(folder, "one.state.json"))).toBe(true);
  });

  it("require a writable folder", async () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    await expect(SlotFiles.open(join(file, "x"), async () => "a model")).rejects.toThrow(
      /^--slot-save-path .*file\/x: /,
    );
    await expect(SlotFiles.open("/proc/none", async () => "a model")).rejects.toThrow(
      "--slot-save-path /proc/none: ",
    );
    await SlotFiles.open(join(folder, "new", "folder"), async () => "a model");
    expect(existsSync(join(folder, "new", "folder"))).toBe(true);
  });
});
