import { describe, expect, it } from "vitest";
import { parseWindowMs } from "../../src/batches/batch.js";
import { chooseLane, computeWaitMs } from "../../src/batches/lane.js";
import { decideRetry } from "../../src/batches/retry-policy.js";
import { mergeSorted, sortInSlices } from "../../src/batches/sort-in-slices.js";

describe("the decision about a retry", () => {
  const answer = { requestId: "r", body: "{}" };

  it.each([
    [{ status: 200 }, 1, 1, "final"],
    [{ status: 400 }, 1, 1, "final"],
    [{ status: 404 }, 1, 1, "final"],
    [{ status: 413 }, 1, 1, "final"],
    [{ status: 429 }, 1, 1, { after: "refusal", pauseMs: 500 }],
    [{ status: 503 }, 1, 3, { after: "refusal", pauseMs: 2000 }],
    [{ status: 529 }, 9, 1, { after: "refusal", pauseMs: 500 }],
    [{ status: 503 }, 1, 50, { after: "refusal", pauseMs: 60_000 }],
    [{ status: 503, retryAfterSeconds: 30 }, 1, 1, { after: "refusal", pauseMs: 30_000 }],
    [{ status: 500 }, 1, 1, { after: "server-error", pauseMs: 500 }],
    [{ status: 500 }, 2, 1, { after: "server-error", pauseMs: 1000 }],
    [{ status: 500 }, 3, 1, "final"],
    [{ status: 500, isFinal: true }, 1, 1, "final"],
    // A budget that is used up, until it is renewed or raised.
    [
      { status: 429, isFinal: true, retryAfterSeconds: 36_000 },
      1,
      1,
      { after: "refusal", pauseMs: 60_000 },
    ],
    [{ status: 504 }, 1, 1, "final"],
  ] as const)("%j, attempt %i, refusal %i: %s", (given, attempts, refusals, expected) => {
    expect(decideRetry({ ...answer, ...given }, { attempts, refusals })).toEqual(
      expected === "final" ? { type: "final" } : { type: "retry", ...expected },
    );
  });
});

describe("the choice of a lane", () => {
  const lane = (name: string, due: number, { hasLines = true, pausedUntilMs = 0 } = {}) => ({
    name,
    due,
    hasLines,
    pausedUntilMs,
  });

  it.each([
    ["the one that is due first", [lane("late", 2), lane("early", 1)], "early"],
    ["one with lines", [lane("empty", 0, { hasLines: false }), lane("full", 5)], "full"],
    ["one that is not paused", [lane("paused", 0, { pausedUntilMs: 101 }), lane("b", 5)], "b"],
    ["one whose pause has ended", [lane("a", 0, { pausedUntilMs: 100 }), lane("b", 5)], "a"],
    ["none", [lane("paused", 0, { pausedUntilMs: 101 })], undefined],
  ])("is %s", (_, lanes, expected) => {
    expect(chooseLane(lanes, 100)?.name).toBe(expected);
  });

  it("waits for the first pause to end", () => {
    const lanes = [lane("a", 0, { pausedUntilMs: 300 }), lane("b", 0, { pausedUntilMs: 250 })];
    expect(computeWaitMs(lanes, 100)).toBe(150);
    expect(computeWaitMs([lane("c", 0)], 100)).toBeUndefined();
  });
});

describe("sorting in slices", () => {
  it("sorts like toSorted, stably", async () => {
    const items = Array.from({ length: 9000 }, (_, index) => ({
      key: (index * 7919) % 100,
      index,
    }));
    const compare = (a: { key: number }, b: { key: number }) => a.key - b.key;
    expect(await sortInSlices(items, compare)).toEqual(items.toSorted(compare));
    expect(await sortInSlices([], compare)).toEqual([]);
  });

  it.each([
    [
      [1, 3],
      [2, 4],
      [1, 2, 3, 4],
    ],
    [[], [1], [1]],
    [[2], [], [2]],
    [
      [5, 6],
      [1, 2],
      [1, 2, 5, 6],
    ],
  ])("merges %j and %j", (first, second, expected) => {
    expect(mergeSorted(first, second, (a, b) => a - b)).toEqual(expected);
  });
});

describe("a completion window", () => {
  it.each([
    ["24h", 24],
    ["1h", 1],
    ["14d", 336],
    ["336h", 336],
    ["337h", undefined],
    ["15d", undefined],
    ["0h", undefined],
    ["24", undefined],
    ["1w", undefined],
  ])("%j has %s hours", (window, hours) => {
    expect(parseWindowMs(window)).toBe(hours === undefined ? undefined : hours * 3_600_000);
  });
});
