import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { settlesWithin } from "../../src/core/settles-within.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("a promise that settles in time is returned, and its timer is removed", async () => {
  expect(await settlesWithin(Promise.resolve("x"), 1000)).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test("a promise that does not settle is awaited until the limit", async () => {
  const within = settlesWithin(new Promise(() => undefined), 1000);
  const settled = vi.fn();
  void within.then(settled);
  await vi.advanceTimersByTimeAsync(999);
  expect(settled).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(await within).toBe(false);
});

test("a rejection is propagated", async () => {
  await expect(settlesWithin(Promise.reject(new Error("no")), 1000)).rejects.toThrow("no");
  expect(vi.getTimerCount()).toBe(0);
});
