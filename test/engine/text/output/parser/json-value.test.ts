import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJson } from "../../../../../src/engine/text/output/parser/json-value.js";

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("isJson", () => {
  it("accepts the same texts as JSON.parse, indented or not", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, "\t"), (value, indentation) => {
        expect(isJson(JSON.stringify(value, null, indentation))).toBe(true);
      }),
    );
  });

  it("agrees with JSON.parse on texts that resemble JSON", () => {
    const fragments = fc.constantFrom(
      ...['{"a":', "{", "}", "[", "]", ",", ":", '"', '"a"', "\\", '"\\u00e9"', '"\\u00g"'],
      ...["0", "01", "-", "1.", "1.5", "e", "1e+", "E5", "true", "fals", "null", "nul", " ", "\n"],
    );
    fc.assert(
      fc.property(fc.array(fragments, { maxLength: 8 }), (parts) => {
        const text = parts.join("");
        expect(isJson(text)).toBe(parses(text));
      }),
      { numRuns: 5000 },
    );
  });

  it("rejects values that are nested too deeply", () => {
    expect(isJson("[".repeat(512) + "]".repeat(512))).toBe(true);
    expect(isJson("[".repeat(513) + "]".repeat(513))).toBe(false);
  });
});
