import { expect, test } from "vitest";
import { printDuration } from "../../../src/http/keys/rate-limit-headers.js";

test.each([
  [0, "0s"],
  [0.2, "1ms"],
  [120, "120ms"],
  [999.5, "1s"],
  [1000, "1s"],
  [1001, "2s"],
  [59_999, "1m0s"],
  [360_000, "6m0s"],
  [3_599_001, "1h0m0s"],
  [7_384_000, "2h3m4s"],
])("%d ms are formatted like OpenAI's rate limit headers: %s", (ms, text) => {
  expect(printDuration(ms)).toBe(text);
});
