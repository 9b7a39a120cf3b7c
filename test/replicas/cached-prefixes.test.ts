import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CachedPrefixes } from "../../src/replicas/cached-prefixes.js";

describe("the estimate of a replica's cache", () => {
  it("counts the blocks that a text has in common with earlier ones", () => {
    const cached = new CachedPrefixes(() => 100);
    cached.add([1, 2, 3], 10);
    cached.add([1, 4], 10);
    expect(cached.countCached([1, 2, 3, 5])).toBe(3);
    expect(cached.countCached([1, 4])).toBe(2);
    expect(cached.countCached([2, 3])).toBe(2);
    expect(cached.countCached([6, 1])).toBe(0);
    expect(cached.countCached([])).toBe(0);
  });

  it("drops the least recently used texts, the end of each first", () => {
    const cached = new CachedPrefixes(() => 50);
    cached.add([1, 2, 3], 10);
    cached.add([4, 5], 10);
    cached.add([6], 10);
    expect(cached.countCached([1, 2, 3])).toBe(2);
    cached.add([1, 2], 10);
    cached.add([7, 8], 10);
    expect(cached.countCached([1, 2])).toBe(2);
    expect(cached.countCached([4, 5])).toBe(0);
  });

  it("counts a shared beginning once", () => {
    const cached = new CachedPrefixes(() => 100);
    cached.add([1, 2], 10);
    cached.add([1, 3], 10);
    expect(cached.tokens).toBe(30);
  });

  it("is empty after a crash", () => {
    const cached = new CachedPrefixes(() => 100);
    cached.add([1, 2], 10);
    cached.clear();
    expect([cached.tokens, cached.countCached([1, 2])]).toEqual([0, 0]);
  });

  it("never exceeds the capacity, and keeps whole beginnings", () => {
    const texts = fc.array(fc.array(fc.nat(5), { minLength: 1, maxLength: 6 }), { maxLength: 30 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 12 }), (all, capacity) => {
        const cached = new CachedPrefixes(() => capacity);
        // The hash of a block covers everything before it.
        const hash = (text: readonly number[]) =>
          text.map((_, index) => Number(`1${text.slice(0, index + 1).join("")}`));
        for (const text of all) {
          cached.add(hash(text), 1);
          expect(cached.tokens).toBeLessThanOrEqual(capacity);
          expect(cached.countCached(hash(text))).toBe(Math.min(text.length, capacity));
        }
      }),
    );
  });
});
