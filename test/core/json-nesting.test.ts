import { describe, expect, it } from "vitest";
import { nestingOf } from "../../src/core/json-nesting.js";

describe("nestingOf", () => {
  it.each([
    ["", 0],
    ["1", 0],
    ['"[[[["', 0],
    ['"\\"[[["', 0],
    ["[]", 1],
    ["[[],[[]]]", 3],
    ['{"a":[{"b":"}]"}]}', 3],
    ["[".repeat(100_000), 100_000],
    ["]]]", 0],
  ])("of %.20s is %i", (json, depth) => {
    expect(nestingOf(Buffer.from(json))).toBe(depth);
  });
});
