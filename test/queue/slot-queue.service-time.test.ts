import { describe, expect, test } from "vitest";
import { ServiceTime } from "../../src/queue/slot-queue.js";

function measured() {
  let nowMs = 0;
  const service = new ServiceTime(() => nowMs);
  return {
    service,
    pass(ms: number): void {
      nowMs += ms;
    },
    takes(ms: number): void {
      const one = service.measure();
      one.begin();
      nowMs += ms;
      one.end();
    },
  };
}

describe("the average service time", () => {
  test("is unknown before a generation has ended", () => {
    const { service } = measured();
    service.measure().begin();
    expect(service.meanMs).toBeUndefined();
  });

  test("starts with the first measurement, and moves towards later ones", () => {
    const { service, takes } = measured();
    takes(1000);
    expect(service.meanMs).toBe(1000);
    takes(2000);
    expect(service.meanMs).toBeCloseTo(1100);
    for (let index = 0; index < 100; index++) takes(50);
    expect(service.meanMs).toBeCloseTo(50, 0);
  });

  test("is measured from the start of the generation, not from the arrival", () => {
    const { service, pass } = measured();
    const one = service.measure();
    pass(5000);
    one.begin();
    pass(100);
    one.end();
    expect(service.meanMs).toBe(100);
  });

  test("excludes requests interrupted by an outage", () => {
    const { service, pass } = measured();
    const one = service.measure();
    expect(one.begin()).toBe("first");
    one.interrupt();
    pass(30_000);
    expect(one.begin()).toBe("again");
    one.end();
    expect(service.meanMs).toBeUndefined();
  });

  test("excludes requests that have not started", () => {
    const { service, pass } = measured();
    const one = service.measure();
    pass(100);
    one.end();
    expect(service.meanMs).toBeUndefined();
  });
});
