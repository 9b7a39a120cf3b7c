import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { collectGarbageWhenIdle, ownHeap } from "../../src/process/idle-garbage.js";

const MIB = 2 ** 20;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval"] }));
afterEach(() => void vi.useRealTimers());

/** A heap of 20 MiB, of which 10 are garbage, in a process that has nothing to do. */
function heap() {
  const state = { usedBytes: 20 * MIB, busyShare: 0.01, collections: 0 };
  collectGarbageWhenIdle({
    usedBytes: () => state.usedBytes,
    busyShare: () => state.busyShare,
    collect: () => {
      state.collections++;
      state.usedBytes = 10 * MIB;
    },
  });
  return state;
}

test("the garbage of a start is collected when there is nothing to do", () => {
  const state = heap();
  vi.advanceTimersByTime(9_999);
  expect(state.collections).toBe(0);
  vi.advanceTimersByTime(1);
  expect(state.collections).toBe(1);
});

test("nothing is collected while the event loop is busy", () => {
  const state = heap();
  state.busyShare = 0.03;
  vi.advanceTimersByTime(60_000);
  expect(state.collections).toBe(0);
  state.busyShare = 0.02;
  vi.advanceTimersByTime(10_000);
  expect(state.collections).toBe(1);
});

test("nothing is collected again before the heap has grown by 16 MiB", () => {
  const state = heap();
  vi.advanceTimersByTime(10_000);
  state.usedBytes = 26 * MIB - 1;
  vi.advanceTimersByTime(60_000);
  expect(state.collections).toBe(1);
  state.usedBytes = 26 * MIB;
  vi.advanceTimersByTime(60_000);
  expect(state.collections).toBe(2);
});

test("the heap of a process is smaller when its garbage has been collected", () => {
  const own = ownHeap();
  const kept = { garbage: Array.from({ length: 2 ** 20 }, (_, index) => ({ index })) };
  const full = own.usedBytes();
  kept.garbage = [];
  own.collect();
  expect(full - own.usedBytes()).toBeGreaterThan(16 * MIB);
  expect(own.busyShare()).toBeLessThanOrEqual(1);
});
