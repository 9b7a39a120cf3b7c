import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bucketWidths, moveBuckets, startOfBucket } from "../../src/core/usage-buckets.js";

const at = (text: string) => Date.parse(text);

describe("buckets of usage", () => {
  it.each([
    ["2026-03-29T01:59:59.999Z", "1h", "2026-03-29T01:00:00Z"],
    // The local clocks of Europe change here; UTC's does not.
    ["2026-03-29T02:30:00Z", "1h", "2026-03-29T02:00:00Z"],
    ["2026-10-25T23:59:59Z", "1d", "2026-10-25T00:00:00Z"],
    ["2026-10-25T00:00:00Z", "1d", "2026-10-25T00:00:00Z"],
    ["2028-02-29T12:00:00Z", "1mo", "2028-02-01T00:00:00Z"],
    ["2026-12-31T23:59:59Z", "1mo", "2026-12-01T00:00:00Z"],
  ] as const)("%s is in the %s that starts at %s", (time, width, start) => {
    expect(startOfBucket(at(time), width)).toBe(at(start));
  });

  it.each([
    ["2026-03-28T23:00:00Z", "1h", 2, "2026-03-29T01:00:00Z"],
    ["2026-02-28T00:00:00Z", "1d", 1, "2026-03-01T00:00:00Z"],
    ["2026-12-01T00:00:00Z", "1mo", 1, "2027-01-01T00:00:00Z"],
    ["2026-01-01T00:00:00Z", "1mo", -13, "2024-12-01T00:00:00Z"],
  ] as const)("%s and a number of %s buckets: %s", (start, width, count, end) => {
    expect(moveBuckets(at(start), width, count)).toBe(at(end));
  });

  it("follow each other without gaps", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: at("2100-01-01") }),
        fc.constantFrom(...bucketWidths),
        fc.integer({ min: -500, max: 500 }),
        (timeMs, width, count) => {
          const startMs = startOfBucket(timeMs, width);
          const nextMs = moveBuckets(startMs, width, 1);
          expect(startMs).toBeLessThanOrEqual(timeMs);
          expect(nextMs).toBeGreaterThan(timeMs);
          expect(startOfBucket(nextMs - 1, width)).toBe(startMs);
          expect(moveBuckets(moveBuckets(startMs, width, count), width, -count)).toBe(startMs);
        },
      ),
    );
  });
});
