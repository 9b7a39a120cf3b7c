import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Watchdog, type Work } from "../../src/process/watchdog.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function watch(limitSeconds?: number) {
  let inFlight = 1;
  let advances = 0;
  const ping = vi.fn();
  const onHang = vi.fn();
  const work = (): readonly Work[] => [{ unit: "call", inFlight, advance: "answer", advances }];
  const watchdog = new Watchdog({ limitSeconds, work, ping, onHang });
  watchdog.watch();
  return {
    watchdog,
    ping,
    onHang,
    advance: () => {
      advances += 1;
    },
    finish: () => {
      inFlight = 0;
    },
  };
}

describe("a watchdog", () => {
  test("pings the process every second, and reports a hang once", () => {
    const { watchdog, ping, onHang } = watch(5);
    ping.mockImplementation(() => watchdog.noteMessage());
    vi.advanceTimersByTime(5000);
    expect(ping).toHaveBeenCalledTimes(5);
    expect(onHang).not.toHaveBeenCalled();
    vi.advanceTimersByTime(60_000);
    expect(onHang).toHaveBeenCalledExactlyOnceWith("no answer for 5 s with 1 call in flight");
    expect(vi.getTimerCount()).toBe(0);
  });

  test("waits a minute by default", () => {
    const { onHang } = watch();
    vi.advanceTimersByTime(60_000);
    expect(onHang).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1000);
    expect(onHang).toHaveBeenCalledOnce();
  });

  test("has no timer while the process is idle, and resumes when it has work", () => {
    const { watchdog, finish, ping } = watch(5);
    finish();
    vi.advanceTimersByTime(1000);
    expect([vi.getTimerCount(), ping.mock.calls.length]).toEqual([0, 0]);
    watchdog.watch();
    watchdog.watch();
    expect(vi.getTimerCount()).toBe(1);
  });

  test("is disabled by a limit of 0", () => {
    watch(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("does not mistake system sleep for a hang", () => {
    const { onHang } = watch(5);
    vi.advanceTimersByTime(1000);
    vi.setSystemTime(Date.now() + 3_600_000);
    vi.advanceTimersByTime(3000);
    expect(onHang).not.toHaveBeenCalled();
  });

  test("starts again after a stop", () => {
    const { watchdog, onHang } = watch(5);
    vi.advanceTimersByTime(4000);
    watchdog.stop();
    watchdog.watch();
    vi.advanceTimersByTime(5000);
    expect(onHang).not.toHaveBeenCalled();
  });
});
