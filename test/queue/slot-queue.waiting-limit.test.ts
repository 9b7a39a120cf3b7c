import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { WaitingLimit } from "../../src/queue/slot-queue.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the queue timeout", () => {
  test("ends requests that exceed it, with a Retry-After", () => {
    let waiting = 0;
    const limit = new WaitingLimit(1500, () => waiting);
    limit.begin();
    waiting = 7;
    vi.advanceTimersByTime(1499);
    expect(limit.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(limit.signal.reason).toMatchObject({
      code: "queue_timeout",
      status: 503,
      retryAfterSeconds: 7,
      message: "The request waited for 1.5 s (--queue-timeout) and did not get a slot.",
    });
  });

  test("does not end requests that have started", () => {
    const limit = new WaitingLimit(1000, () => 1);
    limit.begin();
    limit.end();
    vi.advanceTimersByTime(10_000);
    expect(limit.signal.aborted).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("restarts for requests that return to the queue", () => {
    const limit = new WaitingLimit(1000, () => 1);
    limit.begin();
    vi.advanceTimersByTime(900);
    limit.begin();
    vi.advanceTimersByTime(999);
    expect(limit.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(limit.signal.aborted).toBe(true);
  });

  test("is disabled by 0", () => {
    const limit = new WaitingLimit(0, () => 1);
    limit.begin();
    expect(vi.getTimerCount()).toBe(0);
    limit.end();
  });
});
