import { describe, expect, it } from "vitest";
import { joinPages, joinTextItems } from "../../../src/page/attachments/pdf-text.js";

const page = (number: number, text: string, isImage = false) => ({ number, text, isImage });

describe("the text of a PDF", () => {
  it("has the lines of a page", () => {
    const items = [
      { str: "A", hasEOL: false },
      { str: " line.", hasEOL: true },
      { type: "beginMarkedContent" },
      { str: "Another\0.", hasEOL: true },
    ];
    expect(joinTextItems(items)).toBe("A line.\nAnother.");
  });

  it("names its pages, and those attached as images", () => {
    expect(joinPages([page(1, "One."), page(2, "", true)], 2)).toEqual({
      text: "[Page 1]\nOne.\n\n[Page 2: image]",
      note: "1 page without text attached as images.",
    });
  });

  it.each([
    [[page(1, "One.")], 1, undefined],
    [[page(1, "One.")], 9, "Only the first 1 of 9 pages are attached."],
    [[page(1, "One."), page(2, "")], 2, "Left out, without text: page 2."],
    [[page(1, ""), page(2, "Two."), page(3, "")], 3, "Left out, without text: pages 1, 3."],
    [
      [page(9, "Nine."), ...[1, 2, 3, 4, 5, 6].map((number) => page(number, ""))],
      7,
      "Left out, without text: 6 pages.",
    ],
  ])("says what is missing: %#", (pages, total, note) => {
    expect(joinPages(pages, total).note).toBe(note);
  });

  it("is cut at the limit of a document", () => {
    const { text, note } = joinPages([page(1, "x".repeat(3_000_000))], 1);
    expect(text.length).toBeLessThan(3_000_000);
    expect(note).toMatch(/^Only the first .* of the text are attached\.$/);
  });
});
