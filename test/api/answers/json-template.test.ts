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
        const printed = template.render(text);
        expect(printed).toBeInstanceOf(PrintedItem);
        expect((printed as PrintedItem).json).toBe(escapeLineBreaks(JSON.stringify(make(text))));
      }),
    );
  });

  it("returns an item with a long text as an object", () => {
    const text = "x".repeat(5000);
    expect(new JsonTemplate(make).render(text)).toEqual(make(text));
  });

  it.each<readonly [string, (text: string) => object]>([
    ["no field", () => ({})],
    ["two fields", (text) => ({ a: text, b: text })],
    ["a field that only contains the text", (text) => ({ a: `${text}!` })],
  ])("rejects a template unless exactly one field equals the text: %s", (_, made) => {
    expect(() => new JsonTemplate(made)).toThrow("exactly once");
  });
});
