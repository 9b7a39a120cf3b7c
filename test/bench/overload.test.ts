import { describe, expect, it } from "vitest";
import { capacityOf, overloadMeasures } from "../../bench/scenarios/overload.js";
import { driftBytes, peakGrowthBytes } from "../../bench/scenarios/watch-memory.js";
import { record } from "./records.js";

/** An answer with the given start and end, in milliseconds. */
const answer = (startedAtMs: number, endedAtMs: number) => record({ startedAtMs, endedAtMs });
const refusal = (status: number, retryAfterSeconds?: number) =>
  record({
    endedAtMs: 5,
    error: `HTTP ${status}`,
    refusal: { status, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) },
  });
const memory = (...megabytes: number[]) => megabytes.map((server) => ({ server, engine: 1 }));

describe("capacityOf", () => {
  it("excludes the first and the last round, in which slots are empty", () => {
    // Two slots: rounds end at 1 s, 2 s, 3 s and, with one slot only, at 9 s.
    const ends = [1000, 1000, 2000, 2000, 3000, 3000, 3000, 9000];
    expect(
      capacityOf(
        ends.map((end) => answer(0, end)),
        2,
      ),
    ).toBe(2);
  });

  it("counts only successful answers", () => {
    const records = [...[1000, 2000, 3000, 4000].map((end) => answer(0, end)), refusal(503)];
    expect(capacityOf(records, 1)).toBe(1);
  });
});

describe("overloadMeasures", () => {
  it("returns the goodput, the latency of accepted requests and the number of refusals", () => {
    const records = [answer(0, 1000), answer(0, 2000), refusal(503, 7), refusal(429), refusal(500)];
    expect(overloadMeasures(records, { capacity: 2, slots: 36 })).toEqual({
      goodputToCapacity: 0.5,
      goodput: 1,
      latencyP50: 1,
      latencyP99: 2,
      // 64 waiting and 36 running requests are served in 50 s.
      p99ToQueue: 2 / 50,
      refused: 2,
      refusalP99: 5,
      withoutHint: 1,
      failed: 1,
    });
  });

  it("counts a broken connection as a failure, not as a refusal", () => {
    const records = [answer(0, 1000), record({ error: "socket hang up" })];
    expect(overloadMeasures(records, { capacity: 1, slots: 1 })).toMatchObject({
      failed: 1,
      refused: 0,
    });
  });
});

describe("memory under load", () => {
  it("has a drift from the second to the last third", () => {
    expect(driftBytes(memory(0, 80, 100, 101, 100, 100, 103, 102))).toBe(2);
    expect(driftBytes(memory(0, 100, 90, 90, 95, 90))).toBe(2.5);
  });

  it("has a peak growth relative to the first reading", () => {
    expect(peakGrowthBytes(memory(100, 130, 90))).toBe(30);
    expect(peakGrowthBytes(memory(100, 90))).toBe(0);
  });
});
