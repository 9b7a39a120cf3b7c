import { describe, expect, it } from "vitest";
import { WorkLimitExceeded } from "../../../src/grammar/errors.js";
import { WorkAllowance, WorkMeter } from "../../../src/grammar/language/work-limit.js";

describe("WorkMeter", () => {
  it("aborts work beyond its limit", () => {
    const meter = new WorkMeter();
    expect(() => meter.limit(3, () => meter.spend(3))).not.toThrow();
    expect(() => meter.limit(3, () => meter.spend(4))).toThrow(WorkLimitExceeded);
  });

  it("counts work within an inner limit against the outer one", () => {
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

  it("is unlimited outside a limit, even after a limit was exceeded", () => {
    const meter = new WorkMeter();
    expect(() => meter.limit(1, () => meter.spend(2))).toThrow(WorkLimitExceeded);
    expect(() => meter.spend(1_000_000)).not.toThrow();
  });

  it("aborts if retained memory exceeds the remaining allowance, and counts the retained memory", () => {
    const meter = new WorkMeter();
    const allowance = new WorkAllowance(Number.POSITIVE_INFINITY, 10);
    meter.runWithin(allowance, () => meter.keep(6));
    expect(() => meter.runWithin(allowance, () => meter.keep(5))).toThrow(WorkLimitExceeded);
    meter.runWithin(allowance, () => meter.keep(4));
    expect(() => meter.runWithin(allowance, () => meter.keep(1))).toThrow(WorkLimitExceeded);
    meter.keep(100);
    expect(meter.keptBytes).toBe(110);
  });

  it("counts memory within an inner allowance against the outer one", () => {
    const meter = new WorkMeter();
    const outer = new WorkAllowance(1, 10);
    const inner = new WorkAllowance(1, 100);
    const work = () => meter.runWithin(inner, () => meter.keep(11));
    expect(() => meter.runWithin(outer, work)).toThrow(WorkLimitExceeded);
    meter.runWithin(outer, () => meter.runWithin(inner, () => meter.keep(7)));
    expect([outer.bytesLeft, inner.bytesLeft]).toEqual([3, 93]);
  });
});
