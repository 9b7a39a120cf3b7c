import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type UsageQuery, usageCounters, usageDimensions } from "../../src/core/usage.js";
import { bucketWidths } from "../../src/core/usage-buckets.js";
import { type HourOfUsage, mergeGroups, selectUsage } from "../../src/usage/group-usage.js";
import { someUsage } from "../support/some-usage.js";

const at = (text: string) => Date.parse(text);
const hour = (time: string, given: Partial<HourOfUsage> = {}): HourOfUsage => ({
  ...someUsage(given),
  hourMs: at(time),
});
const query = (given: Partial<UsageQuery> = {}): UsageQuery => ({
  fromMs: at("2026-11-02"),
  toMs: at("2026-11-04"),
  width: "1d",
  groupBy: [],
  ...given,
});
const read = (hours: readonly HourOfUsage[], given: Partial<UsageQuery> = {}) => {
  const one = query(given);
  return mergeGroups(selectUsage(hours, one), one.width);
};

describe("groups of usage", () => {
  const hours = [
    hour("2026-11-01T23:00:00Z"),
    hour("2026-11-02T00:00:00Z", { promptTokens: 1 }),
    hour("2026-11-02T23:00:00Z", { promptTokens: 2, key: "bob" }),
    hour("2026-11-03T12:00:00Z", { promptTokens: 4, class: "batch" }),
    hour("2026-11-04T00:00:00Z"),
  ];

  it("have the hours of the interval, by bucket", () => {
    expect(read(hours)).toMatchObject([
      { bucketMs: at("2026-11-02"), subject: {}, requests: 2, promptTokens: 3 },
      { bucketMs: at("2026-11-03"), subject: {}, requests: 1, promptTokens: 4 },
    ]);
  });

  it("are separate for the properties of the query, in order", () => {
    expect(read(hours, { groupBy: ["key", "class"] }).map(({ subject }) => subject)).toEqual([
      { key: "alice", class: "interactive" },
      { key: "bob", class: "interactive" },
      { key: "alice", class: "batch" },
    ]);
  });

  it("have one key only if the query names it", () => {
    expect(read(hours, { key: "bob", width: "1mo" })).toMatchObject([
      { bucketMs: at("2026-11-01"), requests: 1, promptTokens: 2 },
    ]);
  });

  it("have the sums of all selected hours, whatever they are grouped by", () => {
    const name = fc.constantFrom("a", "b", "a\u0000b", '","');
    const anyHour = fc.record({
      hourMs: fc.integer({ min: 0, max: 2000 }).map((hours) => hours * 3_600_000),
      key: name,
      model: name,
      adapter: name,
      api: name,
      class: fc.constantFrom("interactive", "batch"),
      ...Object.fromEntries(usageCounters.map((counter) => [counter, fc.nat(1000)])),
    }) as fc.Arbitrary<HourOfUsage>;
    fc.assert(
      fc.property(
        fc.array(anyHour),
        fc.subarray([...usageDimensions]),
        fc.constantFrom(...bucketWidths),
        (all, groupBy, width) => {
          const groups = read(all, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, groupBy, width });
          for (const counter of usageCounters) {
            const sumOf = (some: readonly Readonly<Record<typeof counter, number>>[]) =>
              some.reduce((sum, one) => sum + one[counter], 0);
            expect(sumOf(groups)).toBe(sumOf(all));
          }
          const ids = groups.map(({ bucketMs, subject }) => JSON.stringify([bucketMs, subject]));
          expect(new Set(ids).size).toBe(groups.length);
        },
      ),
    );
  });
});
