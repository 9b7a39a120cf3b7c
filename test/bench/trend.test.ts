import { describe, expect, it } from "vitest";
import { trendOf } from "../../bench/trend.js";
import { Random } from "../../models/random/random-choices.js";

const values = (count: number, valueAt: (at: number) => number) =>
  Array.from({ length: count }, (_, at) => ({ at, value: valueAt(at) }));

describe("trendOf", () => {
  it("returns the slope of a straight line with an error of 0", () => {
    const { slope, error } = trendOf(values(120, (at) => 100 + 0.5 * at));
    expect(slope).toBeCloseTo(0.5, 10);
    expect(error).toBeCloseTo(0, 10);
  });

  it("returns a slope within its error of 0 for random values in 95 of 100 cases", () => {
    const within = Array.from({ length: 400 }, (_, seed) => {
      const random = new Random(seed);
      const { slope, error } = trendOf(values(120, () => random.next()));
      return Math.abs(slope) <= error;
    }).filter(Boolean).length;
    expect(within / 400).toBeGreaterThan(0.92);
    expect(within / 400).toBeLessThan(0.98);
  });

  it("returns a slope that exceeds its error if a leak is larger than the noise", () => {
    const random = new Random(1);
    const { slope, error } = trendOf(values(120, (at) => 0.05 * at + random.next()));
    expect(slope - error).toBeGreaterThan(0.03);
  });

  it("returns NaN for too few values", () => {
    expect(trendOf(values(11, () => 1))).toEqual({ slope: Number.NaN, error: Number.NaN });
  });
});
