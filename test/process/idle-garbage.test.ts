import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { collectGarbageWhenIdle, openThreadHeap } from "../../src/process/idle-garbage.js";

const MIB = 2 ** 20;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval"] }));
afterEach(() => void vi.useRealTimers());

/** A heap of 20 MiB with 10 MiB of garbage, in an idle process. */
function heap() {
  const state = { usedBytes: 20 * MIB, busyShare: 0.01, collections: 0 };
  collectGarbageWhenIdle({
    readUsedBytes: () => state.usedBytes,
    measureBusyShare: () => state.busyShare,
    collect: () => {
      state.collections++;
      state.usedBytes = 10 * MIB;
    },
  });
  return state;
}

test("garbage from startup is collected once the process is idle", () => {
  const state = heap();
  vi.advanceTimersByTime(9_999);
  expect(state.collections).toBe(0);
  vi.advanceTimersByTime(1);
  expect(state.collections).toBe(1);
});

test("garbage is not collected while the event loop is busy", () => {
  const state = heap();
  state.busyShare = 0.03;
  vi.advanceTimersByTime(60_000);
  expect(state.collections).toBe(0);
  state.busyShare = 0.02;
  vi.advanceTimersByTime(10_000);
  expect(state.collections).toBe(1);
});

test("garbage is collected again only after the heap has grown by 16 MiB", () => {
  const state = heap();
  vi.advanceTimersByTime(10_000);
  state.usedBytes = 26 * MIB - 1;
  vi.advanceTimersByTime(60_000);
  expect(state.collections).toBe(1);
  state.usedBytes = 26 * MIB;
  vi.advanceTimersByTime(60_000);
  expect(state.collections).toBe(2);
});

test("collecting garbage reduces the used heap of the process", () => {
  const own = openThreadHeap();
  const kept = { garbage: Array.from({ length: 2 ** 20 }, (_, index) => ({ index })) };
  const full = own.readUsedBytes();
  kept.garbage = [];
  own.collect();
  expect(full - own.readUsedBytes()).toBeGreaterThan(16 * MIB);
  expect(own.measureBusyShare()).toBeLessThanOrEqual(1);
});
