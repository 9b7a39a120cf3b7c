import { describe, expect, it } from "vitest";
import { foldText, foldWithPositions, foldWords } from "../../src/conversations/fold-text.js";

describe("folding a text", () => {
  it.each([
    ["Hello", "hello"],
    ["Crème BRÛLÉE", "creme brulee"],
    ["e\u0301", "e"],
    ["Zürich", "zurich"],
    ["İstanbul", "istanbul"],
    ["ΟΔΌΣ", "οδοσ"],
    ["ﬁne ＡＢ", "fine ab"],
    ["日本", "日本"],
  ])("makes %s equal to %s", (text, folded) => {
    expect(foldText(text)).toBe(folded);
    expect(foldWithPositions(text).folded).toBe(folded);
  });

  it("keeps the position of each character", () => {
    const { folded, positions } = foldWithPositions("a\u0301ﬁ😀z");
    expect(folded).toBe("afi😀z");
    expect(positions).toEqual([0, 2, 2, 3, 3, 5, 6]);
  });
});

it("a query consists of its distinct folded words", () => {
  expect(foldWords("  Crème\tbrûlée creme ")).toEqual(["creme", "brulee"]);
  expect(foldWords(" \u0301 ")).toEqual([]);
});
