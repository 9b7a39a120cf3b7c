import { describe, expect, it } from "vitest";
import {
  findBand,
  formatProbability,
  formatToken,
  listScoredTokens,
} from "../../../src/page/chat/token-probabilities.js";
import type { AnswerItem } from "../../../src/page/chat/turns.js";
import { message } from "./answers.js";

describe("the probability of a token", () => {
  it.each([
    [0, "100.0 %", "certain"],
    [Math.log(0.982), "98.2 %", "certain"],
    [Math.log(0.5), "50.0 %", "likely"],
    [Math.log(0.1), "10.0 %", "unsure"],
    [Math.log(0.004), "0.40 %", "unlikely"],
    [-20, "< 0.01 %", "unlikely"],
    [Number.NEGATIVE_INFINITY, "0.00 %", "unlikely"],
  ])("is formatted and has a band: %d", (logprob, text, band) => {
    expect(formatProbability(logprob)).toBe(text);
    expect(findBand(logprob)).toBe(band);
  });

  it.each([
    ["a", "a"],
    [" b\n", "␣b⏎"],
    ["\t", "⇥"],
    ["", "(empty)"],
  ])("is shown with a visible token: %j", (token, text) => {
    expect(formatToken(token)).toBe(text);
  });

  it("is absent in answers without any", () => {
    expect(listScoredTokens([message("Hi.") as AnswerItem])).toEqual([]);
  });
});
