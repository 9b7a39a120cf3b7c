import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Histogram } from "../../src/core/histogram.js";

describe("a histogram", () => {
  test("counts an observation in the first bucket whose bound is not below it", () => {
    const histogram = new Histogram([1, 2, 5]);
    for (const value of [0, 1, 1.5, 5, 5.1, 100]) histogram.observe(value);
    expect(histogram.counts).toEqual({
      bounds: [1, 2, 5],
      counts: [2, 1, 1],
      count: 6,
      sum: 112.6,
    });
  });

  test("counts every observation", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(100), { maxLength: 8 }),
        fc.array(fc.nat(120)),
        (numbers, values) => {
          const bounds = numbers.toSorted((a, b) => a - b);
          const histogram = new Histogram(bounds);
          for (const value of values) histogram.observe(value);
          const { counts, count, sum } = histogram.counts;
          const below = bounds.map((bound) => values.filter((value) => value <= bound).length);
          const cumulative = bounds.map((_, index) =>
            counts.slice(0, index + 1).reduce((total, one) => total + one, 0),
          );
          expect(cumulative).toEqual(below);
          expect([count, sum]).toEqual([values.length, values.reduce((a, b) => a + b, 0)]);
        },
      ),
    );
  });

  test("returns a copy", () => {
    const histogram = new Histogram([1]);
    const before = histogram.counts;
    histogram.observe(1);
    expect(before.counts).toEqual([0]);
  });
});
