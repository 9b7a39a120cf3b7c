import { describe, expect, it } from "vitest";
import {
  WorkLimitExceeded,
  WorkMeter,
} from "../../../../src/engine/grammar/language/work-limit.js";

describe("WorkMeter", () => {
  it("ends what spends more than it may", () => {
    const meter = new WorkMeter();
    expect(() => meter.limit(3, () => meter.spend(3))).not.toThrow();
    expect(() => meter.limit(3, () => meter.spend(4))).toThrow(WorkLimitExceeded);
  });

  it("counts what is spent within an inner limit against the outer one", () => {
    const meter = new WorkMeter();
    const work = () => {
      meter.limit(3, () => meter.spend(3));
      meter.spend(3);
    };
    expect(() => meter.limit(6, work)).not.toThrow();
    expect(() => meter.limit(5, work)).toThrow(WorkLimitExceeded);
  });

  it("grants an inner limit no more than the outer one has left", () => {
    const meter = new WorkMeter();
    expect(() => meter.limit(5, () => meter.limit(10, () => meter.spend(6)))).toThrow(
      WorkLimitExceeded,
    );
  });

  it("is unlimited outside, also after a limit was exceeded", () => {
    const meter = new WorkMeter();
    expect(() => meter.limit(1, () => meter.spend(2))).toThrow(WorkLimitExceeded);
    expect(() => meter.spend(1_000_000)).not.toThrow();
  });
});
