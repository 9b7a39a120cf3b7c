import { describe, expect, it } from "vitest";
import {
  evaluatedTokens,
  interTokenLatenciesMs,
  outputRate,
  timesToFirstTokenMs,
  wallSeconds,
} from "../../bench/scenarios/reductions.js";
import { counts, record } from "./records.js";

const first = record({
  startedAtMs: 1000,
  chunkTimesMs: [1100, 1150, 1250],
  endedAtMs: 1300,
  tokens: counts({ prompt: 50, cached: 20, completion: 4, drafted: 6, accepted: 3 }),
});
const second = record({
  startedAtMs: 1200,
  chunkTimesMs: [1500, 1900],
  endedAtMs: 3000,
  tokens: counts({ prompt: 10, completion: 6, drafted: 2, accepted: 1 }),
});
const failed = record({
  startedAtMs: 0,
  chunkTimesMs: [1],
  endedAtMs: 9000,
  tokens: counts({ prompt: 99, completion: 99 }),
  error: "HTTP 503",
});
const all = [first, second, failed];

describe("reductions of request records", () => {
  it.each([
    ["the wall time from the first request to the last answer", wallSeconds(all), 2],
    ["the output rate over the wall time", outputRate(all), 5],
    ["the prompt tokens that were not cached", evaluatedTokens(all), 40],
  ])("return %s", (_, value, expected) => {
    expect(value).toBeCloseTo(expected, 12);
  });

  it("return TTFT and ITL without failed requests", () => {
    expect(timesToFirstTokenMs(all)).toEqual([100, 300]);
    expect(interTokenLatenciesMs(all)).toEqual([50, 100, 400]);
  });

  it("restrict ITL to intervals that end in a window", () => {
    expect(interTokenLatenciesMs(all, { fromMs: 1200, toMs: 1600 })).toEqual([100]);
  });

  it("return no values if no request succeeded", () => {
    expect(wallSeconds([failed])).not.toBeGreaterThan(0);
    expect(timesToFirstTokenMs([failed])).toEqual([]);
  });
});
