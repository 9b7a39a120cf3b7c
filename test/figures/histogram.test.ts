import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { Sample } from "../../src/figures/prometheus-text.js";
import {
  buildHistogram,
  computeQuantile,
  type Histogram,
  observedSince,
} from "../../src/figures/scrape.js";

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
  it("has its buckets in ascending order, and nothing of others", () => {
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

  it("adds up series", () => {
    const samples = [
      ...samplesOf({ 1: 1, "+Inf": 2 }, { a: "x" }),
      ...samplesOf({ 1: 3, "+Inf": 3 }, { a: "y" }),
    ];
    expect(buildHistogram(samples, "t")).toEqual([
      { upTo: 1, count: 4 },
      { upTo: Infinity, count: 5 },
    ]);
  });

  it("of an interval has the observations since its start", () => {
    expect(observedSince(histogram({ 1: 1, "+Inf": 2 }), histogram({ 1: 1, "+Inf": 5 }))).toEqual(
      histogram({ 1: 0, "+Inf": 3 }),
    );
  });

  it("of an interval has everything after the server was restarted", () => {
    const later = histogram({ 1: 1, "+Inf": 2 });
    expect(observedSince(histogram({ 1: 9, "+Inf": 9 }), later)).toEqual(later);
  });

  it("of an interval that began before there were any has everything", () => {
    const later = histogram({ 1: 1, "+Inf": 2 });
    expect(observedSince([], later)).toEqual(later);
  });
});

describe("a quantile", () => {
  test.each([
    ["in the middle of a bucket", { 1: 0, 2: 10, "+Inf": 10 }, 0.5, 1.5],
    ["in the first bucket", { 1: 10, "+Inf": 10 }, 0.5, 0.5],
    ["at a bound", { 1: 5, 2: 10, "+Inf": 10 }, 0.5, 1],
    ["above the largest bound", { 1: 5, "+Inf": 10 }, 0.95, 1],
    ["beyond empty buckets", { 1: 0, 2: 0, 4: 4, "+Inf": 4 }, 0.25, 2.5],
    ["the smallest", { 1: 0, 2: 4, "+Inf": 4 }, 0, 1],
    ["of nothing", { 1: 0, "+Inf": 0 }, 0.5, undefined],
    ["without finite bounds", { "+Inf": 3 }, 0.5, undefined],
  ])("%s", (_, counts, quantile, expected) => {
    expect(computeQuantile(histogram(counts), quantile)).toBe(expected);
  });

  it("of no buckets is unknown", () => {
    expect(computeQuantile([], 0.5)).toBeUndefined();
  });

  it("lies in the bucket of the value of its rank, and grows with the quantile", () => {
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
