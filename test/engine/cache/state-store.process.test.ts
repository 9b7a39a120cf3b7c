import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createTokenIdentity } from "../../../src/engine/cache/prompt-identity.js";
import { createStateFolder } from "../../../src/engine/cache/state-folder.js";
import { StateStore, type StateStoreOptions } from "../../../src/engine/cache/state-store.js";
import type { TokenContext } from "../../../src/engine/native/token-context.js";
import { eventually } from "../../support/eventually.js";
import { deferred } from "../../support/scripted-engine.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const PERMANENT = { kind: "permanent", identity: "model" } as const;

const text = (length: number, from = 0) => Array.from({ length }, (_, index) => from + index);

/** A store whose states take one byte per token. */
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
  const retention = { kind: "session" } as const;
  const warnings: string[] = [];
  const store = await StateStore.open({
    context,
    folder,
    maxBytes,
    retention,
    onWarning: (message) => warnings.push(message),
    ...options,
  });
  return { store, restored, warnings };
}

const savedLengths = (store: StateStore) => store.states.map(({ prompt }) => prompt.cells.length);

describe("StateStore", () => {
  test("saves states and restores them", async () => {
    const { store, restored } = await open();
    await store.save(3, createTokenIdentity(text(10)));
    const [state] = store.states;
    expect(state?.prompt.cells).toEqual(text(10));
    expect(state && (await store.restore(state, 5))).toBe("restored");
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
    await store.save(0, createTokenIdentity(text(40)));
    await store.save(0, createTokenIdentity(text(50, 100)));
    const [first] = store.states;
    if (first !== undefined) await store.restore(first, 0);
    await store.save(0, createTokenIdentity(text(45, 200)));
    expect(savedLengths(store)).toEqual([40, 45]);
    expect(readdirSync(folder)).toHaveLength(2);
    expect(store.counters).toMatchObject({ bytes: 85, evicted: 1 });
  });

  test("drops a state that exceeds its capacity without evicting others", async () => {
    const { store } = await open(100);
    await store.save(0, createTokenIdentity(text(60)));
    await store.save(0, createTokenIdentity(text(101, 100)));
    expect(savedLengths(store)).toEqual([60]);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test("does not write a state at least as long as an earlier one that was too large", async () => {
    const { store } = await open(100);
    await store.save(0, createTokenIdentity(text(150)));
    await store.save(0, createTokenIdentity(text(150, 200)));
    await store.save(0, createTokenIdentity(text(149, 400)));
    expect(store.counters).toMatchObject({ saved: 2, evicted: 2, states: 0 });
  });

  test("replaces a state with one that extends it", async () => {
    const { store } = await open();
    await store.save(0, createTokenIdentity(text(20)));
    await store.save(0, createTokenIdentity([...text(10), 99]));
    await store.save(0, createTokenIdentity(text(30)));
    expect(savedLengths(store)).toEqual([11, 30]);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  test("keeps one state of each prefix without partial truncation", async () => {
    const { store } = await open(1000, "nothing", { partialTruncation: "unsupported" });
    for (const length of [20, 30, 20]) await store.save(0, createTokenIdentity(text(length)));
    expect(savedLengths(store)).toEqual([30, 20]);
    expect(store.counters).toMatchObject({ states: 2, bytes: 50, saved: 3, evicted: 0 });
    expect(readdirSync(folder)).toHaveLength(2);
  });

  test("ignores a state that cannot be written", async () => {
    const { store } = await open(1000, "save");
    await store.save(0, createTokenIdentity(text(20)));
    expect(savedLengths(store)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
    expect(store.counters.failed).toBe(1);
  });

  test("ignores a state whose tokens cannot be written with it", async () => {
    const save = async () => {
      rmSync(folder, { recursive: true });
      return 20;
    };
    const context = {
      partialTruncation: "supported",
      save,
      restore: () => Promise.resolve([]),
    } as const;
    const { store } = await open(1000, "nothing", { retention: PERMANENT, context });
    await store.save(0, createTokenIdentity(text(20)));
    expect(store.counters).toMatchObject({ states: 0, saved: 0, failed: 1 });
  });

  test("drops a state if its file contains other tokens", async () => {
    const { store } = await open();
    await store.save(0, createTokenIdentity(text(20)));
    const [file = ""] = readdirSync(folder);
    writeFileSync(join(folder, file), JSON.stringify(text(20, 100)));
    const [state] = store.states;
    expect(state && (await store.restore(state, 0))).toBe("undefined-cells");
    expect(store.counters).toMatchObject({ states: 0, restored: 0, failed: 1 });
  });

  test("does not overwrite states of an earlier process, whose id may have been the same", async () => {
    const permanent = { retention: PERMANENT };
    const { store: earlier } = await open(1000, "nothing", permanent);
    await earlier.save(0, createTokenIdentity(text(20)));
    await earlier.close();
    const { store } = await open(1000, "nothing", permanent);
    await store.save(0, createTokenIdentity(text(20, 100)));
    expect(store.states.map(({ prompt }) => prompt.cells)).toEqual([text(20), text(20, 100)]);
    for (const state of store.states) expect(await store.restore(state, 0)).toBe("restored");
  });

  test("drops and reports a state that cannot be read", async () => {
    const { store } = await open(1000, "restore");
    await store.save(0, createTokenIdentity(text(20)));
    const [state] = store.states;
    expect(state && (await store.restore(state, 0))).toBe("undefined-cells");
    expect(savedLengths(store)).toEqual([]);
    expect(state && (await store.restore(state, 0))).toBe("untouched");
  });

  test("deletes the folder of a session", async () => {
    const { store } = await open();
    await store.save(0, createTokenIdentity(text(20)));
    await store.close();
    expect(existsSync(folder)).toBe(false);
  });
});

describe("the disk tier of the store", () => {
  const diskFolder = () => join(folder, "disk");
  const openBoth = async (diskBytes = 1000) => {
    const disk = await open(diskBytes, "nothing", { folder: diskFolder(), retention: PERMANENT });
    const memoryFolder = join(folder, "memory");
    const { store } = await open(100, "nothing", { folder: memoryFolder, next: disk.store });
    return { store, diskStore: disk.store, restored: disk.restored };
  };

  test("takes states evicted from memory, and restores them", async () => {
    const { store, diskStore, restored } = await openBoth();
    await store.save(0, createTokenIdentity(text(80)));
    await store.save(0, createTokenIdentity(text(70, 100)));
    await store.waitForDemotions();
    expect([savedLengths(store), savedLengths(diskStore)]).toEqual([[70, 80], [80]]);
    const [, state] = store.states;
    expect(state && (await store.restore(state, 4))).toBe("restored");
    expect(restored).toHaveLength(1);
  });

  test("is reported separately from the memory tier, for each state and in the counters", async () => {
    const { store } = await openBoth();
    await store.save(0, createTokenIdentity(text(80)));
    const [first] = store.states;
    await store.save(0, createTokenIdentity(text(70, 100)));
    await store.waitForDemotions();
    expect(store.states.map((state) => store.tierOf(state))).toEqual(["ram", "disk"]);
    expect(first && store.tierOf(first)).toBeUndefined();
    expect(store.countersByTier).toMatchObject({
      ram: { bytes: 70, evicted: 1 },
      disk: { bytes: 80, evicted: 0 },
    });
  });

  test("keeps all states for the next start when the store is closed", async () => {
    const { store } = await openBoth();
    await store.save(0, createTokenIdentity(text(80)));
    await store.save(0, createTokenIdentity(text(70, 100)));
    await store.close();
    expect(existsSync(join(folder, "memory"))).toBe(false);
    const { store: reopened } = await openBoth();
    expect(reopened.states.map(({ prompt }) => prompt.cells.length).toSorted()).toEqual([70, 80]);
    expect(reopened.states.find(({ prompt }) => prompt.cells.length === 80)?.prompt.cells).toEqual(
      text(80),
    );
  });

  test("keeps the owners of states until the process ends", async () => {
    const { store, diskStore } = await openBoth();
    const owners = new Map([["alice", 50]]);
    await store.save(0, createTokenIdentity(text(80)), owners);
    await store.save(0, createTokenIdentity(text(70, 100)), owners);
    await store.waitForDemotions();
    expect(store.states.map((state) => state.owners)).toEqual([owners, owners]);
    expect(diskStore.states.map((state) => state.owners)).toEqual([owners]);
    await store.close();
    const { store: reopened } = await openBoth();
    expect(reopened.states.map((state) => state.owners)).toEqual([undefined, undefined]);
  });

  test("does not delay saving a state", async () => {
    const { store, diskStore } = await openBoth();
    const slowDisk = deferred();
    vi.spyOn(diskStore, "take").mockReturnValueOnce(slowDisk.promise);
    await store.save(0, createTokenIdentity(text(80)));
    await store.save(0, createTokenIdentity(text(70, 100)));
    expect(savedLengths(store)).toEqual([70]);
    slowDisk.resolve();
    await store.waitForDemotions();
  });

  test("drops states that exceed its backlog", async () => {
    const { store, diskStore } = await openBoth();
    const slowDisk = deferred();
    const take = vi.spyOn(diskStore, "take").mockReturnValue(slowDisk.promise);
    for (const from of [0, 100, 200, 300]) await store.save(0, createTokenIdentity(text(60, from)));
    expect(savedLengths(store)).toEqual([60]);
    slowDisk.resolve();
    await store.waitForDemotions();
    expect(take).toHaveBeenCalledTimes(1);
    expect(readdirSync(join(folder, "memory"))).toHaveLength(1);
    await store.save(0, createTokenIdentity(text(60, 400)));
    await store.waitForDemotions();
    expect(take).toHaveBeenCalledTimes(2);
  });

  test("has a separate capacity", async () => {
    const { store, diskStore } = await openBoth(100);
    for (const from of [0, 100, 200]) {
      await store.save(0, createTokenIdentity(text(60, from)));
      await store.waitForDemotions();
    }
    expect(diskStore.counters).toMatchObject({ states: 1, bytes: 60, evicted: 1 });
    expect(readdirSync(diskFolder())).toHaveLength(2);
  });

  test("deletes incomplete, invalid and orphaned files when opened", async () => {
    const { store } = await openBoth();
    await store.save(0, createTokenIdentity(text(80)));
    await store.close();
    const write = (name: string, content: string) =>
      writeFileSync(join(diskFolder(), name), content);
    const manifest = JSON.stringify({ tokens: [1], checksum: "00" });
    write("1-1.state", "no manifest");
    write("1-2.state", "");
    write("1-2.state.json", manifest);
    write("1-3.state", "bad tokens");
    write("1-3.state.json", JSON.stringify({ tokens: ["a"], checksum: "00" }));
    write("1-4.state.json", manifest);
    write("1-5.state", "half a manifest");
    write("1-5.state.json", manifest.slice(0, 10));
    const { store: reopened } = await openBoth();
    expect(savedLengths(reopened)).toEqual([80]);
    expect(readdirSync(diskFolder())).toHaveLength(2);
  });
});

describe("a state of an earlier process", () => {
  const permanent = { retention: PERMANENT };
  /** Two states of an earlier process, with their files. */
  const leaveTwo = async () => {
    const { store } = await open(1000, "nothing", permanent);
    await store.save(0, createTokenIdentity(text(40)));
    await store.save(0, createTokenIdentity(text(40, 100)));
    await store.close();
    const names = readdirSync(folder).filter((name) => name.endsWith(".state"));
    return names.map((name) => join(folder, name)) as [string, string];
  };
  /** Outcomes of restoring each state, optionally with a failing llama.cpp. */
  const restoreAll = async (options: Partial<StateStoreOptions> = permanent) => {
    const { store, restored, warnings } = await open(1000, "nothing", options);
    const outcomes = [];
    for (const state of store.states) outcomes.push(await store.restore(state, 0));
    return { outcomes, read: restored.length, warnings, kept: readdirSync(folder) };
  };
  const rewrite = (path: string, change: (content: Buffer) => Buffer) =>
    writeFileSync(path, change(readFileSync(path)));

  test("can be restored by several later processes", async () => {
    await leaveTwo();
    for (const start of ["first", "second"]) {
      const { outcomes, warnings, kept } = await restoreAll();
      expect(outcomes, start).toEqual(["restored", "restored"]);
      expect(warnings).toEqual([]);
      expect(kept).toHaveLength(4);
    }
  });

  test.each<[string, (first: string, second: string) => void]>([
    ["a flipped bit", (path) => rewrite(path, (state) => state.fill((state[9] ?? 0) ^ 1, 9, 10))],
    ["a block of garbage", (path) => rewrite(path, (state) => state.fill(0x5a, 20, 60))],
    ["a byte too few", (path) => rewrite(path, (state) => state.subarray(0, -1))],
    ["a byte too many", (path) => rewrite(path, (state) => Buffer.concat([state, Buffer.of(0)]))],
    ["the content of another state", (path, other) => copyFileSync(other, path)],
    [
      "the manifest of another state",
      (path, other) => copyFileSync(`${other}.json`, `${path}.json`),
    ],
    [
      "other tokens in its manifest",
      (path) => rewrite(`${path}.json`, (json) => Buffer.from(`${json}`.replace("[", "[7,"))),
    ],
    [
      "another checksum in its manifest",
      (path) =>
        rewrite(`${path}.json`, (json) => Buffer.from(`${json}`.replace(/.{3}"}/, '000"}'))),
    ],
  ])("with %s is dropped before llama.cpp reads it", async (_, damage) => {
    const [first, second] = await leaveTwo();
    damage(first, second);
    const { outcomes, read, warnings, kept } = await restoreAll();
    expect(outcomes.toSorted()).toEqual(["restored", "untouched"]);
    expect(read).toBe(1);
    expect(warnings).toEqual([expect.stringContaining("its checksum differs from the saved one")]);
    expect(kept.toSorted()).toEqual([basename(second), `${basename(second)}.json`].toSorted());
  });

  test.each([
    ["a FIFO", (path: string) => execFileSync("mkfifo", [path])],
    ["a folder", (path: string) => mkdirSync(path)],
    ["a link", (path: string) => symlinkSync("/dev/zero", path)],
    ["nothing", () => undefined],
  ])("is dropped if it has been replaced by %s", async (_, replace) => {
    const [first] = await leaveTwo();
    const { store, restored } = await open(1000, "nothing", permanent);
    rmSync(first);
    replace(first);
    const outcomes = [];
    for (const state of store.states) outcomes.push(await store.restore(state, 0));
    expect(outcomes.toSorted()).toEqual(["restored", "untouched"]);
    expect(restored).toHaveLength(1);
    expect(store.counters).toMatchObject({ states: 1, failed: 1 });
  });

  test("is not restored for another model, version or setting", async () => {
    await leaveTwo();
    const { outcomes, read } = await restoreAll({
      retention: { kind: "permanent", identity: "another" },
    });
    expect(outcomes).toEqual(["untouched", "untouched"]);
    expect(read).toBe(0);
  });

  test("is deleted at the next start if llama.cpp crashed or hung while reading it", async () => {
    await leaveTwo();
    const context = {
      partialTruncation: "supported",
      save: () => Promise.resolve(0),
      restore: () => new Promise<never>(() => {}),
    } as const;
    const { store } = await open(1000, "nothing", { ...permanent, context });
    const [state] = store.states;
    void (state && store.restore(state, 0));
    await eventually(() => expect(readdirSync(folder).join()).toContain(".taken"));
    const { outcomes, warnings, kept } = await restoreAll();
    expect(outcomes).toEqual(["restored"]);
    expect(warnings).toEqual([expect.stringContaining("a process exited while reading them")]);
    expect(kept).toHaveLength(2);
  });

  test("is neither evicted nor dropped while it is being read", async () => {
    await leaveTwo();
    const reading = deferred();
    const { store } = await open(100, "nothing", {
      ...permanent,
      context: {
        partialTruncation: "supported",
        save: async (_id, tokens, path) => {
          writeFileSync(path, JSON.stringify(tokens));
          return 60;
        },
        restore: async (_id, path) => {
          await reading.promise;
          return JSON.parse(readFileSync(path, "utf8"));
        },
      },
      maxBytes: 400,
    });
    const [state] = store.states;
    const restored = state && store.restore(state, 0);
    await store.save(1, createTokenIdentity(text(30, 500)));
    reading.resolve();
    expect(await restored).toBe("restored");
    expect(store.states.at(-1)).toBe(state);
    expect(readdirSync(folder)).toHaveLength(2 * store.states.length);
  });

  test("can only be read and written by its user, like its folder", async () => {
    mkdirSync(join(folder, "states"), { mode: 0o777 });
    const options = { ...permanent, folder: join(folder, "states") };
    const { store: earlier } = await open(1000, "nothing", options);
    await earlier.save(0, createTokenIdentity(text(40)));
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
    expect(modeOf(options.folder)).toBe("700");
    const names = readdirSync(options.folder);
    expect(names).toHaveLength(2);
    for (const name of names) expect(modeOf(join(options.folder, name)), name).toBe("600");
  });

  test("is dropped with all states that share its beginning if it led to no answer", async () => {
    await leaveTwo();
    const { store } = await open(1000, "nothing", permanent);
    store.drop(createTokenIdentity([...text(35), 9]), 32);
    await store.waitForDemotions();
    expect(store.states.map(({ prompt }) => prompt.cells)).toEqual([text(40, 100)]);
    expect(readdirSync(folder)).toHaveLength(2);
  });
});

describe("a file in the state folder that is not a state", () => {
  const permanent = { retention: PERMANENT };
  const isRoot = process.getuid?.() === 0;

  test.each<[string, (path: string) => void]>([
    ["a dangling link", (path) => symlinkSync(join(folder, "nowhere"), path)],
    ["a link to itself", (path) => symlinkSync(path, path)],
    ["a folder", (path) => mkdirSync(path)],
    ["a FIFO", (path) => execFileSync("mkfifo", [path])],
  ])("is ignored with a warning, whatever its name: %s", async (_, make) => {
    const { store: earlier } = await open(1000, "nothing", permanent);
    await earlier.save(0, createTokenIdentity(text(40)));
    await earlier.close();
    const names = ["other", "a.state", "b.state.json", "c.state.taken"];
    for (const name of names) make(join(folder, name));
    writeFileSync(join(folder, "a.state.json"), JSON.stringify({ tokens: [1], checksum: "00" }));
    writeFileSync(join(folder, "b.state"), "state");
    const { store, warnings } = await open(1000, "nothing", permanent);
    expect(savedLengths(store)).toEqual([40]);
    expect(warnings).toEqual([
      expect.stringContaining("ignored files that are not saved states or cannot be read: "),
    ]);
    for (const name of names) expect(warnings[0]).toContain(name);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(names));
    const [state] = store.states;
    expect(state && (await store.restore(state, 0))).toBe("restored");
  });

  test("is ignored with a warning: a socket", async () => {
    const server = createServer().listen(join(folder, "a.state"));
    await once(server, "listening");
    const { store, warnings } = await open(1000, "nothing", permanent);
    server.close();
    expect(savedLengths(store)).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining("cannot be read: a.state")]);
  });

  test.skipIf(isRoot)("is ignored with a warning: a file that cannot be read", async () => {
    const { store: earlier } = await open(1000, "nothing", permanent);
    await earlier.save(0, createTokenIdentity(text(40)));
    await earlier.close();
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0);
    const { store, warnings } = await open(1000, "nothing", permanent);
    expect(savedLengths(store)).toEqual([]);
    expect(warnings).toEqual([
      expect.stringContaining("ignored files that are not saved states or cannot be read: "),
    ]);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  test("is named in a warning of limited length", async () => {
    for (let index = 0; index < 200; index++) mkdirSync(join(folder, `folder-${index}`));
    const { warnings } = await open(1000, "nothing", permanent);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.length).toBeLessThan(300);
  });
});

describe("the state folder", () => {
  test("is new for each process, and folders of dead processes are deleted", () => {
    // No process on Linux, macOS or Windows has such an id.
    const dead = join(folder, "ggufd-states-4194999-abc");
    const alive = join(folder, `ggufd-states-${process.ppid}-abc`);
    const other = join(folder, "something-else");
    for (const path of [dead, alive, other]) mkdirSync(path);
    const { path = "" } = createStateFolder(1, { parents: [folder] }) ?? {};
    expect([dead, alive, other, path].map(existsSync)).toEqual([false, true, true, true]);
    expect(createStateFolder(1, { parents: [folder] })?.path).not.toBe(path);
  });

  test.runIf(process.getuid?.() === 0)(
    "is created even if another user's abandoned folder cannot be deleted",
    () => {
      const others = join(folder, "ggufd-states-4194999-abc");
      mkdirSync(others, { mode: 0o700 });
      writeFileSync(join(others, "state"), "");
      chmodSync(folder, 0o1777);
      process.seteuid?.(65534);
      let path: string | undefined;
      try {
        path = createStateFolder(1, { parents: [folder] })?.path;
      } finally {
        process.seteuid?.(0);
      }
      expect(path).toBeDefined();
      expect(existsSync(others)).toBe(true);
    },
  );

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

  test("is missing if no folder is writable", () => {
    expect(createStateFolder(1, { parents: [join(folder, "missing")] })).toBeUndefined();
  });
});
