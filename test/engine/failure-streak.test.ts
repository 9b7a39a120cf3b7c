import { describe, expect, test, vi } from "vitest";
import { FailureStreak } from "../../src/engine/failure-streak.js";

const lost = new Error("the context\nis broken");

function streak(hooks: { readonly onBroken?: (reason: string) => void }) {
  const log = vi.fn();
  return { log, failures: new FailureStreak({ log, ...hooks }) };
}

describe("consecutive failures", () => {
  test("are reported as a broken context from the third on, and each is logged", () => {
    const onBroken = vi.fn();
    const { failures, log } = streak({ onBroken });
    failures.recordFailure(lost, "a batch failed");
    failures.recordFailure(lost, "a batch failed");
    expect(onBroken).not.toHaveBeenCalled();
    failures.recordFailure(lost, "a batch failed");
    expect(onBroken).toHaveBeenCalledExactlyOnceWith(
      "3 consecutive batches failed: the context is broken",
    );
    expect(log.mock.calls).toEqual(new Array(3).fill(["error", "a batch failed"]));
  });

  test("are counted from zero after a success", () => {
    const onBroken = vi.fn();
    const { failures } = streak({ onBroken });
    for (let times = 0; times < 5; times++) {
      failures.recordFailure(lost, "a batch failed");
      failures.recordFailure(lost, "a batch failed");
      failures.recordSuccess();
    }
    expect(onBroken).not.toHaveBeenCalled();
  });
});

describe("a device failure", () => {
  test.each([
    ["vk::Queue::submit: ErrorDeviceLost", "the GPU is lost: "],
    ["vk::Device::allocateMemory: ErrorOutOfDeviceMemory", "the GPU's memory is full: "],
  ])("is reported immediately if a supervisor can restart the engine: %s", (message, meaning) => {
    const onBroken = vi.fn();
    const { failures, log } = streak({ onBroken });
    failures.recordFailure(new Error(message), "a batch failed");
    expect(onBroken).toHaveBeenCalledExactlyOnceWith(`${meaning}${message}`);
    expect(log).not.toHaveBeenCalled();
  });

  test("is logged if the engine cannot be restarted", () => {
    const { failures, log } = streak({});
    failures.recordFailure(new Error("ErrorDeviceLost"), "a batch failed");
    expect(log).toHaveBeenCalledExactlyOnceWith("error", "a batch failed");
  });
});
