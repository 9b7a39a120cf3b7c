import { expect, test } from "vitest";
import { countersOf, sumStatistics } from "../../src/core/engine-statistics.js";
import { engineStatistics } from "../support/engine-statistics.js";

/** Multiplies every number of plain data, except the bounds of histograms. */
function multiply(value: unknown, factor: number): unknown {
  if (typeof value === "number") return value * factor;
  if (Array.isArray(value)) return value.map((item) => multiply(item, factor));
  const entries = Object.entries(Object(value));
  return Object.fromEntries(
    entries.map(([key, item]) => [key, key === "bounds" ? item : multiply(item, factor)]),
  );
}

test.each([1, 2, 3])("the statistics of %i equal engines sum up in every number", (engines) => {
  const parts = Array.from({ length: engines }, () => engineStatistics);
  expect(sumStatistics(parts)).toEqual(multiply(engineStatistics, engines));
});

test("statistics of different engines are added", () => {
  const other = {
    ...engineStatistics,
    decodeTokens: 1,
    cells: { busy: 0, cached: 0, total: 10 },
    stepSeconds: { bounds: [0.01, 0.1], counts: [0, 1], count: 1, sum: 0.05 },
  };
  expect(sumStatistics([engineStatistics, other])).toMatchObject({
    decodeTokens: 1003,
    cells: { busy: 250, cached: 500, total: 1010 },
    stepSeconds: { bounds: [0.01, 0.1], counts: [5, 3], count: 9, sum: 1.55 },
  });
});

test("an engine that has exited leaves its counters in a sum, and not its state", () => {
  expect(sumStatistics([countersOf(engineStatistics), engineStatistics])).toMatchObject({
    decodeTokens: 2004,
    stepSeconds: { count: 16 },
    cells: { busy: 250, cached: 500, total: 1000 },
    storedBytes: { ram: 5000, disk: 6000 },
    residentBytes: 123_456_789,
  });
});
