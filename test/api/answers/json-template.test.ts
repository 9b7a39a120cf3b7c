import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonTemplate } from "../../../src/api/answers/json-template.js";
import { escapeLineBreaks } from "../../../src/core/json.js";
import { PrintedItem } from "../../../src/core/printed-item.js";

const make = (text: string) => ({ id: "a\u2028b", delta: { text }, left: undefined, end: null });

describe("an item of a template", () => {
  it("is printed as it would be without one", () => {
    const template = new JsonTemplate(make);
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const printed = template.with(text);
        expect(printed).toBeInstanceOf(PrintedItem);
        expect((printed as PrintedItem).json).toBe(escapeLineBreaks(JSON.stringify(make(text))));
      }),
    );
  });

  it("is not printed yet if its text is long", () => {
    const text = "x".repeat(5000);
    expect(new JsonTemplate(make).with(text)).toEqual(make(text));
  });

  it.each<readonly [string, (text: string) => object]>([
    ["no text", () => ({})],
    ["its text twice", (text) => ({ a: text, b: text })],
    ["its text within another one", (text) => ({ a: `${text}!` })],
  ])("has its text in exactly one field: not %s", (_, made) => {
    expect(() => new JsonTemplate(made)).toThrow("exactly once");
  });
});
