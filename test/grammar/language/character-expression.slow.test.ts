import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CharacterEncoding, CodePointRange } from "../../../src/grammar/grammar.js";
import { build, has } from "./small-languages.js";

const codePoint = fc
  .oneof(
    fc.constantFrom(
      0,
      8,
      9,
      0x0a,
      0x1f,
      0x22,
      0x2f,
      0x5c,
      0x7f,
      0xe9,
      0x1_0000,
      0x1_f600,
      0x10_ffff,
    ),
    fc.nat(0x10_ffff),
  )
  .filter((one) => one < 0xd800 || one > 0xdfff);
const range = fc
  .tuple(codePoint, codePoint)
  .map(([a, b]): CodePointRange => [Math.min(a, b), Math.max(a, b)]);

/** `\u` escapes of a character, in lower and in upper case. */
function unicodeEscapes(character: string): readonly string[] {
  const units = Array.from({ length: character.length }, (_, index) =>
    character.charCodeAt(index).toString(16).padStart(4, "0"),
  );
  return [units, units.map((unit) => unit.toUpperCase())].map((list) =>
    list.map((unit) => `\\u${unit}`).join(""),
  );
}

function accepts(
  ranges: readonly CodePointRange[],
  encoding: CharacterEncoding,
  text: string,
): boolean {
  return has(build({ type: "character", ranges, encoding }), text);
}

describe("the expression of a character within a JSON string", () => {
  it.each(["in-json", "in-json-freely"] as const)(
    "%s: accepts the output of JSON.stringify",
    (encoding) => {
      fc.assert(
        fc.property(range, codePoint, ([first, last], point) => {
          const written = JSON.stringify(String.fromCodePoint(point)).slice(1, -1);
          expect(accepts([[first, last]], encoding, written), written).toBe(
            first <= point && point <= last,
          );
        }),
        { numRuns: 300 },
      );
    },
  );

  it("accepts any Unicode escape in in-json-freely, but only usual escapes in in-json", () => {
    fc.assert(
      fc.property(range, codePoint, ([first, last], point) => {
        const isIn = first <= point && point <= last;
        const isUsual = point < 0x20 || point > 0x7f;
        for (const written of unicodeEscapes(String.fromCodePoint(point))) {
          expect(accepts([[first, last]], "in-json-freely", written), written).toBe(isIn);
          expect(accepts([[first, last]], "in-json", written), written).toBe(isIn && isUsual);
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ["an unescaped control character", "\n"],
    ["an unescaped quotation mark", '"'],
    ["a single backslash", "\\"],
    ["half of a surrogate pair", "\\ud83d"],
    ["a surrogate pair in the wrong order", "\\ude00\\ud83d"],
    ["an unknown escape", "\\x"],
    ["a Unicode escape with three digits", "\\u00e"],
    ["two characters", "ab"],
  ])("rejects %s", (_, text) => {
    expect(accepts([[0, 0x10_ffff]], "in-json-freely", text)).toBe(false);
  });

  it("accepts short escapes", () => {
    const texts = ['\\"', "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t", "/"];
    expect(texts.filter((text) => accepts([[0, 0x7f]], "in-json", text))).toEqual(texts);
  });
});
