import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Retry } from "../../../src/core/pull-event.js";
import { ModelError } from "../../../src/models/model-error.js";
import {
  computeBackoffMs,
  defaultRetryPolicy,
  parseRetryAfterMs,
  TransientFailure,
  withRetries,
} from "../../../src/models/pull/retries.js";
import { impatient } from "./impatient.js";

describe("the delay before a retry", () => {
  test("doubles up to a limit, with a random value between half and all of it", () => {
    const policy = { ...defaultRetryPolicy, firstDelayMs: 100, maxDelayMs: 1000 };
    expect([1, 2, 3, 4, 5].map((failures) => computeBackoffMs(policy, failures, 1))).toEqual([
      100, 200, 400, 800, 1000,
    ]);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (n, random) => {
          const most = computeBackoffMs(policy, n, 1);
          const delayMs = computeBackoffMs(policy, n, random);
          expect(delayMs).toBeGreaterThanOrEqual(most / 2);
          expect(delayMs).toBeLessThanOrEqual(most);
        },
      ),
    );
  });

  test.each([
    ["3", 3000],
    [" 0 ", 0],
    ["Thu, 26 Nov 2026 12:00:30 GMT", 30_000],
    ["Thu, 26 Nov 2026 11:00:00 GMT", 0],
    ["soon", undefined],
    ["-1", undefined],
    [undefined, undefined],
  ])("follows Retry-After %j: %j ms", (header, expected) => {
    expect(parseRetryAfterMs(header, Date.parse("2026-11-26T12:00:00Z"))).toBe(expected);
  });
});

describe("retries", () => {
  const run = (outcomes: readonly (Error | string)[], policy = impatient) => {
    const retries: Retry[] = [];
    const left = [...outcomes];
    const result = withRetries(
      {
        policy,
        signal: new AbortController().signal,
        onRetry: (retry) => retries.push(retry),
        subject: "m",
      },
      async () => {
        const next = left.shift();
        if (next instanceof Error) throw next;
        return next;
      },
    );
    return { result, retries };
  };
  const failure = new TransientFailure("busy");

  test("continue until an attempt succeeds", async () => {
    const { result, retries } = run([failure, failure, "done"]);
    expect(await result).toBe("done");
    expect(retries.map(({ reason }) => reason)).toEqual(["busy", "busy"]);
  });

  test("stop after the maximum number of failures", async () => {
    await expect(run([failure, failure, failure, failure, "late"]).result).rejects.toMatchObject({
      code: "source_unavailable",
      message: "m: busy, 4 times in a row",
    });
  });

  test("continue as long as each attempt makes progress", async () => {
    const further = new TransientFailure("cut", { progress: "some" });
    const { result } = run([...Array(20).fill(further), "done"]);
    expect(await result).toBe("done");
  });

  test("stop at a permanent error", async () => {
    const error = new ModelError("not_found", "gone");
    await expect(run([failure, error, "late"]).result).rejects.toBe(error);
  });

  test("wait as long as the source requests, up to a limit", async () => {
    const { result, retries } = run([new TransientFailure("429", { retryAfterMs: 5 }), "done"]);
    expect(await result).toBe("done");
    expect(retries[0]?.delayMs).toBeGreaterThanOrEqual(5);
    const long = new TransientFailure("429", { retryAfterMs: 3_600_000 });
    await expect(run([long, "late"]).result).rejects.toThrow(
      "m: 429; the server asks to wait 3600 s",
    );
  });

  test("stop when they are aborted, even during the delay", async () => {
    const controller = new AbortController();
    const policy = { ...impatient, firstDelayMs: 60_000, maxDelayMs: 60_000 };
    const reason = new Error("no longer");
    const waiting = withRetries(
      { policy, signal: controller.signal, onRetry: () => controller.abort(reason), subject: "m" },
      () => Promise.reject(failure),
    );
    await expect(waiting).rejects.toBe(reason);
  });
});
