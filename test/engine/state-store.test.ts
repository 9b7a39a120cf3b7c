import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createStateFolder } from "../../src/engine/state-folder.js";
import { StateStore } from "../../src/engine/state-store.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const text = (length: number, from = 0) => Array.from({ length }, (_, index) => from + index);

/** A store whose states take as many bytes as they have tokens. */
function open(maxBytes = 1000, broken: "save" | "restore" | "nothing" = "nothing") {
  const restored: [number, string][] = [];
  const context = {
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
  return { store: new StateStore({ context, folder, maxBytes }), restored };
}

const held = (store: StateStore) => store.states.map(({ tokens }) => tokens.length);

describe("the store of states", () => {
  test("keeps states and gives them back", async () => {
    const { store, restored } = open();
    await store.save(3, text(10));
    const [state] = store.states;
    expect(state?.tokens).toEqual(text(10));
    expect(state && (await store.restore(state, 5))).toBe(true);
    expect(restored).toEqual([[5, join(folder, "0.state")]]);
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
    const { store } = open(100);
    await store.save(0, text(40));
    await store.save(0, text(50, 100));
    const [first] = store.states;
    if (first !== undefined) await store.restore(first, 0);
    await store.save(0, text(45, 200));
    expect(held(store)).toEqual([40, 45]);
    expect(readdirSync(folder)).toHaveLength(2);
    expect(store.counters).toMatchObject({ bytes: 85, evicted: 1 });
  });

  test("keeps nothing that is larger than all its room", async () => {
    const { store } = open(100);
    await store.save(0, text(101));
    expect(held(store)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("replaces a state by one that goes on from it", async () => {
    const { store } = open();
    await store.save(0, text(20));
    await store.save(0, [...text(10), 99]);
    await store.save(0, text(30));
    expect(held(store)).toEqual([11, 30]);
    expect([store.holds(text(20)), store.holds(text(31))]).toEqual([true, false]);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  test("goes without a state that cannot be written", async () => {
    const { store } = open(1000, "save");
    await store.save(0, text(20));
    expect(held(store)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
    expect(store.counters.failed).toBe(1);
  });

  test("forgets a state that cannot be read, and says so", async () => {
    const { store } = open(1000, "restore");
    await store.save(0, text(20));
    const [state] = store.states;
    expect(state && (await store.restore(state, 0))).toBe(false);
    expect(held(store)).toEqual([]);
    expect(state && (await store.restore(state, 0))).toBe(false);
  });

  test("leaves nothing behind", async () => {
    const { store } = open();
    await store.save(0, text(20));
    await store.close();
    expect(existsSync(folder)).toBe(false);
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
