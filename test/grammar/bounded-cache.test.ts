import { describe, expect, it } from "vitest";
import { BoundedCache } from "../../src/grammar/bounded-cache.js";

function cacheOf(maxBytes: number) {
  const computed: string[] = [];
  const cache = new BoundedCache<string, number>(maxBytes, (value) => value);
  const get = (key: string, bytes = 10) =>
    cache.get(key, () => {
      computed.push(key);
      return bytes;
    });
  return { get, computed };
}

describe("BoundedCache", () => {
  it("computes each value once", () => {
    const { get, computed } = cacheOf(100);
    get("a");
    get("a");
    expect(computed).toEqual(["a"]);
  });

  it("evicts the least recently used entries beyond its budget", () => {
    const { get, computed } = cacheOf(20);
    for (const key of ["a", "b", "a", "c", "a", "c", "b"]) get(key);
    expect(computed).toEqual(["a", "b", "c", "b"]);
  });

  it("keeps the newest value even if it alone exceeds the budget", () => {
    const { get, computed } = cacheOf(20);
    get("a");
    get("large", 100);
    get("large", 100);
    get("a");
    expect(computed).toEqual(["a", "large", "a"]);
  });
});
