import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  forgetKept,
  keep,
  MAX_AGE_MS,
  MAX_CHARACTERS,
  MAX_TEXTS,
  readKept,
  type TextStorage,
} from "../../src/page/tab-storage.js";

/** Storage in memory. @param maxEntries number of entries that fit into it */
function storageOf(maxEntries = Number.POSITIVE_INFINITY): TextStorage {
  const entries = new Map<string, string>();
  return {
    getItem: (name) => entries.get(name) ?? null,
    setItem(name, value) {
      if (!entries.has(name) && entries.size >= maxEntries) throw new Error("QuotaExceededError");
      entries.set(name, value);
    },
    removeItem: (name) => void entries.delete(name),
    key: (index) => [...entries.keys()][index] ?? null,
    get length() {
      return entries.size;
    },
  };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe("the texts kept for a tab", () => {
  it("are read by name until they are empty", () => {
    const storage = storageOf();
    expect(readKept("a", storage)).toBe("");
    keep("a", "one", storage);
    keep("b", "two", storage);
    expect(readKept("a", storage)).toBe("one");
    keep("a", "", storage);
    expect(readKept("a", storage)).toBe("");
    expect(storage.length).toBe(1);
  });

  it("are forgotten together, without what others have stored", () => {
    const storage = storageOf();
    storage.setItem("ggufd.api-key", "secret");
    keep("a", "one", storage);
    keep("b", "two", storage);
    forgetKept(storage);
    expect([storage.length, storage.key(0)]).toEqual([1, "ggufd.api-key"]);
  });

  it("are bounded in number: the oldest are dropped", () => {
    const storage = storageOf();
    for (let index = 0; index <= MAX_TEXTS; index++) {
      vi.advanceTimersByTime(1);
      keep(`${index}`, "text", storage);
    }
    expect(storage.length).toBe(MAX_TEXTS);
    expect(readKept("0", storage)).toBe("");
    expect(readKept("1", storage)).toBe("text");
  });

  it("are bounded in size and age", () => {
    const storage = storageOf();
    keep("long", "x".repeat(MAX_CHARACTERS + 1), storage);
    expect(storage.length).toBe(0);
    keep("old", "text", storage);
    vi.advanceTimersByTime(MAX_AGE_MS + 1);
    expect(readKept("old", storage)).toBe("");
  });

  it("replace the older half if the storage is full", () => {
    const storage = storageOf(2);
    keep("a", "one", storage);
    vi.advanceTimersByTime(1);
    keep("b", "two", storage);
    keep("c", "three", storage);
    expect([readKept("a", storage), readKept("c", storage)]).toEqual(["", "three"]);
  });

  it("ignore entries of another format", () => {
    const storage = storageOf();
    storage.setItem("ggufd.tab.a", "nonsense");
    storage.setItem("ggufd.tab.b", '{"text":1}');
    expect([readKept("a", storage), readKept("b", storage)]).toEqual(["", ""]);
  });
});
