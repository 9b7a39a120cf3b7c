import { describe, expect, it } from "vitest";
import { createCallId } from "../../../../src/engine/text/output/call-ids.js";

describe("createCallId", () => {
  it.each([
    ["call", /^call_[\da-f-]{36}$/],
    ["nine-characters", /^[A-Za-z\d]{9}$/],
  ] as const)("creates different ids of the style %s", (style, pattern) => {
    const ids = Array.from({ length: 20 }, (_, index) => createCallId(style, "f", index));
    for (const id of ids) expect(id).toMatch(pattern);
    expect(new Set(ids).size).toBe(20);
  });

  it("creates qualified ids of the name and the position", () => {
    expect(createCallId("qualified", "a.b", 2)).toBe("functions.a.b:2");
  });
});
