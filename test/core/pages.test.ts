import { describe, expect, it } from "vitest";
import { toPage } from "../../src/core/pages.js";

describe("a page", () => {
  const entries = ["a", "b", "c", "d"].map((id) => ({ id }));

  it.each([
    [{ limit: 2, order: "desc" }, "dc", true],
    [{ limit: 2, order: "asc", after: "b" }, "cd", false],
    [{ limit: 2, order: "desc", before: "a" }, "cb", true],
    [{ limit: 9, order: "desc", before: "c" }, "d", false],
    [{ limit: 9, order: "asc" }, "abcd", false],
  ] as const)("%j has %j", (query, ids, hasMore) => {
    const page = toPage(entries, query);
    expect(page?.entries.map(({ id }) => id).join("")).toBe(ids);
    expect(page?.hasMore).toBe(hasMore);
  });

  it("is undefined after an unknown entry", () => {
    expect(toPage(entries, { limit: 1, order: "asc", after: "x" })).toBeUndefined();
    expect(toPage(entries, { limit: 1, order: "asc", before: "x" })).toBeUndefined();
  });
});
