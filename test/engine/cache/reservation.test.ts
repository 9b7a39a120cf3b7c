import { describe, expect, it } from "vitest";
import {
  computeReservation,
  computeResumedReservation,
  findLimitOrigin,
} from "../../../src/engine/cache/reservation.js";

const shareTokens = 20_480;
const unlimited = {
  tokens: 100,
  maxTextTokens: 81_920,
  limitOrigin: "context",
  shareTokens,
} as const;

describe("a generation reserves", () => {
  it("all tokens it may need, if its request limits them", () => {
    const question = {
      tokens: 100,
      maxTextTokens: 5100,
      limitOrigin: "request",
      shareTokens,
    } as const;
    expect(computeReservation(question)).toBe(5100);
    expect(computeResumedReservation({ ...question, tokens: 4000 })).toBe(5100);
  });

  it("slightly more than it holds, if only the context limits it", () => {
    expect(computeReservation(unlimited)).toBe(612);
    expect(computeReservation({ ...unlimited, shareTokens: 256 })).toBe(132);
    expect(computeReservation({ ...unlimited, maxTextTokens: 300 })).toBe(300);
  });

  it("an even share, if it resumes after a suspension", () => {
    expect(computeResumedReservation(unlimited)).toBe(20_480);
    expect(computeResumedReservation({ ...unlimited, tokens: 30_000 })).toBe(30_512);
    expect(computeResumedReservation({ ...unlimited, maxTextTokens: 300 })).toBe(300);
  });
});

it.each([
  ["without a token limit is limited by the context", {}, "context"],
  ["with a token limit is limited by the request", { maxTokens: 5 }, "request"],
])("a generation %s", (_, stopping, expected) => {
  const prepared = { stopping: { minTokens: 0, stop: [], ignoreEos: false, ...stopping } };
  expect(findLimitOrigin(prepared)).toBe(expected);
  // The generation cannot resume within its prompt.
  const scored = { ...prepared, scoredTokens: "all", topLogProbabilities: 0 } as const;
  expect(findLimitOrigin(scored)).toBe("request");
  expect(findLimitOrigin({ ...scored, choice: 1 })).toBe(expected);
});
