import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LazyValue } from "../../src/engine/lazy-value.js";

describe("a lazily initialised value", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is initialised once when idle", () => {
    let isIdle = false;
    const make = vi.fn(() => ({}));
    const value = new LazyValue(make, () => isIdle);
    vi.advanceTimersByTime(10_000);
    expect(make).not.toHaveBeenCalled();
    isIdle = true;
    vi.advanceTimersByTime(10_000);
    expect(make).toHaveBeenCalledTimes(1);
    expect(value.get()).toBe(value.get());
    expect(make).toHaveBeenCalledTimes(1);
  });

  it("is initialised immediately when needed", () => {
    const make = vi.fn(() => 7);
    const value = new LazyValue(make, () => true);
    expect(value.get()).toBe(7);
    vi.advanceTimersByTime(10_000);
    expect(make).toHaveBeenCalledTimes(1);
  });

  it("is not initialised after it is closed", () => {
    const make = vi.fn(() => 7);
    new LazyValue(make, () => true).close();
    vi.advanceTimersByTime(10_000);
    expect(make).not.toHaveBeenCalled();
  });
});
