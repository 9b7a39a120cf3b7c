import fc from "fast-check";
import { expect, test } from "vitest";
import { parseKeepTime } from "../../src/core/keep-time.js";

test.each<[number | string, ReturnType<typeof parseKeepTime>]>([
  [0, 0],
  [300, 300_000],
  [1.5, 1500],
  [-1, "forever"],
  ["0", 0],
  ["0s", 0],
  ["300", 300_000],
  ["-1", "forever"],
  ["-5m", "forever"],
  ["5m", 300_000],
  ["+5m", 300_000],
  ["1h30m", 5_400_000],
  ["1.5h", 5_400_000],
  ["1.h.5s", 3_600_500],
  ["300ms", 300],
  ["2us", 0.002],
  ["2µs", 0.002],
  ["1e400h", undefined],
  [Number.POSITIVE_INFINITY, "forever"],
  [Number.NaN, undefined],
  ["9".repeat(400), "forever"],
  ["", undefined],
  ["-", undefined],
  ["m", undefined],
  ["5", 5000],
  ["5d", undefined],
  ["5m x", undefined],
  ["x5m", undefined],
  ["5 m", undefined],
])("%j is parsed as a keep-alive time of %j", (text, expected) => {
  expect(parseKeepTime(text)).toBe(expected);
});

test("units may be in any order, and surrounding spaces are ignored", () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.nat(1000), (minutes, seconds) => {
      const ms = minutes * 60_000 + seconds * 1000;
      expect(parseKeepTime(`${minutes}m${seconds}s`)).toBe(ms);
      expect(parseKeepTime(` ${seconds}s${minutes}m `)).toBe(ms);
      expect(parseKeepTime(ms / 1000)).toBe(ms);
    }),
  );
});
