import { describe, expect, it } from "vitest";
import {
  acceptedShare,
  evaluatedTokens,
  firstTokenTimes,
  outputRate,
  streamRate,
  tokenGaps,
  wallSeconds,
} from "../../bench/scenarios/reductions.js";
import { counts, record } from "./records.js";

const first = record({
  startedAt: 1000,
  pieceTimes: [1100, 1150, 1250],
  endedAt: 1300,
  tokens: counts({ prompt: 50, cached: 20, completion: 4, drafted: 6, accepted: 3 }),
});
const second = record({
  startedAt: 1200,
  pieceTimes: [1500, 1900],
  endedAt: 3000,
  tokens: counts({ prompt: 10, completion: 6, drafted: 2, accepted: 1 }),
});
const failed = record({
  startedAt: 0,
  pieceTimes: [1],
  endedAt: 9000,
  tokens: counts({ prompt: 99, completion: 99 }),
  error: "HTTP 503",
});
const all = [first, second, failed];

describe("what records come to", () => {
  it.each([
    ["wall time, from the first request to the last answer", wallSeconds(all), 2],
    ["tokens a second of it", outputRate(all), 5],
    ["tokens a second of a stream, after its first", streamRate(all), (3 + 5) / (0.2 + 1.5)],
    ["prompt tokens that no cache held", evaluatedTokens(all), 40],
    ["the share of drafts that were right", acceptedShare(all), 0.5],
  ])("%s", (_, value, expected) => {
    expect(value).toBeCloseTo(expected, 12);
  });

  it("times to the first token and between tokens; failed requests count nowhere", () => {
    expect(firstTokenTimes(all)).toEqual([100, 300]);
    expect(tokenGaps(all)).toEqual([50, 100, 400]);
  });

  it("gaps within a window are those that end in it", () => {
    expect(tokenGaps(all, { from: 1200, to: 1600 })).toEqual([100]);
  });

  it("without a whole answer there are no numbers, and no failure", () => {
    expect(wallSeconds([failed])).not.toBeGreaterThan(0);
    expect(streamRate([failed])).toBeNaN();
    expect(firstTokenTimes([failed])).toEqual([]);
    expect(acceptedShare([failed])).toBeNaN();
  });
});
