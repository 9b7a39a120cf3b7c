import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TokenContext } from "../../../src/engine/llama/token-context.js";
import { createStateFolder } from "../../../src/engine/prefix-cache/state-folder.js";
import {
  StateStore,
  type StateStoreOptions,
} from "../../../src/engine/prefix-cache/state-store.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const text = (length: number, from = 0) => Array.from({ length }, (_, index) => from + index);

/** A store whose states take as many bytes as they have tokens. */
async function open(
  maxBytes = 1000,
  broken: "save" | "restore" | "nothing" = "nothing",
  {
    partialTruncation = "supported",
    ...options
  }: Partial<StateStoreOptions & Pick<TokenContext, "partialTruncation">> = {},
) {
  const restored: [number, string][] = [];
  const context = {
    partialTruncation,
    save: async (_sequence: number, tokens: readonly number[], path: string) => {
      writeFileSync(path, "x".repeat(tokens.length));
      if (broken === "save") throw new Error("no space left");
      return tokens.length;
    },
    restore: async (sequenceId: number, path: string) => {
      if (broken === "restore") throw new Error("unreadable");
      restored.push([sequenceId, path]);
    },
  };
  const retention = "session";
  const store = await StateStore.open({ context, folder, maxBytes, retention, ...options });
  return { store, restored };
}

const held = (store: StateStore) => store.states.map(({ tokens }) => tokens.length);

describe("the store of states", () => {
  test("retention states and gives them back", async () => {
    const { store, restored } = await open();
    await store.save(3, text(10));
    const [state] = store.states;
    expect(state?.tokens).toEqual(text(10));
    expect(state && (await store.restore(state, 5))).toBe(true);
    expect(restored).toEqual([[5, join(folder, `${process.pid}-0.state`)]]);
    expect(store.counters).toEqual({
      states: 1,
      bytes: 10,
      saved: 1,
      restored: 1,
      evicted: 0,
      failed: 0,
    });
  });

  test("drops the least recently used when there is no room", async () => {
    const { store } = await open(100);
    await store.save(0, text(40));
    await store.save(0, text(50, 100));
    const [first] = store.states;
    if (first !== undefined) await store.restore(first, 0);
    await store.save(0, text(45, 200));
    expect(held(store)).toEqual([40, 45]);
    expect(readdirSync(folder)).toHaveLength(2);
    expect(store.counters).toMatchObject({ bytes: 85, evicted: 1 });
  });

  test("retention nothing that is larger than all its room, and all else for it", async () => {
    const { store } = await open(100);
    await store.save(0, text(60));
    await store.save(0, text(101, 100));
    expect(held(store)).toEqual([60]);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test("does not write again what is sure to be too large", async () => {
    const { store } = await open(100);
    await store.save(0, text(150));
    await store.save(0, text(150, 200));
    await store.save(0, text(149, 400));
    expect(store.counters).toMatchObject({ saved: 2, evicted: 2, states: 0 });
  });

  test("replaces a state by one that goes on from it", async () => {
    const { store } = await open();
    await store.save(0, text(20));
    await store.save(0, [...text(10), 99]);
    await store.save(0, text(30));
    expect(held(store)).toEqual([11, 30]);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  test("retention beginnings of states that cannot be cut, each once", async () => {
    const { store } = await open(1000, "nothing", { partialTruncation: "unsupported" });
    for (const length of [20, 30, 20]) await store.save(0, text(length));
    expect(held(store)).toEqual([30, 20]);
    expect(store.counters).toMatchObject({ states: 2, bytes: 50, saved: 3, evicted: 0 });
    expect(readdirSync(folder)).toHaveLength(2);
  });

  test("goes without a state that cannot be written", async () => {
    const { store } = await open(1000, "save");
    await store.save(0, text(20));
    expect(held(store)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
    expect(store.counters.failed).toBe(1);
  });

  test("goes without a state whose tokens cannot be written beside it", async () => {
    const save = async () => {
      rmSync(folder, { recursive: true });
      return 20;
    };
    const context = {
      partialTruncation: "supported",
      save,
      restore: () => Promise.resolve(),
    } as const;
    const { store } = await open(1000, "nothing", { retention: "permanent", context });
    await store.save(0, text(20));
    expect(store.counters).toMatchObject({ states: 0, saved: 0, failed: 1 });
  });

  test("forgets a state that cannot be read, and says so", async () => {
    const { store } = await open(1000, "restore");
    await store.save(0, text(20));
    const [state] = store.states;
    expect(state && (await store.restore(state, 0))).toBe(false);
    expect(held(store)).toEqual([]);
    expect(state && (await store.restore(state, 0))).toBe(false);
  });

  test("leaves nothing behind", async () => {
    const { store } = await open();
    await store.save(0, text(20));
    await store.close();
    expect(existsSync(folder)).toBe(false);
  });
});

describe("a store behind the store", () => {
  const disk = () => join(folder, "disk");
  const openBoth = async (diskBytes = 1000) => {
    const behind = await open(diskBytes, "nothing", { folder: disk(), retention: "permanent" });
    const front = join(folder, "memory");
    const { store } = await open(100, "nothing", { folder: front, next: behind.store });
    return { store, behind: behind.store, restored: behind.restored };
  };

  test("takes what the first has no room for, and gives it back", async () => {
    const { store, behind, restored } = await openBoth();
    await store.save(0, text(80));
    await store.save(0, text(70, 100));
    expect([held(store), held(behind)]).toEqual([[70, 80], [80]]);
    const [, state] = store.states;
    expect(state && (await store.restore(state, 4))).toBe(true);
    expect(restored).toHaveLength(1);
  });

  test("retention everything when both are closed, for the next start", async () => {
    const { store } = await openBoth();
    await store.save(0, text(80));
    await store.save(0, text(70, 100));
    await store.close();
    expect(existsSync(join(folder, "memory"))).toBe(false);
    const { store: later } = await openBoth();
    expect(later.states.map(({ tokens }) => tokens.length).toSorted()).toEqual([70, 80]);
    expect(later.states.find(({ tokens }) => tokens.length === 80)?.tokens).toEqual(text(80));
  });

  test("has limits too", async () => {
    const { store, behind } = await openBoth(100);
    for (const from of [0, 100, 200]) await store.save(0, text(60, from));
    expect(behind.counters).toMatchObject({ states: 1, bytes: 60, evicted: 1 });
    expect(readdirSync(disk())).toHaveLength(2);
  });

  test("does not believe in files that are incomplete or none of its own", async () => {
    const { store } = await openBoth();
    await store.save(0, text(80));
    await store.close();
    writeFileSync(join(disk(), "1-1.state"), "no tokens");
    writeFileSync(join(disk(), "1-2.state"), "");
    writeFileSync(join(disk(), "1-2.state.tokens"), "[1]");
    writeFileSync(join(disk(), "1-3.state"), "bad tokens");
    writeFileSync(join(disk(), "1-3.state.tokens"), '["a"]');
    writeFileSync(join(disk(), "1-4.state.tokens"), "[1]");
    const { store: later } = await openBoth();
    expect(held(later)).toEqual([80]);
    expect(readdirSync(disk())).toHaveLength(2);
  });
});

describe("the folder of states", () => {
  test("is new, and those of dead processes are gone", () => {
    // No process of Linux, macOS or Windows has such an id.
    const dead = join(folder, "ggufd-states-4194999-abc");
    const alive = join(folder, `ggufd-states-${process.ppid}-abc`);
    const other = join(folder, "something-else");
    for (const path of [dead, alive, other]) mkdirSync(path);
    const created = createStateFolder(folder);
    expect([dead, alive, other, created].map(existsSync)).toEqual([false, true, true, true]);
    expect(createStateFolder(folder)).not.toBe(created);
  });
});
