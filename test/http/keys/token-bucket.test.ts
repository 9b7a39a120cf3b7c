import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  computeLevel,
  computeMsUntilFull,
  computeMsUntilOne,
  computeRemaining,
  createFullBucket,
  resizeBucket,
  takeTokens,
} from "../../../src/http/keys/token-bucket.js";

const perMinute = fc.integer({ min: 1, max: 1_000_000 });
const time = fc.integer({ min: 0, max: 1_000_000_000 });

describe("a bucket of 60 tokens per minute", () => {
  const full = createFullBucket(60, 1000);

  it("permits a minute's tokens at once, then one each second", () => {
    const empty = takeTokens(full, 60, 1000);
    expect(computeRemaining(full, 1000)).toBe(60);
    expect(computeRemaining(empty, 1000)).toBe(0);
    expect(computeMsUntilOne(empty, 1000)).toBe(1000);
    expect(computeRemaining(empty, 1999)).toBe(0);
    expect(computeRemaining(empty, 2000)).toBe(1);
    expect(computeMsUntilFull(empty, 1000)).toBe(60_000);
  });

  it("never holds more than a minute's tokens", () => {
    expect(computeLevel(full, 1_000_000)).toBe(60);
    expect(computeRemaining(takeTokens(full, 1, 1_000_000), 1_000_000)).toBe(59);
  });

  it("goes below zero if more tokens are taken", () => {
    const owing = takeTokens(full, 90, 1000);
    expect(computeLevel(owing, 1000)).toBe(-30);
    expect(computeRemaining(owing, 1000)).toBe(0);
    expect(computeMsUntilOne(owing, 1000)).toBe(31_000);
  });

  it.each([
    ["higher", 120, 20],
    ["lower, with capacity for the level", 30, 20],
    ["lower, limited to the new capacity", 10, 10],
  ])("keeps its level when the rate becomes %s", (_name, rate, level) => {
    const bucket = resizeBucket(takeTokens(full, 40, 1000), rate, 1000);
    expect(bucket.perMinute).toBe(rate);
    expect(computeLevel(bucket, 1000)).toBeCloseTo(level, 6);
  });

  it("keeps its debt when the rate changes", () => {
    expect(computeLevel(resizeBucket(takeTokens(full, 90, 1000), 600, 1000), 1000)).toBeCloseTo(
      -30,
      6,
    );
  });
});

describe("any bucket", () => {
  it("never permits more than a minute's tokens plus the refill", () => {
    const waits = fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 200 });
    fc.assert(
      fc.property(perMinute, time, waits, (rate, start, steps) => {
        let bucket = createFullBucket(rate, start);
        let now = start;
        let given = 0;
        for (const step of steps) {
          now += step;
          if (computeRemaining(bucket, now) < 1) continue;
          bucket = takeTokens(bucket, 1, now);
          given++;
        }
        expect(given).toBeLessThanOrEqual(rate + ((now - start) * rate) / 60_000 + 1e-3);
      }),
    );
  });

  it("permits a token exactly when the reported wait is over", () => {
    fc.assert(
      fc.property(perMinute, fc.nat(3_000_000), time, (rate, taken, now) => {
        const bucket = takeTokens(createFullBucket(rate, now), taken, now);
        const wait = computeMsUntilOne(bucket, now);
        expect(computeRemaining(bucket, now + wait)).toBeGreaterThanOrEqual(1);
        if (wait > 1) expect(computeLevel(bucket, now + wait - 1)).toBeLessThan(1);
      }),
    );
  });
});
