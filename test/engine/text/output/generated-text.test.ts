import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GeneratedText } from "../../../../src/engine/text/output/generated-text.js";
import { ByteVocabulary, encode } from "./byte-vocabulary.js";
import { splitAt } from "./split-at.js";

interface StopOptions {
  readonly stop?: readonly string[];
  readonly minTokens?: number;
}

function generate(
  chunks: readonly (string | Uint8Array)[],
  { stop = [], minTokens = 0 }: StopOptions = {},
) {
  const vocabulary = new ByteVocabulary();
  const text = new GeneratedText({
    bytesOf: vocabulary.bytesOf,
    controlTextOf: () => undefined,
    stop,
    minTokens,
  });
  const emitted: string[] = [];
  for (const chunk of chunks) {
    const token = vocabulary.token(typeof chunk === "string" ? encode(chunk) : chunk);
    const match = text.push(token);
    emitted.push(match.pieces.map((piece) => piece.text).join(""));
    if (match.stopped) return { emitted, stopped: true, flushed: text.flush() };
  }
  return { emitted, stopped: false, flushed: text.flush() };
}

/**
 * Letters are tokens; so are `[`, `]` and the first byte of `€`; the brackets are control tokens.
 */
function withControlTokens(output: string, options: StopOptions = {}) {
  const generated = new GeneratedText({
    bytesOf: (token) =>
      token === "€".charCodeAt(0) ? encode("€").slice(0, 1) : encode(String.fromCharCode(token)),
    controlTextOf: (token) => ["[", "]"].find((text) => text.charCodeAt(0) === token),
    stop: options.stop ?? [],
    minTokens: options.minTokens ?? 0,
  });
  const pieces = [];
  for (const character of output) {
    const settled = generated.push(character.charCodeAt(0));
    pieces.push(...settled.pieces);
    if (settled.stopped) return { pieces, stopped: true };
  }
  return { pieces, stopped: false };
}

describe("GeneratedText", () => {
  test("yields control tokens as separate pieces, after the preceding text", () => {
    expect(withControlTokens("a[b").pieces).toEqual([
      { type: "text", text: "a" },
      { type: "control-token", text: "[" },
      { type: "text", text: "b" },
    ]);
  });

  test("finds a stop string right before a control token, but none across it", () => {
    expect(withControlTokens("xS[T", { stop: ["ST"] })).toEqual({
      pieces: [
        { type: "text", text: "x" },
        { type: "text", text: "S" },
        { type: "control-token", text: "[" },
        { type: "text", text: "T" },
      ],
      stopped: false,
    });
    expect(withControlTokens("xST[", { stop: ["ST"] }).stopped).toBe(true);
  });

  test("completes no character across a control token", () => {
    expect(withControlTokens("€[").pieces).toEqual([
      { type: "text", text: "\uFFFD" },
      { type: "control-token", text: "[" },
    ]);
  });

  test("stops at a stop string that an incomplete character completes before a control token", () => {
    expect(withControlTokens("a€[", { stop: ["\uFFFD"] })).toEqual({
      pieces: [{ type: "text", text: "a" }],
      stopped: true,
    });
  });

  test("finds a stop string that begins before the minimum number of tokens and ends at it", () => {
    const chunks = ["I ", "am ", "ggufd ", "mini", " then"];
    for (const minTokens of [0, 1, 2, 3, 4]) {
      const { emitted, stopped } = generate(chunks, { stop: ["ggufd mini"], minTokens });
      expect([emitted.join(""), stopped]).toEqual(["I am ", true]);
    }
    const late = generate(chunks, { stop: ["ggufd mini"], minTokens: 5 });
    expect([late.emitted.join("") + late.flushed, late.stopped]).toEqual([chunks.join(""), false]);
  });

  test.each<{
    rule: string;
    chunks: string[];
    options: StopOptions;
    emitted: string[];
    stopped: boolean;
    flushed: string;
  }>([
    {
      rule: "finds a stop string across tokens",
      chunks: ["Hello", "\n", "\nUser"],
      options: { stop: ["\n\nUser"] },
      emitted: ["Hello", "", ""],
      stopped: true,
      flushed: "",
    },
    {
      rule: "flushes the text held back for a stop string at the end",
      chunks: ["Hello", "\n", "\nUs"],
      options: { stop: ["\n\nUser"] },
      emitted: ["Hello", "", ""],
      stopped: false,
      flushed: "\n\nUs",
    },
    {
      rule: "ignores stop strings before the minimum number of tokens",
      chunks: ["a.", "b.", "c.d"],
      options: { stop: ["."], minTokens: 3 },
      emitted: ["a.", "b.", "c"],
      stopped: true,
      flushed: "",
    },
    {
      rule: "finds a stop string in the token that reaches the minimum number",
      chunks: ["a", "."],
      options: { stop: ["."], minTokens: 2 },
      emitted: ["a", ""],
      stopped: true,
      flushed: "",
    },
    {
      rule: "holds back a possible beginning of a stop string after the minimum number of tokens",
      chunks: ["a\n"],
      options: { stop: ["\n\n"], minTokens: 2 },
      emitted: ["a"],
      stopped: false,
      flushed: "\n",
    },
  ])("$rule", ({ chunks, options, emitted, stopped, flushed }) => {
    expect(generate(chunks, options)).toEqual({ emitted, stopped, flushed });
  });

  test("emits nothing after a stop string, not even an incomplete character", () => {
    const stopThenHalfEuro = Uint8Array.from([...encode("a#b"), 0xe2, 0x82]);
    expect(generate([stopThenHalfEuro], { stop: ["#"] })).toEqual({
      emitted: ["a"],
      stopped: true,
      flushed: "",
    });
  });

  test("flushes an incomplete character at the end, unless it completes a stop string", () => {
    const halfEuro = encode("€").slice(0, 2);
    expect(generate(["a", halfEuro]).flushed).toBe("\uFFFD");
    expect(generate(["a", halfEuro], { stop: ["\uFFFD"] }).flushed).toBe("");
    expect(generate(["x", "a", halfEuro], { stop: ["a\uFFFD"] })).toEqual({
      emitted: ["x", "", ""],
      stopped: false,
      flushed: "",
    });
  });

  test("emits the text before the stop string, for any split of its bytes", () => {
    const words = fc.array(fc.constantFrom("é", "€", "😀", "a", "STOP", "ST"), { maxLength: 10 });
    fc.assert(
      fc.property(words, fc.array(fc.nat(40)), (parts, positions) => {
        const text = parts.join("");
        const { emitted, stopped, flushed } = generate(splitAt(encode(text), positions), {
          stop: ["STOP", "€€"],
        });
        const before = text.split(/STOP|€€/, 1)[0];
        expect(emitted.join("") + flushed).toBe(before);
        expect(stopped).toBe(before !== text);
      }),
    );
  });
});
