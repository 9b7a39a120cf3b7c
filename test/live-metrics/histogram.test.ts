import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { Sample } from "../../src/live-metrics/prometheus-text.js";
import {
  buildHistogram,
  computeQuantile,
  type Histogram,
  subtractHistogram,
} from "../../src/live-metrics/scrape.js";

const samplesOf = (
  counts: Readonly<Record<string, number>>,
  labels: Readonly<Record<string, string>> = {},
): readonly Sample[] =>
  Object.entries(counts).map(([le, value]) => ({
    name: "t_bucket",
    labels: { ...labels, le },
    value,
  }));

const histogram = (counts: Readonly<Record<string, number>>) =>
  buildHistogram(samplesOf(counts), "t");

describe("a histogram", () => {
  it("has its own buckets in ascending order", () => {
    const others: readonly Sample[] = [
      { name: "t_sum", labels: {}, value: 1 },
      { name: "tt_bucket", labels: { le: "1" }, value: 9 },
    ];
    expect(buildHistogram([...samplesOf({ "+Inf": 3, 10: 2, 2: 1 }), ...others], "t")).toEqual([
      { upTo: 2, count: 1 },
      { upTo: 10, count: 2 },
      { upTo: Infinity, count: 3 },
    ]);
  });

  it("sums its series", () => {
    const samples = [
      ...samplesOf({ 1: 1, "+Inf": 2 }, { a: "x" }),
      ...samplesOf({ 1: 3, "+Inf": 3 }, { a: "y" }),
    ];
    expect(buildHistogram(samples, "t")).toEqual([
      { upTo: 1, count: 4 },
      { upTo: Infinity, count: 5 },
    ]);
  });

  it("of an interval contains the observations since the start of the interval", () => {
    expect(
      subtractHistogram(histogram({ 1: 1, "+Inf": 2 }), histogram({ 1: 1, "+Inf": 5 })),
    ).toEqual(histogram({ 1: 0, "+Inf": 3 }));
  });

  it("of an interval contains all observations after a server restart", () => {
    const later = histogram({ 1: 1, "+Inf": 2 });
    expect(subtractHistogram(histogram({ 1: 9, "+Inf": 9 }), later)).toEqual(later);
  });

  it("of an interval that began without observations contains all observations", () => {
    const later = histogram({ 1: 1, "+Inf": 2 });
    expect(subtractHistogram([], later)).toEqual(later);
  });
});

describe("a quantile", () => {
  test.each([
    ["is interpolated within a bucket", { 1: 0, 2: 10, "+Inf": 10 }, 0.5, 1.5],
    ["is interpolated within the first bucket", { 1: 10, "+Inf": 10 }, 0.5, 0.5],
    ["equals the bound of a bucket", { 1: 5, 2: 10, "+Inf": 10 }, 0.5, 1],
    ["is at most the largest finite bound", { 1: 5, "+Inf": 10 }, 0.95, 1],
    ["skips empty buckets", { 1: 0, 2: 0, 4: 4, "+Inf": 4 }, 0.25, 2.5],
    ["of 0 is the lower bound of the first non-empty bucket", { 1: 0, 2: 4, "+Inf": 4 }, 0, 1],
    ["is unknown without observations", { 1: 0, "+Inf": 0 }, 0.5, undefined],
    ["is unknown without finite bounds", { "+Inf": 3 }, 0.5, undefined],
  ])("%s", (_, counts, quantile, expected) => {
    expect(computeQuantile(histogram(counts), quantile)).toBe(expected);
  });

  it("is unknown without buckets", () => {
    expect(computeQuantile([], 0.5)).toBeUndefined();
  });

  it("lies in the bucket that contains its rank, and is monotonic", () => {
    const bounds = [1, 2, 5, 10, 20];
    const values = fc.array(fc.double({ min: 0.01, max: 20, noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(values, fc.double({ min: 0.01, max: 1, noNaN: true }), (observed, quantile) => {
        const buckets: Histogram = [...bounds, Infinity].map((upTo) => ({
          upTo,
          count: observed.filter((value) => value <= upTo).length,
        }));
        const rank = Math.ceil(quantile * observed.length - 1e-9);
        const value = observed.toSorted((one, other) => one - other)[Math.max(0, rank - 1)] ?? 0;
        const upper = bounds.find((bound) => value <= bound) ?? 0;
        const lower = bounds[bounds.indexOf(upper) - 1] ?? 0;
        const estimate = computeQuantile(buckets, quantile) ?? Number.NaN;
        expect(estimate).toBeGreaterThanOrEqual(lower);
        expect(estimate).toBeLessThanOrEqual(upper);
        expect(computeQuantile(buckets, 1)).toBeGreaterThanOrEqual(estimate);
      }),
    );
  });
});
