import { expect, test } from "vitest";
import { tokenizePrediction } from "../../../../src/engine/text/prompt/prompt-tokenizer.js";

/** Every character is a token. */
function vocabulary() {
  const tokenized: [text: string, controlTokens: string][] = [];
  return {
    tokenized,
    tokenize(text: string, controlTokens: "parsed" | "literal") {
      tokenized.push([text, controlTokens]);
      return [...text].map((character) => character.charCodeAt(0));
    },
  };
}

test("a prediction is tokenised as text, even if it contains control tokens", () => {
  const { tokenize, tokenized } = vocabulary();
  expect(tokenizePrediction("ab", { tokenize }, 100)).toEqual([0x61, 0x62]);
  expect(tokenizePrediction("", { tokenize }, 100)).toEqual([]);
  expect(tokenized.every(([, controlTokens]) => controlTokens === "literal")).toBe(true);
});

test("a prediction is tokenised only up to the maximum length of the answer", () => {
  const { tokenize, tokenized } = vocabulary();
  expect(tokenizePrediction("x".repeat(1_000_000), { tokenize }, 100)).toHaveLength(100);
  expect(tokenized[0]?.[0].length).toBeLessThan(1000);
});
