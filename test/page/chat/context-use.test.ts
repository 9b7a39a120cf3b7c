import { describe, expect, it } from "vitest";
import type { StoredItem } from "../../../src/api/responses/item-schema.js";
import { estimateContextUse, formatContextUse } from "../../../src/page/chat/context-use.js";
import { message } from "./answers.js";

const answered = (total_tokens: number) =>
  ({ ...message("Hi."), response: { usage: { total_tokens } } }) as StoredItem;
const question = (text: string) =>
  ({
    ...{ type: "message", id: "1", role: "user", status: "completed" },
    content: [{ type: "input_text", text }],
  }) as StoredItem;

describe("the use of the context", () => {
  it.each([
    [[], "", 4096],
    [[], "Hi", undefined],
    [[answered(10)], "", undefined],
  ])("is unknown: case %#", (items, draft, contextTokens) => {
    expect(estimateContextUse(items, draft, contextTokens)).toBeUndefined();
  });

  it("is the number that the last answer counted", () => {
    const use = estimateContextUse([question("Hi"), answered(1240)], "", 4096);
    expect(use).toEqual({ tokens: 1240, contextTokens: 4096, isExact: true, level: "normal" });
    expect(use && formatContextUse(use)).toBe("1,240 of 4,096 tokens");
  });

  it("includes later questions and the draft, by estimate", () => {
    const use = estimateContextUse([answered(100), question("12345678")], "1234", 4096);
    expect(use).toMatchObject({ tokens: 100 + 8 + 7, isExact: false });
    expect(use && formatContextUse(use)).toBe("about 115 of 4,096 tokens");
  });

  it.each([
    [799, "normal"],
    [800, "nearly full"],
    [1000, "nearly full"],
    [1001, "too full"],
  ])("warns near the end: %i of 1000 tokens", (tokens, level) => {
    expect(estimateContextUse([answered(tokens)], "", 1000)?.level).toBe(level);
  });
});
