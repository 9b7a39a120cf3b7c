import { describe, expect, it } from "vitest";
import { attainment, latencyOf, limitsOf } from "../../bench/goodput/limits.js";
import { bestSpeedOf, speedOf, toCalibration } from "../../bench/goodput/server-speed.js";
import { goodputOf, isMeasured, ratesOf } from "../../bench/goodput/sweep.js";
import { goodputMeasures, type RatePoint, ratePoint } from "../../bench/scenarios/goodput.js";
import { InputError } from "../../models/command-line/input-error.js";
import { counts, record } from "./records.js";

/** Answer of 11 tokens, with the first after `ttftMs` and each later one after `tpotMs`. */
function answer(ttftMs: number, tpotMs: number) {
  const chunkTimesMs = Array.from({ length: 11 }, (_, index) => 100 + ttftMs + index * tpotMs);
  return record({
    startedAtMs: 100,
    chunkTimesMs,
    endedAtMs: 100 + ttftMs + 10 * tpotMs,
    tokens: counts({ completion: 11 }),
  });
}

const failed = record({ error: "HTTP 503" });

describe("latencyOf", () => {
  it("returns the TTFT and the mean time per later token", () => {
    expect(latencyOf(answer(50, 7))).toEqual({ ttftMs: 50, tpotMs: 7 });
  });

  it("returns 0 per later token for an answer of one token", () => {
    const one = record({ chunkTimesMs: [5], endedAtMs: 6, tokens: counts({ completion: 1 }) });
    expect(latencyOf(one)).toEqual({ ttftMs: 5, tpotMs: 0 });
  });

  it("uses the end of an answer without text as its TTFT", () => {
    const silent = record({ endedAtMs: 9, tokens: counts({ completion: 3 }) });
    expect(latencyOf(silent)).toEqual({ ttftMs: 9, tpotMs: 0 });
  });
});

describe("attainment", () => {
  const limits = { ttftMs: 50, tpotMs: 7 };

  it.each([
    ["within both limits", [answer(50, 7)], 1],
    ["with a late first token", [answer(51, 7)], 0],
    ["with slow later tokens", [answer(50, 8)], 0],
    ["that failed", [failed], 0],
    ["of all kinds", [answer(1, 1), answer(50, 8), failed, answer(9, 7)], 0.5],
  ])("is computed for requests %s", (_, records, expected) => {
    expect(attainment(records, limits)).toBe(expected);
  });

  it("is measured against limits that are multiples of an idle server's latency", () => {
    expect(limitsOf({ ttftMs: 60, tpotMs: 9 })).toEqual({
      strict: { ttftMs: 600, tpotMs: 27 },
      loose: { ttftMs: 2400, tpotMs: 72 },
    });
  });
});

describe("speedOf", () => {
  const idle = [answer(60, 9), answer(50, 8), answer(900, 1)];

  it("returns the median latency of single requests, and the rate of the first half of a burst", () => {
    // 11 of 22 tokens arrive within half a second: one of two requests.
    const first = record({ chunkTimesMs: [100, 200, 300, 400, 600] });
    const last = record({ chunkTimesMs: [500, 9000, 9500] });
    expect(speedOf(idle, [first, last])).toEqual({
      capacity: 1000 / 450,
      idle: { ttftMs: 60, tpotMs: 8 },
    });
  });

  it("rejects a failed request", () => {
    expect(() => speedOf(idle, [failed])).toThrow(InputError);
    expect(() => speedOf(idle, [failed])).toThrow("a request of the calibration failed: HTTP 503");
  });

  it("is combined across servers by the best value of each measure", () => {
    const ours = toCalibration({ capacity: 2, idle: { ttftMs: 60, tpotMs: 9 } });
    const peer = toCalibration({ capacity: 1.8, idle: { ttftMs: 70, tpotMs: 8 } });
    const best = { capacity: 2, idle: { ttftMs: 60, tpotMs: 8 } };
    expect(bestSpeedOf([ours, peer])).toEqual(best);
    expect(bestSpeedOf([peer, ours])).toEqual(best);
    expect(bestSpeedOf([peer])).toEqual({ capacity: 1.8, idle: { ttftMs: 70, tpotMs: 8 } });
  });
});

describe("a goodput sweep", () => {
  it("covers rounded rates from well below to well above the capacity", () => {
    const rates = ratesOf(1.7777);
    expect(rates[0]).toBe(0.267);
    expect(rates.at(-1)).toBe(2.49);
    expect(rates).toEqual(rates.toSorted((a, b) => a - b));
  });

  it.each([
    [1, undefined, true],
    [2, 1, true],
    [2, 0.5, true],
    [2, 0.49, false],
    [3, 0, true],
  ])("at rate %d after an attainment of %s is measured: %s", (rate, before, measured) => {
    expect(isMeasured(rate, [1, 2, 3], before)).toBe(measured);
  });
});

describe("goodputOf", () => {
  const at = (...attainments: number[]) =>
    attainments.map((attainment, index) => ({ rate: index + 1, attainment }));

  it.each([
    ["interpolates between two rates", at(1, 0.95, 0.85, 0), 2.5],
    ["returns a rate at which exactly 90 % of requests are within the limits", at(1, 0.9, 0.2), 2],
    ["uses the last of several crossings", at(0.95, 0.8, 0.9, 0.8), 3],
    ["returns 0 if no rate reaches 90 %", at(0.89, 0.5), 0],
    ["returns the highest rate if it reaches 90 %", at(1, 0.93, 0.91), 3],
    ["returns 0 without rates", [], 0],
  ])("%s", (_, points, expected) => {
    expect(goodputOf(points)).toBeCloseTo(expected, 12);
  });
});

describe("goodput measures", () => {
  it("reduce the requests of one rate to attainment, TTFT and ITL", () => {
    const records = [answer(50, 7), answer(70, 10), failed];
    const limits = { strict: { ttftMs: 50, tpotMs: 7 }, loose: { ttftMs: 99, tpotMs: 99 } };
    expect(ratePoint(2, records, limits)).toEqual({
      rate: 2,
      strict: 1 / 3,
      loose: 2 / 3,
      ttftMeanMs: 60,
      ttftP99Ms: 70,
      itlMeanMs: 8.5,
      itlP99Ms: 10,
    });
  });

  it("include the goodput for both pairs of limits, and the tail latencies at the highest rate", () => {
    const point = (rate: number, strict: number, loose: number): RatePoint => ({
      ...{ rate, strict, loose },
      ...{ ttftMeanMs: rate, ttftP99Ms: 2 * rate, itlMeanMs: 3 * rate, itlP99Ms: 4 * rate },
    });
    expect(goodputMeasures([point(1, 1, 1), point(2, 0.8, 0.95), point(4, 0, 0.85)])).toEqual({
      goodputStrict: expect.closeTo(1.5, 12),
      goodputLoose: expect.closeTo(3, 12),
      ttftMean: 4,
      ttftP99: 8,
      itlP99: 16,
    });
  });
});
