import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { selectKeysToEvict } from "../../src/core/eviction.js";

const limits = { entries: 3, items: 50, bytes: 100, idleMs: 10 };

describe("eviction", () => {
  it.each([
    ["nothing within the limits", [30, 30, 40], 5, []],
    ["the oldest entries if there are too many", [1, 1, 1, 1, 1], 5, ["0", "1"]],
    ["the oldest entries if the total size is too large", [30, 30, 60], 5, ["0"]],
    ["entries that are idle for too long", [1, 1], 11, ["0"]],
  ])("removes %s", (_name, sizes, now, evicted) => {
    const entries = sizes.map((bytes, index) => ({
      key: String(index),
      items: 2,
      bytes,
      usedAt: index,
    }));
    const totals = {
      entries: sizes.length,
      items: 2 * sizes.length,
      bytes: sizes.reduce((sum, size) => sum + size, 0),
    };
    expect(selectKeysToEvict(entries, totals, limits, now)).toEqual(evicted);
  });

  it("removes the oldest entry if the total number of items is too large", () => {
    const entries = [30, 30, 20].map((items, index) => ({
      key: `${index}`,
      items,
      bytes: 1,
      usedAt: 0,
    }));
    expect(selectKeysToEvict(entries, { entries: 3, items: 80, bytes: 3 }, limits, 0)).toEqual([
      "0",
    ]);
  });

  it("leaves entries within the limits, and removes only the oldest", () => {
    const sizes = fc.array(fc.nat(120), { maxLength: 8 });
    fc.assert(
      fc.property(sizes, fc.nat(20), (all, now) => {
        const entries = all.map((bytes, index) => ({
          key: String(index),
          items: 2,
          bytes,
          usedAt: index,
        }));
        const totals = {
          entries: all.length,
          items: 2 * all.length,
          bytes: all.reduce((sum, size) => sum + size, 0),
        };
        const evicted = selectKeysToEvict(entries, totals, limits, now);
        expect(evicted).toEqual(entries.slice(0, evicted.length).map(({ key }) => key));
        const kept = entries.slice(evicted.length);
        expect(kept.length).toBeLessThanOrEqual(limits.entries);
        expect(kept.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(limits.bytes);
        for (const { usedAt } of kept) expect(now - usedAt).toBeLessThanOrEqual(limits.idleMs);
      }),
    );
  });
});
