import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import Database from "libsql/promise";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { StartupError } from "../../src/core/startup-error.js";
import type { UsageQuery } from "../../src/core/usage.js";
import { openThreadHeap } from "../../src/process/idle-garbage.js";
import { openUsage } from "../../src/usage/open-usage.js";
import { eventually } from "../support/eventually.js";
import { mountedDisk } from "../support/small-disk.js";
import { someUsage } from "../support/some-usage.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const DAY_MS = 24 * 3_600_000;
const NOON = Date.parse("2026-11-02T12:00:00Z");
const ALL: UsageQuery = {
  fromMs: NOON - 365 * DAY_MS,
  toMs: NOON + 365 * DAY_MS,
  width: "1mo",
  groupBy: [],
};

async function newFolder(): Promise<string> {
  return join(await temporaryFolder(), "data", "usage");
}

/** Opens a folder until the test finishes. */
async function open(folder: string, nowMs = NOON) {
  const onFailed = vi.fn();
  const opened = await openUsage(folder, {
    retentionMs: 30 * DAY_MS,
    now: () => nowMs,
    onFailed,
  });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await opened.close();
    isOpen = false;
  };
  onTestFinished(close);
  return { ...opened, close, onFailed };
}

describe("the folder of usage", () => {
  it("keeps usage, grouped by any properties, across restarts", async () => {
    const folder = await newFolder();
    const first = await open(folder);
    first.store.add(someUsage({ promptTokens: 1, audioSeconds: 0.25 }));
    first.store.add(someUsage({ promptTokens: 2, audioSeconds: 0.5, class: "batch" }));
    first.store.add(someUsage({ promptTokens: 4, key: "o\"'brien", adapter: "a,b" }));
    await first.close();
    const { store } = await open(folder);
    store.add(someUsage({ promptTokens: 8 }));
    expect(await store.read(ALL)).toMatchObject([
      {
        bucketMs: Date.parse("2026-11-01"),
        requests: 4,
        promptTokens: 15,
        completionTokens: 12,
        audioSeconds: 0.75,
      },
    ]);
    const byKey = await store.read({ ...ALL, width: "1h", groupBy: ["key", "adapter"] });
    expect(byKey).toMatchObject([
      { bucketMs: NOON, subject: { key: "alice", adapter: "" }, promptTokens: 11 },
      { bucketMs: NOON, subject: { key: "o\"'brien", adapter: "a,b" }, promptTokens: 4 },
    ]);
    const ofBrien = await store.read({ ...ALL, width: "1d", key: "o\"'brien" });
    expect(ofBrien).toMatchObject([{ bucketMs: Date.parse("2026-11-02"), requests: 1 }]);
  });

  it("adds to the stored row of the same hour and properties", async () => {
    const folder = await newFolder();
    for (let run = 0; run < 3; run++) {
      const { store, close } = await open(folder);
      store.add(someUsage());
      await close();
    }
    const database = new Database(join(folder, "usage.db"), {});
    onTestFinished(() => database.close());
    const statement = await database.prepare(
      'SELECT count(*) AS rows, sum("requests") AS requests FROM usage',
    );
    expect(await statement.all()).toEqual([{ rows: 1, requests: 3 }]);
  });

  it("reports the sums of this month from memory after a restart", async () => {
    const folder = await newFolder();
    const october = await open(folder, NOON - 5 * DAY_MS);
    october.store.add(someUsage({ promptTokens: 100 }));
    await october.close();
    const november = await open(folder);
    november.store.add(someUsage({ promptTokens: 1 }));
    await november.close();
    const { store } = await open(folder, NOON + DAY_MS);
    store.add(someUsage({ promptTokens: 2 }));
    const sumSince = (text: string) => store.sumSince("alice", Date.parse(text)).promptTokens;
    expect(sumSince("2026-11-01")).toBe(3);
    expect(sumSince("2026-11-03")).toBe(2);
  });

  it("drops usage older than the retention", async () => {
    const folder = await newFolder();
    const old = await open(folder, NOON - 31 * DAY_MS);
    old.store.add(someUsage());
    await old.close();
    const recent = await open(folder, NOON - 29 * DAY_MS);
    recent.store.add(someUsage());
    await recent.close();
    const current = await open(folder);
    current.store.add(someUsage());
    await current.close();
    const { store } = await open(folder);
    const days = await store.read({ ...ALL, width: "1d" });
    expect(days.map(({ bucketMs }) => bucketMs)).toEqual([
      Date.parse("2026-10-04"),
      Date.parse("2026-11-02"),
    ]);
  });

  it("keeps usage in memory while the disk is full, and loses none", async ({ skip }) => {
    const disk = mountedDisk();
    if (disk === undefined) return skip("this process may not mount a disk");
    // Connections of closed databases hold the disk until their statements are collected.
    const { collect } = openThreadHeap();
    onTestFinished(async () => {
      collect();
      await setImmediate();
    });
    const folder = join(disk.folder, "usage");
    const first = await open(folder);
    first.store.add(someUsage());
    await disk.fill();
    for (let number = 0; number < 500; number++) {
      first.store.add(someUsage({ model: `model-${number}` }));
    }
    await eventually(() => expect(first.onFailed).toHaveBeenCalledOnce());
    expect(String(first.onFailed.mock.lastCall?.[0])).toContain("full");
    expect(first.store.activity).toMatchObject({ unwrittenRequests: 501, failedWrites: 1 });
    expect(await first.store.read(ALL)).toMatchObject([{ requests: 501 }]);
    for (const name of await readdir(disk.folder)) {
      if (name.startsWith("filler")) await rm(join(disk.folder, name));
    }
    await first.close();
    const { store } = await open(folder);
    expect(await store.read(ALL)).toMatchObject([{ requests: 501 }]);
  });

  it("is used by one process at a time", async () => {
    const folder = await newFolder();
    const { close } = await open(folder);
    await expect(open(folder)).rejects.toThrow(
      /^--usage .*: the folder is in use by process \d+ on .* A second daemon needs its own\.$/,
    );
    await close();
    await open(folder);
  });

  it.each([
    ["text", async (path: string) => writeFile(path, "not a database".repeat(1000))],
    [
      "a truncated database",
      async (path: string) => truncate(path, Math.floor((await readFile(path)).length / 2)),
    ],
    [
      "a database with overwritten pages",
      async (path: string) => {
        const bytes = await readFile(path);
        await writeFile(path, bytes.fill(0x5a, 4096));
      },
    ],
  ])("is not opened, and left unchanged, if its file is %s", async (_, damage) => {
    const folder = await newFolder();
    const { store, close } = await open(folder);
    for (let number = 0; number < 500; number++) store.add(someUsage({ model: `model-${number}` }));
    await close();
    const path = join(folder, "usage.db");
    await damage(path);
    const damaged = await readFile(path);
    const failure = await open(folder).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StartupError);
    expect(String(failure)).toContain(`--usage ${folder}: the folder cannot be used: `);
    expect(await readFile(path)).toEqual(damaged);
    expect(existsSync(join(folder, "lock"))).toBe(false);
  });

  it("is not opened if a newer version has written it", async () => {
    const folder = await newFolder();
    await mkdir(folder, { recursive: true });
    const database = new Database(join(folder, "usage.db"), {});
    await database.exec("PRAGMA user_version = 2");
    database.close();
    await expect(open(folder)).rejects.toThrow(
      "the folder cannot be used: expected a database of version 1, got version 2.",
    );
  });

  it("is not opened if it cannot be created", async () => {
    const file = join(await temporaryFolder(), "file");
    await writeFile(file, "");
    await expect(open(join(file, "usage"))).rejects.toThrow(
      /^--usage .*: the folder cannot be used/,
    );
  });
});
