import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonTemplate } from "../../../src/api/answers/json-template.js";
import { escapeLineBreaks } from "../../../src/core/json.js";
import { PrintedItem } from "../../../src/core/printed-item.js";

const make = (text: string) => ({ id: "a\u2028b", delta: { text }, left: undefined, end: null });

describe("JsonTemplate", () => {
  it("prints an item with the same JSON as JSON.stringify", () => {
    const template = new JsonTemplate(make);
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const printed = template.with(text);
        expect(printed).toBeInstanceOf(PrintedItem);
        expect((printed as PrintedItem).json).toBe(escapeLineBreaks(JSON.stringify(make(text))));
      }),
    );
  });

  it("leaves an item with a long text unprinted", () => {
    const text = "x".repeat(5000);
    expect(new JsonTemplate(make).with(text)).toEqual(make(text));
  });

  it.each<readonly [string, (text: string) => object]>([
    ["no text", () => ({})],
    ["its text twice", (text) => ({ a: text, b: text })],
    ["its text within another one", (text) => ({ a: `${text}!` })],
  ])("rejects a template unless exactly one field equals the text: %s", (_, made) => {
    expect(() => new JsonTemplate(made)).toThrow("exactly once");
  });
});
