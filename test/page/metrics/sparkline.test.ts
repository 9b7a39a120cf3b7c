import { expect, it } from "vitest";
import { drawSparkline } from "../../../src/page/metrics/sparkline.js";

const options = { width: 100, height: 10, nowMs: 100_000, spanMs: 100_000, leastMaximum: 1 };
const at = (seconds: number, value?: number) => ({ atMs: seconds * 1000, value });

it("a sparkline is drawn from left to right, with the largest value at the top", () => {
  const points = [at(96, 0), at(98, 20), at(100, 10)];
  expect(drawSparkline(points, options)).toEqual({ line: "M96 10h0L98 0L100 5", maximum: 20 });
});

it("a sparkline of small values uses a minimum scale", () => {
  expect(drawSparkline([at(100, 0.5)], options).line).toBe("M100 5h0");
});

it("a sparkline shows a dot for a single value, and a gap for missing values", () => {
  const points = [at(80, 2), at(90, 2), at(92, undefined), at(94, 2)];
  expect(drawSparkline(points, options).line).toBe("M80 0h0M90 0h0L94 0");
});

it("a sparkline omits values that are too old", () => {
  expect(drawSparkline([at(-1, 9), at(99, 1)], options)).toEqual({ line: "M99 0h0", maximum: 1 });
});

it("a sparkline without values is empty", () => {
  expect(drawSparkline([at(99)], options)).toEqual({ line: "", maximum: undefined });
});
