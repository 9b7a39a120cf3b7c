import { describe, expect, it } from "vitest";
import { median, percentile, spread, sum } from "../../bench/statistics.js";

describe("percentile", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

  it.each([
    [50, 50],
    [99, 99],
    [100, 100],
    [0.5, 1],
  ])("is independent of the order of values: %d → %d", (percent, expected) => {
    expect(percentile(hundred, percent)).toBe(expected);
  });

  it("returns one of the values", () => {
    expect(percentile([3, 1, 2], 99)).toBe(3);
    expect(percentile([3, 1, 2], 50)).toBe(2);
    expect(percentile([7], 1)).toBe(7);
  });

  it("returns NaN without values", () => {
    expect(percentile([], 50)).toBeNaN();
  });
});

describe("median, spread and sum", () => {
  it("accept values in any order", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([])).toBeNaN();
    expect(spread([8, 10, 12])).toBe(0.4);
    expect(sum([1, 2, 3])).toBe(6);
    expect(sum([])).toBe(0);
  });
});
