import { describe, expect, test } from "vitest";
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatPercentage,
  formatRate,
  formatUptime,
} from "../../src/live-metrics/units.js";

describe("unknown values", () => {
  test.each([formatCount, formatRate, formatDuration, formatPercentage, formatBytes])(
    "are displayed as a dash (%#)",
    (print) => {
      expect(print(undefined)).toBe("–");
    },
  );
});

test.each([
  [0, "0"],
  [0.26, "0.3"],
  [9.94, "9.9"],
  [9.96, "10"],
  [1234.4, "1,234"],
])("a rate of %d is displayed as %s", (perSecond, text) => {
  expect(formatRate(perSecond)).toBe(text);
});

test.each([
  [0.00041, "0.4 ms"],
  [0.024, "24 ms"],
  [0.9994, "999 ms"],
  [0.9996, "1.0 s"],
  [1.24, "1.2 s"],
  [85.2, "85 s"],
])("a duration of %d seconds is displayed as %s", (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});

test.each([
  [0, "0 B"],
  [950, "950 B"],
  [88_400, "88 kB"],
  [162e6, "162 MB"],
  [1.91e9, "1.9 GB"],
])("%d bytes are displayed as %s", (amount, text) => {
  expect(formatBytes(amount)).toBe(text);
});

test.each([
  [-3, "0 s"],
  [0.4, "0 s"],
  [40.9, "40 s"],
  [60, "1 min"],
  [3725, "1 h 2 min"],
  [3601, "1 h"],
  [273_600, "3 d 4 h"],
])("an uptime of %d seconds is displayed as %s", (seconds, text) => {
  expect(formatUptime(seconds)).toBe(text);
});

test("large numbers have thousands separators, and shares are percentages", () => {
  expect(formatCount(1_234_567)).toBe("1,234,567");
  expect(formatPercentage(0.634)).toBe("63 %");
});
