import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { TokenContext } from "../../../src/engine/llama/token-context.js";
import { createStateFolder } from "../../../src/engine/prefix-cache/state-folder.js";
import {
  StateStore,
  type StateStoreOptions,
} from "../../../src/engine/prefix-cache/state-store.js";
import { deferred } from "../../support/scripted-engine.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const text = (length: number, from = 0) => Array.from({ length }, (_, index) => from + index);

/** A store whose states take as many bytes as they have tokens. */
async function open(
  maxBytes = 1000,
  failing: "save" | "restore" | "nothing" = "nothing",
  {
    partialTruncation = "supported",
    ...options
  }: Partial<StateStoreOptions & Pick<TokenContext, "partialTruncation">> = {},
) {
  const restored: [number, string][] = [];
  const context = {
    partialTruncation,
    save: async (_sequence: number, tokens: readonly number[], path: string) => {
      writeFileSync(path, JSON.stringify(tokens));
      if (failing === "save") throw new Error("no space left");
      return tokens.length;
    },
    restore: async (sequenceId: number, path: string) => {
      if (failing === "restore") throw new Error("unreadable");
      restored.push([sequenceId, path]);
      return JSON.parse(readFileSync(path, "utf8"));
    },
  };
  const retention = "session";
  const store = await StateStore.open({ context, folder, maxBytes, retention, ...options });
  return { store, restored };
}

const savedLengths = (store: StateStore) => store.states.map(({ tokens }) => tokens.length);

describe("StateStore", () => {
  test("saves states and restores them", async () => {
    const { store, restored } = await open();
    await store.save(3, text(10));
    const [state] = store.states;
    expect(state?.tokens).toEqual(text(10));
    expect(state && (await store.restore(state, 5))).toBe(true);
    expect(restored).toEqual([[5, expect.stringMatching(/\.state$/)]]);
    expect(store.counters).toEqual({
      states: 1,
      bytes: 10,
      saved: 1,
      restored: 1,
      evicted: 0,
      failed: 0,
    });
  });

  test("evicts the least recently used state when it is full", async () => {
    const { store } = await open(100);
    await store.save(0, text(40));
    await store.save(0, text(50, 100));
    const [first] = store.states;
    if (first !== undefined) await store.restore(first, 0);
    await store.save(0, text(45, 200));
    expect(savedLengths(store)).toEqual([40, 45]);
    expect(readdirSync(folder)).toHaveLength(2);
    expect(store.counters).toMatchObject({ bytes: 85, evicted: 1 });
  });

  test("does not keep a state that exceeds its capacity, and evicts no other for it", async () => {
    const { store } = await open(100);
    await store.save(0, text(60));
    await store.save(0, text(101, 100));
    expect(savedLengths(store)).toEqual([60]);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test("does not write a state at least as long as one that was too large", async () => {
    const { store } = await open(100);
    await store.save(0, text(150));
    await store.save(0, text(150, 200));
    await store.save(0, text(149, 400));
    expect(store.counters).toMatchObject({ saved: 2, evicted: 2, states: 0 });
  });

  test("replaces a state with one that extends it", async () => {
    const { store } = await open();
    await store.save(0, text(20));
    await store.save(0, [...text(10), 99]);
    await store.save(0, text(30));
    expect(savedLengths(store)).toEqual([11, 30]);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  test("keeps prefixes of states without partial truncation, each once", async () => {
    const { store } = await open(1000, "nothing", { partialTruncation: "unsupported" });
    for (const length of [20, 30, 20]) await store.save(0, text(length));
    expect(savedLengths(store)).toEqual([30, 20]);
    expect(store.counters).toMatchObject({ states: 2, bytes: 50, saved: 3, evicted: 0 });
    expect(readdirSync(folder)).toHaveLength(2);
  });

  test("ignores a state that cannot be written", async () => {
    const { store } = await open(1000, "save");
    await store.save(0, text(20));
    expect(savedLengths(store)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
    expect(store.counters.failed).toBe(1);
  });

  test("ignores a state whose tokens cannot be written beside it", async () => {
    const save = async () => {
      rmSync(folder, { recursive: true });
      return 20;
    };
    const context = {
      partialTruncation: "supported",
      save,
      restore: () => Promise.resolve([]),
    } as const;
    const { store } = await open(1000, "nothing", { retention: "permanent", context });
    await store.save(0, text(20));
    expect(store.counters).toMatchObject({ states: 0, saved: 0, failed: 1 });
  });

  test("drops a state whose file holds other tokens", async () => {
    const { store } = await open();
    await store.save(0, text(20));
    const [file = ""] = readdirSync(folder);
    writeFileSync(join(folder, file), JSON.stringify(text(20, 100)));
    const [state] = store.states;
    expect(state && (await store.restore(state, 0))).toBe(false);
    expect(store.counters).toMatchObject({ states: 0, restored: 0, failed: 1 });
  });

  test("overwrites no state of an earlier process, which may have had the same id", async () => {
    const permanent = { retention: "permanent" } as const;
    const { store: earlier } = await open(1000, "nothing", permanent);
    await earlier.save(0, text(20));
    await earlier.close();
    const { store } = await open(1000, "nothing", permanent);
    await store.save(0, text(20, 100));
    expect(store.states.map(({ tokens }) => tokens)).toEqual([text(20), text(20, 100)]);
    for (const state of store.states) expect(await store.restore(state, 0)).toBe(true);
  });

  test("drops a state that cannot be read, and reports it", async () => {
    const { store } = await open(1000, "restore");
    await store.save(0, text(20));
    const [state] = store.states;
    expect(state && (await store.restore(state, 0))).toBe(false);
    expect(savedLengths(store)).toEqual([]);
    expect(state && (await store.restore(state, 0))).toBe(false);
  });

  test("deletes the folder of a session", async () => {
    const { store } = await open();
    await store.save(0, text(20));
    await store.close();
    expect(existsSync(folder)).toBe(false);
  });
});

describe("a second tier", () => {
  const diskFolder = () => join(folder, "disk");
  const openBoth = async (diskBytes = 1000) => {
    const disk = await open(diskBytes, "nothing", { folder: diskFolder(), retention: "permanent" });
    const memoryFolder = join(folder, "memory");
    const { store } = await open(100, "nothing", { folder: memoryFolder, next: disk.store });
    return { store, diskStore: disk.store, restored: disk.restored };
  };

  test("takes the states that the first tier evicts, and restores them", async () => {
    const { store, diskStore, restored } = await openBoth();
    await store.save(0, text(80));
    await store.save(0, text(70, 100));
    await store.settled();
    expect([savedLengths(store), savedLengths(diskStore)]).toEqual([[70, 80], [80]]);
    const [, state] = store.states;
    expect(state && (await store.restore(state, 4))).toBe(true);
    expect(restored).toHaveLength(1);
  });

  test("is told apart from the first one, state by state and in its counters", async () => {
    const { store } = await openBoth();
    await store.save(0, text(80));
    const [first] = store.states;
    await store.save(0, text(70, 100));
    await store.settled();
    expect(store.states.map((state) => store.tierOf(state))).toEqual(["ram", "disk"]);
    expect(first && store.tierOf(first)).toBeUndefined();
    expect(store.countersByTier).toMatchObject({
      ram: { bytes: 70, evicted: 1 },
      disk: { bytes: 80, evicted: 0 },
    });
  });

  test("keeps all states for the next start when both are closed", async () => {
    const { store } = await openBoth();
    await store.save(0, text(80));
    await store.save(0, text(70, 100));
    await store.close();
    expect(existsSync(join(folder, "memory"))).toBe(false);
    const { store: reopened } = await openBoth();
    expect(reopened.states.map(({ tokens }) => tokens.length).toSorted()).toEqual([70, 80]);
    expect(reopened.states.find(({ tokens }) => tokens.length === 80)?.tokens).toEqual(text(80));
  });

  test("is not waited for when a state is saved", async () => {
    const { store, diskStore } = await openBoth();
    const slowDisk = deferred();
    vi.spyOn(diskStore, "take").mockReturnValueOnce(slowDisk.promise);
    await store.save(0, text(80));
    await store.save(0, text(70, 100));
    expect(savedLengths(store)).toEqual([70]);
    slowDisk.resolve();
    await store.settled();
  });

  test("is not handed more than it can take: what exceeds the backlog is dropped", async () => {
    const { store, diskStore } = await openBoth();
    const slowDisk = deferred();
    const take = vi.spyOn(diskStore, "take").mockReturnValue(slowDisk.promise);
    for (const from of [0, 100, 200, 300]) await store.save(0, text(60, from));
    expect(savedLengths(store)).toEqual([60]);
    slowDisk.resolve();
    await store.settled();
    expect(take).toHaveBeenCalledTimes(1);
    expect(readdirSync(join(folder, "memory"))).toHaveLength(1);
    await store.save(0, text(60, 400));
    await store.settled();
    expect(take).toHaveBeenCalledTimes(2);
  });

  test("has its own capacity", async () => {
    const { store, diskStore } = await openBoth(100);
    for (const from of [0, 100, 200]) {
      await store.save(0, text(60, from));
      await store.settled();
    }
    expect(diskStore.counters).toMatchObject({ states: 1, bytes: 60, evicted: 1 });
    expect(readdirSync(diskFolder())).toHaveLength(2);
  });

  test("deletes incomplete, invalid and orphaned files when it is opened", async () => {
    const { store } = await openBoth();
    await store.save(0, text(80));
    await store.close();
    writeFileSync(join(diskFolder(), "1-1.state"), "no tokens");
    writeFileSync(join(diskFolder(), "1-2.state"), "");
    writeFileSync(join(diskFolder(), "1-2.state.tokens"), "[1]");
    writeFileSync(join(diskFolder(), "1-3.state"), "bad tokens");
    writeFileSync(join(diskFolder(), "1-3.state.tokens"), '["a"]');
    writeFileSync(join(diskFolder(), "1-4.state.tokens"), "[1]");
    const { store: reopened } = await openBoth();
    expect(savedLengths(reopened)).toEqual([80]);
    expect(readdirSync(diskFolder())).toHaveLength(2);
  });
});

describe("the folder for states", () => {
  test("is new, and those of dead processes are deleted", () => {
    // No process of Linux, macOS or Windows has such an id.
    const dead = join(folder, "ggufd-states-4194999-abc");
    const alive = join(folder, `ggufd-states-${process.ppid}-abc`);
    const other = join(folder, "something-else");
    for (const path of [dead, alive, other]) mkdirSync(path);
    const { path = "" } = createStateFolder(1, { parents: [folder] }) ?? {};
    expect([dead, alive, other, path].map(existsSync)).toEqual([false, true, true, true]);
    expect(createStateFolder(1, { parents: [folder] })?.path).not.toBe(path);
  });

  const MIB = 2 ** 20;
  test.each([
    { memoryMiB: 4096, diskMiB: 9999, requestedMiB: 1024, chosen: "memory", capacityMiB: 1024 },
    { memoryMiB: 64, diskMiB: 9999, requestedMiB: 1024, chosen: "disk", capacityMiB: 1024 },
    { memoryMiB: 64, diskMiB: 500, requestedMiB: 1024, chosen: "disk", capacityMiB: 450 },
    { memoryMiB: 500, diskMiB: 64, requestedMiB: 1024, chosen: "memory", capacityMiB: 450 },
  ])(
    "is in $chosen with $memoryMiB MiB free in memory and $diskMiB MiB on disk, for $requestedMiB MiB",
    ({ memoryMiB, diskMiB, requestedMiB, chosen, capacityMiB }) => {
      const [memory, disk] = [join(folder, "memory"), join(folder, "disk")];
      for (const path of [memory, disk]) mkdirSync(path);
      const created = createStateFolder(requestedMiB * MIB, {
        parents: [memory, join(folder, "missing"), disk],
        freeBytesOf: (path) => (path === memory ? memoryMiB : diskMiB) * MIB,
      });
      expect(created?.path.startsWith(join(folder, chosen))).toBe(true);
      expect(created?.capacityBytes).toBe(capacityMiB * MIB);
      if (memoryMiB > requestedMiB) expect(created?.warning).toBeUndefined();
      else {
        expect(created?.warning).toContain(`--cache-ram is ${requestedMiB} MiB`);
        expect(created?.warning).toContain(`up to ${capacityMiB} MiB`);
      }
    },
  );

  test("is missing where none can be written to", () => {
    expect(createStateFolder(1, { parents: [join(folder, "missing")] })).toBeUndefined();
  });
});
