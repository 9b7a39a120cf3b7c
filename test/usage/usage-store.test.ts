import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NO_USAGE, type UsageQuery } from "../../src/core/usage.js";
import { RecentTotals } from "../../src/usage/recent-totals.js";
import { UsageStore } from "../../src/usage/usage-store.js";
import { deferred } from "../support/scripted-engine.js";
import { someUsage } from "../support/some-usage.js";
import { UsageInMemory } from "../support/usage-in-memory.js";

const NOON = Date.parse("2026-11-02T12:00:00Z");
const DAY_MS = 24 * 3_600_000;
const ALL: UsageQuery = { fromMs: 0, toMs: NOON + 400 * DAY_MS, width: "1d", groupBy: ["key"] };

function open(retentionMs = 30 * DAY_MS) {
  const storage = new UsageInMemory();
  const onFailed = vi.fn();
  const options = { storage, recent: new RecentTotals(), retentionMs, onFailed };
  const store = new UsageStore({ ...options, now: Date.now });
  const requestsOf = async (query = ALL) =>
    (await store.read(query)).map(({ subject, requests }) => [subject.key, requests]);
  return { storage, store, onFailed, requestsOf };
}

beforeEach(() => {
  vi.useFakeTimers({ now: NOON });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a store of usage", () => {
  it("writes all answers of a second as one group, with one row for equal properties", async () => {
    const { storage, store } = open();
    store.add(someUsage({ promptTokens: 1 }));
    store.add(someUsage({ promptTokens: 2 }));
    store.add(someUsage({ key: "bob" }));
    await vi.advanceTimersByTimeAsync(999);
    expect(storage.writes).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(storage.writes).toEqual([
      [
        expect.objectContaining({ key: "alice", hourMs: NOON, requests: 2, promptTokens: 3 }),
        expect.objectContaining({ key: "bob", hourMs: NOON, requests: 1 }),
      ],
    ]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(storage.writes).toHaveLength(1);
  });

  it("separates hours", async () => {
    const { storage, store } = open();
    vi.setSystemTime(NOON + 3_599_999);
    store.add(someUsage());
    vi.setSystemTime(NOON + 3_600_000);
    store.add(someUsage());
    await vi.advanceTimersByTimeAsync(1000);
    expect(storage.writes[0]?.map(({ hourMs }) => hourMs)).toEqual([NOON, NOON + 3_600_000]);
  });

  it("reads each answer once, before, during and after its write", async () => {
    const { storage, store, requestsOf } = open();
    const write = deferred();
    store.add(someUsage());
    expect(await requestsOf()).toEqual([["alice", 1]]);
    storage.held = write.promise;
    await vi.advanceTimersByTimeAsync(1000);
    store.add(someUsage());
    const during = requestsOf();
    write.resolve();
    expect(await during).toEqual([["alice", 2]]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await requestsOf()).toEqual([["alice", 2]]);
    expect(storage.writes).toHaveLength(2);
  });

  it("keeps usage that cannot be written, and writes it later", async () => {
    const { storage, store, onFailed } = open();
    storage.fault = new Error("database or disk is full");
    store.add(someUsage());
    await vi.advanceTimersByTimeAsync(1000);
    expect(onFailed).toHaveBeenCalledExactlyOnceWith(storage.fault, 1);
    store.add(someUsage());
    await vi.advanceTimersByTimeAsync(60_000);
    expect(onFailed).toHaveBeenCalledOnce();
    expect(store.activity.unwrittenRequests).toBe(2);
    expect(store.activity.failedWrites).toBeGreaterThan(1);
    storage.fault = undefined;
    await vi.advanceTimersByTimeAsync(5000);
    expect(storage.writes).toMatchObject([[{ requests: 2 }]]);
    expect(store.activity.unwrittenRequests).toBe(0);
    storage.fault = new Error("it is full again");
    store.add(someUsage());
    await vi.advanceTimersByTimeAsync(1000);
    expect(onFailed).toHaveBeenCalledTimes(2);
  });

  it("refuses to read usage that cannot be read, rather than a part of it", async () => {
    const { storage, store } = open();
    store.add(someUsage());
    storage.fault = new Error("disk I/O error");
    await expect(store.read(ALL)).rejects.toMatchObject({
      code: "storage_unavailable",
      message: "The usage cannot be read: disk I/O error.",
    });
    storage.fault = undefined;
    expect(await store.read(ALL)).toHaveLength(1);
  });

  it("sums the usage of a key without waiting for a write", () => {
    const { store } = open();
    store.add(someUsage({ promptTokens: 7 }));
    expect(store.sumSince("alice", Date.parse("2026-11-02"))).toMatchObject({ promptTokens: 7 });
    expect(store.sumSince("bob", 0)).toEqual(NO_USAGE);
  });

  it("removes old usage once a day, and again after a failure", async () => {
    const { storage, store, onFailed } = open(10 * DAY_MS);
    const addAndWrite = async () => {
      store.add(someUsage());
      await vi.advanceTimersByTimeAsync(5000);
    };
    await addAndWrite();
    await addAndWrite();
    expect(storage.removals).toEqual([NOON + 1000 - 10 * DAY_MS]);
    vi.setSystemTime(NOON + DAY_MS);
    storage.removeBefore = async () => {
      throw new Error("busy");
    };
    await addAndWrite();
    expect(onFailed).toHaveBeenCalledOnce();
    storage.removeBefore = UsageInMemory.prototype.removeBefore;
    await addAndWrite();
    expect(storage.removals).toHaveLength(2);
    expect(storage.writes).toHaveLength(4);
  });

  it("writes the rest when it is closed", async () => {
    const { storage, store } = open();
    store.add(someUsage());
    await store.close();
    expect(storage.writes).toHaveLength(1);
    expect(storage.isClosed).toBe(true);
    store.add(someUsage());
    expect(vi.getTimerCount()).toBe(0);
  });

  it("closes even if the rest cannot be written", async () => {
    const { storage, store, onFailed } = open();
    store.add(someUsage());
    storage.fault = new Error("the disk is gone");
    await store.close();
    expect(onFailed).toHaveBeenCalledExactlyOnceWith(storage.fault, 1);
    expect(storage.isClosed).toBe(true);
  });
});
