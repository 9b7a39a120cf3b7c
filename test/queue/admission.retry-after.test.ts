import { describe, expect, test } from "vitest";
import { computeRetryAfterSeconds } from "../../src/queue/admission.js";

describe("Retry-After", () => {
  test.each([
    { waiting: 0, slots: 4, serviceMs: undefined, seconds: 1 },
    { waiting: 8, slots: 4, serviceMs: undefined, seconds: 2 },
    { waiting: 9, slots: 4, serviceMs: undefined, seconds: 3 },
    { waiting: 8, slots: 4, serviceMs: 5000, seconds: 10 },
    { waiting: 8, slots: 4, serviceMs: 20, seconds: 1 },
    { waiting: 3, slots: 1, serviceMs: 1001, seconds: 4 },
    { waiting: 2048, slots: 4, serviceMs: 10, seconds: 6 },
    { waiting: 2048, slots: 4, serviceMs: 1000, seconds: 60 },
    { waiting: 1, slots: 1, serviceMs: 3_600_000, seconds: 60 },
  ])(
    "is $seconds s with $waiting waiting requests, $slots slots and $serviceMs ms per request",
    ({ seconds, ...progress }) => {
      expect(computeRetryAfterSeconds(progress)).toBe(seconds);
    },
  );
});
