import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeBytes } from "../../../../src/engine/text/output/reported-scores.js";
import { decode, encode } from "./byte-vocabulary.js";

describe("decoded bytes", () => {
  it("equal the text of TextDecoder, for valid and invalid UTF-8", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
        expect(decodeBytes(bytes).text).toBe(decode(bytes));
      }),
    );
  });

  it("can be split between characters into bytes that decode to the characters", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
        const { text, ends } = decodeBytes(bytes);
        let [unit, from] = [0, 0];
        for (const character of text) {
          unit += character.length;
          const to = ends[unit - 1] ?? 0;
          expect(decode(bytes.slice(from, to))).toBe(character);
          from = to;
        }
        expect(from).toBe(bytes.length);
      }),
      { numRuns: 500 },
    );
  });

  it.each<[string, number[], number[]]>([
    ["a€b", [...encode("a€b")], [1, 4, 5]],
    ["😀", [...encode("😀")], [4, 4]],
    ["a\uFFFD", [0x61, 0xe2, 0x82], [1, 3]],
    ["\uFFFDa", [0xe2, 0x82, 0x61], [2, 3]],
    ["\uFFFD", [...encode("\uFFFD")], [3]],
    ["\uFFFDé", [0xe2, ...encode("é")], [1, 3]],
  ])("report the end of each character: %j", (text, bytes, ends) => {
    expect(decodeBytes(Uint8Array.from(bytes))).toEqual({ text, ends });
  });
});
