import { describe, expect, test, vi } from "vitest";
import { FailureStreak } from "../../src/engine/failure-streak.js";

describe("failures in a row", () => {
  test("are taken for a broken context from the third on, with the native error", () => {
    const onBroken = vi.fn();
    const failures = new FailureStreak(onBroken);
    failures.fail(new Error("the device\nis lost"));
    failures.fail(new Error("the device\nis lost"));
    expect(onBroken).not.toHaveBeenCalled();
    failures.fail(new Error("the device\nis lost"));
    expect(onBroken).toHaveBeenCalledExactlyOnceWith(
      "3 batches in a row have failed: the device is lost",
    );
  });

  test("are forgotten when something succeeds in between", () => {
    const onBroken = vi.fn();
    const failures = new FailureStreak(onBroken);
    for (let times = 0; times < 5; times++) {
      failures.fail(new Error("no"));
      failures.fail(new Error("no"));
      failures.succeed();
    }
    expect(onBroken).not.toHaveBeenCalled();
  });
});
