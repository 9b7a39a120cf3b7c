import { describe, expect, it } from "vitest";
import { createContinuationTokenizer } from "../../../../src/engine/text/vocabulary/vocabulary.js";

/** Tokens are characters or their first bytes; the ids are the code points. */
const bytesOf = (token: number) => Buffer.from(String.fromCodePoint(token));
const charactersOf = (text: string) =>
  Array.from(text, (character) => character.codePointAt(0) ?? 0);
const textOf = (tokens: readonly number[]) => String.fromCodePoint(...tokens);

describe("a text that continues another text", () => {
  it("is tokenised unchanged if the tokeniser adds no space prefix", () => {
    const seen: string[] = [];
    const tokenize = createContinuationTokenizer({
      tokenize: (text) => {
        seen.push(text);
        return charactersOf(text);
      },
      bytesOf,
    });
    expect(textOf(tokenize('{"a'))).toBe('{"a');
    expect(seen.at(-1)).toBe('{"a');
  });

  it.each(['{"a', " a", "  ", "\n  b", "é", ""])(
    "is tokenised without a space prefix: %j",
    (text) => {
      const tokenize = createContinuationTokenizer({
        tokenize: (whole) => charactersOf(` ${whole}`),
        bytesOf,
      });
      expect(textOf(tokenize(text))).toBe(text);
    },
  );

  it("is tokenised separately if the tokeniser merges the separator with it", () => {
    const merged = 1000;
    const tokenize = createContinuationTokenizer({
      tokenize: (whole) => (whole.startsWith("\u0001{") ? [32, merged] : charactersOf(` ${whole}`)),
      bytesOf,
    });
    expect(textOf(tokenize("{"))).toBe(" {");
    expect(textOf(tokenize("a"))).toBe("a");
  });
});
