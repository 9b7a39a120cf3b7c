import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePrefer, prefersMinimal } from "../../../src/api/todos/prefer.js";

describe("parsePrefer", () => {
  test.each<[header: string, preferences: Record<string, string>]>([
    ["", {}],
    [" , ,", {}],
    ["respond-async", { "respond-async": "" }],
    ["return=minimal", { return: "minimal" }],
    ["Return=minimal", { return: "minimal" }],
    ['return="minimal"', { return: "minimal" }],
    ["return = minimal", { return: "minimal" }],
    ['foo=""', { foo: "" }],
    ["foo=", { foo: "" }],
    ["respond-async, wait=100", { "respond-async": "", wait: "100" }],
    ['return=minimal; foo="some, value", wait=5', { return: "minimal", wait: "5" }],
    ['foo="a, b; c", bar=1', { foo: "a, b; c", bar: "1" }],
    [String.raw`foo="say \"hi\" \\ "`, { foo: String.raw`say "hi" \ ` }],
    ["a=1, a=2, A=3", { a: "1" }],
    ["foo;bar, baz", { foo: "", baz: "" }],
    ['foo="a" "b", foo="a"b, bar', { bar: "" }],
    ["=x, ;y, a b, (c), d", { d: "" }],
    ['foo="never closed, return=minimal', {}],
    ["__proto__=x", { ["__proto__"]: "x" }],
  ])("parses %j", (header, preferences) => {
    expect([...parsePrefer(header)]).toEqual(Object.entries(preferences));
  });

  test("accepts any input without throwing", () => {
    const fragments = fc.constantFrom(
      '"',
      "\\",
      ",",
      ";",
      "=",
      "a",
      " ",
      "return",
      "minimal",
      "\t",
      "é",
    );
    fc.assert(
      fc.property(fc.array(fragments, { maxLength: 30 }), (header) => {
        for (const name of parsePrefer(header.join("")).keys()) expect(name).not.toBe("");
      }),
    );
  });

  test("parses every header that follows the grammar to the values it was written from", () => {
    const token = fc.stringMatching(/^[a-z0-9!#$%&'*+.^_`|~-]{1,8}$/);
    const word = fc.oneof(
      token.map((text) => ({ text, written: text })),
      fc
        .string({ unit: "grapheme-ascii" })
        .map((text) => ({ text, written: `"${text.replaceAll(/["\\]/g, "\\$&")}"` })),
    );
    const preferences = fc.uniqueArray(fc.tuple(token, word), { selector: ([name]) => name });
    fc.assert(
      fc.property(preferences, (requested) => {
        const header = requested.map(([name, { written }]) => `${name}=${written}`).join(" , ");
        const expected = requested.map(([name, { text }]) => [name, text]);
        expect([...parsePrefer(header)]).toEqual(expected);
      }),
    );
  });
});

describe("prefersMinimal", () => {
  test.each<[header: string | string[] | undefined, minimal: boolean]>([
    [undefined, false],
    ["", false],
    ["minimal", false],
    ["return", false],
    ["return=representation", false],
    ["return=minimal", true],
    ["RETURN=Minimal", true],
    ["wait=1, return=minimal", true],
    [["wait=1", "return=minimal"], true],
    ["return=representation, return=minimal", false],
    ["return=minimal, return=representation", true],
    ['foo="return=minimal"', false],
    ["foo; return=minimal", false],
    ["return=minimalist", false],
  ])("for %j returns %j", (header, minimal) => {
    expect(prefersMinimal(header)).toBe(minimal);
  });
});
