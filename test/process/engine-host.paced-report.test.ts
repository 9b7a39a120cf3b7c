import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ThrottledReport } from "../../src/process/engine-host.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("changes are reported at most once a second, including the last ones, and then no timer remains", () => {
  const send = vi.fn();
  const report = new ThrottledReport(send);
  for (let changes = 0; changes < 25; changes++) {
    report.noteChange();
    vi.advanceTimersByTime(100);
  }
  expect(send).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(60_000);
  expect(send).toHaveBeenCalledTimes(3);
  expect(vi.getTimerCount()).toBe(0);
});
