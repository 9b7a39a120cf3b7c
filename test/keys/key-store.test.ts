import { appendFile, chmod, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { StartupError } from "../../src/core/startup-error.js";
import type { StoredKey } from "../../src/keys/stored-key.js";
import { microtasksDone } from "../support/held-writes.js";
import { RecordingFiles } from "../support/recording-files.js";
import { rejection } from "../support/refusal.js";
import { countingDisk } from "../support/small-disk.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { actor, newKey, openStore, storedValue } from "./some-keys.js";

const newPath = async () => join(await temporaryFolder(), "keys.jsonl");
const namesOf = (keys: readonly StoredKey[]) => keys.map(({ name }) => name);

async function startupError(path: string): Promise<string> {
  const error = await openStore(path).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(StartupError);
  return (error as StartupError).message.replace(path, "FILE");
}

describe("the key store", () => {
  it("creates no file before the first change, and then a private one", async () => {
    const path = await newPath();
    const store = await openStore(path);
    await expect(stat(path)).rejects.toThrow("ENOENT");
    await store.create(newKey("alice"), actor);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("keeps keys and log across restarts, and the permissions of the file", async () => {
    const path = await newPath();
    const store = await openStore(path);
    await store.create(newKey("alice"), actor);
    await store.create(newKey("bob"), actor);
    await store.rotate("alice", storedValue("new"), 1000, actor);
    await chmod(path, 0o640);
    await store.close();
    const reopened = await openStore(path);
    expect(reopened.keys).toEqual(store.keys);
    expect(reopened.log).toEqual(store.log);
    await reopened.remove("bob", actor);
    expect(namesOf(reopened.keys)).toEqual(["alice"]);
    expect((await stat(path)).mode & 0o777).toBe(0o640);
  });

  it("appends one line for each change, except for the first after a start", async () => {
    const path = await newPath();
    const files = new RecordingFiles();
    const store = await openStore(path, { files });
    await store.create(newKey("alice"), actor);
    const before = await readFile(path, "utf8");
    files.steps.length = 0;
    await store.create(newKey("bob"), actor);
    expect((await readFile(path, "utf8")).startsWith(before)).toBe(true);
    expect(files.steps).not.toContainEqual(expect.stringContaining("rename"));
    expect(files.steps).toContainEqual(expect.stringContaining("sync keys.jsonl"));
  });

  it("reports changed keys when they are durable, before the change is acknowledged", async () => {
    const path = await newPath();
    const reported: string[][] = [];
    const store = await openStore(path, {
      onChange: (keys) => reported.push([...namesOf(keys)]),
    });
    const both = [store.create(newKey("alice"), actor), store.create(newKey("bob"), actor)];
    await both[0];
    expect(reported[0]).toEqual(["alice"]);
    await both[1];
    expect(reported[1]).toEqual(["alice", "bob"]);
  });

  it("applies no change that cannot be written, and writes all again afterwards", async () => {
    const path = await newPath();
    const files = new RecordingFiles();
    const reported: string[][] = [];
    const store = await openStore(path, {
      files,
      onChange: (keys) => reported.push([...namesOf(keys)]),
    });
    await store.create(newKey("alice"), actor);
    for (const step of [...new Set(files.steps)]) files.faults.set(step, "EROFS");
    files.faults.set("open keys.jsonl a", "EROFS");
    expect((await rejection(store.create(newKey("bob"), actor))).code).toBe("storage_unavailable");
    expect(store.find("bob")).toBeUndefined();
    expect(store.log).toHaveLength(1);
    files.faults.clear();
    await store.create(newKey("carol"), actor);
    await store.close();
    expect(namesOf((await openStore(path)).keys)).toEqual(["alice", "carol"]);
    expect(reported).toEqual([["alice"], ["alice", "carol"]]);
  });

  it("revokes keys on a full disk", async () => {
    const disk = await countingDisk(1_000_000);
    const path = join(disk.folder, "keys.jsonl");
    const store = await openStore(path, { files: disk.files });
    for (const name of ["alice", "bob", "carol"]) await store.create(newKey(name), actor);
    await disk.fill();
    await store.update("alice", { state: "disabled" }, actor);
    await store.remove("bob", actor);
    await store.close();
    const reopened = await openStore(path);
    expect(reopened.keys).toMatchObject([{ name: "alice", state: "disabled" }, { name: "carol" }]);
  });

  it("refuses changes after it was closed", async () => {
    const store = await openStore(await newPath());
    await store.close();
    const { code } = await rejection(store.create(newKey("alice"), actor));
    expect(code).toBe("shutting_down");
  });

  it("settles changes that are being written when it is closed", async () => {
    const path = await newPath();
    const store = await openStore(path);
    const creation = store.create(newKey("alice"), actor);
    await microtasksDone();
    await store.close();
    await creation;
    expect(namesOf((await openStore(path)).keys)).toEqual(["alice"]);
  });

  it("is used by one process at a time", async () => {
    const path = await newPath();
    await openStore(path);
    expect(await startupError(path)).toMatch(
      /^--key-store FILE: the file of API keys is in use by process \d+ on .*; only one process/,
    );
  });

  it("refuses to continue a file that was edited while it is used", async () => {
    const path = await newPath();
    const store = await openStore(path);
    await store.create(newKey("alice"), actor);
    await appendFile(path, "{}\n");
    const { code, message } = await rejection(store.create(newKey("bob"), actor));
    expect(code).toBe("storage_unavailable");
    expect(message).toContain("another process has changed the file");
  });

  it("writes a removed file again", async () => {
    const path = await newPath();
    const store = await openStore(path);
    await store.create(newKey("alice"), actor);
    await rm(path);
    await store.create(newKey("bob"), actor);
    await store.close();
    expect(namesOf((await openStore(path)).keys)).toEqual(["alice", "bob"]);
  });

  it.each([
    ["keys\n", "line 1: "],
    [
      '{"format":"ggufd keys","version":1}\n{"number":2}\n{"number":3}\n',
      "line 2: at: Invalid input",
    ],
  ])("leaves an invalid file untouched: %j", async (text, reason) => {
    const path = await newPath();
    await writeFile(path, text);
    expect(await startupError(path)).toContain(
      `--key-store FILE: the file of API keys cannot be used: ${reason}`,
    );
    expect(await readFile(path, "utf8")).toBe(text);
  });

  it("refuses keys with attributes that this version does not support", async () => {
    const path = await newPath();
    const store = await openStore(path);
    await store.create(newKey("alice", { attributes: { weight: "2" } }), actor);
    await store.close();
    await writeFile(path, (await readFile(path, "utf8")).replace('"weight"', '"planets"'));
    expect(await startupError(path)).toContain("key alice: planets: expected one of name, ");
  });
});
