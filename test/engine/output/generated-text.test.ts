import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GeneratedText } from "../../../src/engine/output/generated-text.js";
import { ByteVocabulary, encode } from "./byte-vocabulary.js";
import { cutInto } from "./cuts.js";

interface Limits {
  readonly stop?: readonly string[];
  readonly minTokens?: number;
}

function generate(
  pieces: readonly (string | Uint8Array)[],
  { stop = [], minTokens = 0 }: Limits = {},
) {
  const vocabulary = new ByteVocabulary();
  const text = new GeneratedText({
    bytesOf: vocabulary.bytesOf,
    stop,
    minTokens,
  });
  const shown: string[] = [];
  for (const piece of pieces) {
    const token = vocabulary.token(typeof piece === "string" ? encode(piece) : piece);
    const match = text.push(token);
    shown.push(match.text);
    if (match.stopped) return { shown, stopped: true, rest: text.flush() };
  }
  return { shown, stopped: false, rest: text.flush() };
}

describe("GeneratedText", () => {
  test("finds a stop string that begins before the minimum and ends at it", () => {
    const pieces = ["I ", "am ", "ggufd ", "mini", " then"];
    for (const minTokens of [0, 1, 2, 3, 4]) {
      const { shown, stopped } = generate(pieces, { stop: ["ggufd mini"], minTokens });
      expect([shown.join(""), stopped]).toEqual(["I am ", true]);
    }
    const late = generate(pieces, { stop: ["ggufd mini"], minTokens: 5 });
    expect([late.shown.join("") + late.rest, late.stopped]).toEqual([pieces.join(""), false]);
  });

  test.each<{
    does: string;
    pieces: string[];
    limits: Limits;
    shown: string[];
    stopped: boolean;
    rest: string;
  }>([
    {
      does: "finds a stop string across tokens",
      pieces: ["Hello", "\n", "\nUser"],
      limits: { stop: ["\n\nUser"] },
      shown: ["Hello", "", ""],
      stopped: true,
      rest: "",
    },
    {
      does: "gives at the end what was held back for a stop string",
      pieces: ["Hello", "\n", "\nUs"],
      limits: { stop: ["\n\nUser"] },
      shown: ["Hello", "", ""],
      stopped: false,
      rest: "\n\nUs",
    },
    {
      does: "lets stop strings pass before the least number of tokens",
      pieces: ["a.", "b.", "c.d"],
      limits: { stop: ["."], minTokens: 3 },
      shown: ["a.", "b.", "c"],
      stopped: true,
      rest: "",
    },
    {
      does: "counts a stop string of the token that reaches the least number",
      pieces: ["a", "."],
      limits: { stop: ["."], minTokens: 2 },
      shown: ["a", ""],
      stopped: true,
      rest: "",
    },
    {
      does: "holds back what may become a stop string once it counts",
      pieces: ["a\n"],
      limits: { stop: ["\n\n"], minTokens: 2 },
      shown: ["a"],
      stopped: false,
      rest: "\n",
    },
  ])("$does", ({ pieces, limits, shown, stopped, rest }) => {
    expect(generate(pieces, limits)).toEqual({ shown, stopped, rest });
  });

  test("leaks nothing behind a stop string, not even unfinished bytes", () => {
    const stopThenHalfEuro = Uint8Array.from([...encode("a#b"), 0xe2, 0x82]);
    expect(generate([stopThenHalfEuro], { stop: ["#"] })).toEqual({
      shown: ["a"],
      stopped: true,
      rest: "",
    });
  });

  test("gives unfinished bytes at the end, unless they are a stop string", () => {
    const halfEuro = encode("€").slice(0, 2);
    expect(generate(["a", halfEuro]).rest).toBe("\uFFFD");
    expect(generate(["a", halfEuro], { stop: ["\uFFFD"] }).rest).toBe("");
    expect(generate(["x", "a", halfEuro], { stop: ["a\uFFFD"] })).toEqual({
      shown: ["x", "", ""],
      stopped: false,
      rest: "",
    });
  });

  test("shows the text before the stop string, however its bytes are cut", () => {
    const words = fc.array(fc.constantFrom("é", "€", "😀", "a", "STOP", "ST"), { maxLength: 10 });
    fc.assert(
      fc.property(words, fc.array(fc.nat(40)), (parts, positions) => {
        const text = parts.join("");
        const { shown, stopped, rest } = generate(cutInto(encode(text), positions), {
          stop: ["STOP", "€€"],
        });
        const before = text.split(/STOP|€€/, 1)[0];
        expect(shown.join("") + rest).toBe(before);
        expect(stopped).toBe(before !== text);
      }),
    );
  });
});
