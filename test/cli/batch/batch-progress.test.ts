import { describe, expect, it, test } from "vitest";
import {
  type BatchCounts,
  BatchProgress,
  describeProgress,
} from "../../../src/cli/batch/batch-progress.js";
import { visible } from "../chat/scripted-terminal.js";

const counts = (total: number, completed: number, failed = 0): BatchCounts => ({
  total,
  completed,
  failed,
});

test.each([
  [counts(0, 0), undefined, undefined, "the daemon is reading the requests"],
  [
    counts(1000, 448, 2),
    2.75,
    1234,
    "45 %, 450 of 1,000 requests, 2 failed, 1,234 tokens/s, 3:20 left",
  ],
  [counts(3, 1), undefined, undefined, "33 %, 1 of 3 requests"],
  [counts(3, 1), 0, 0, "33 %, 1 of 3 requests, 0 tokens/s"],
  [counts(3, 3), 1, 10, "100 %, 3 of 3 requests, 10 tokens/s"],
])("the progress of %j at %j requests/s and %j tokens/s", (of, requests, tokens, expected) => {
  const rates = { requestsPerSecond: requests, tokensPerSecond: tokens };
  expect(describeProgress(of, rates)).toBe(expected);
});

type Shown = readonly [atMs: number, counts: BatchCounts | string, tokens?: number];

/** Shows progress at the given times. */
function shown(
  steps: readonly Shown[],
  terminal: { readonly isTTY?: boolean; readonly columns?: number } = {},
) {
  const written: string[] = [];
  let nowMs = 0;
  const output = { ...terminal, write: (text: string) => written.push(text) };
  const progress = new BatchProgress("in.jsonl", output, () => nowMs);
  for (const [atMs, state, tokens] of steps) {
    nowMs = atMs;
    if (typeof state === "string") progress.showState(state);
    else progress.show(state, tokens);
  }
  progress.end();
  return written;
}

describe("on a terminal", () => {
  it("is a bar, which is removed at the end", () => {
    const steps: Shown[] = [
      [0, counts(0, 0)],
      [1000, counts(100, 0), 0],
      [11_000, counts(100, 50), 2000],
    ];
    const written = shown(steps, { isTTY: true, columns: 120 });
    expect(written.map(visible).map((line) => line.replace(/[█░]+/, "#"))).toEqual([
      "in.jsonl # the daemon is reading the requests",
      "in.jsonl # 0 %, 0 of 100 requests",
      "in.jsonl # 50 %, 50 of 100 requests, 0:11 left",
      "",
    ]);
  });

  it("measures rates over the last 30 seconds", () => {
    const steps: Shown[] = [
      [0, counts(100, 0), 0],
      [40_000, counts(100, 10), 1000],
      [50_000, counts(100, 20), 1500],
    ];
    const written = shown(steps, { isTTY: true, columns: 120 });
    expect(written.at(-2)).toContain("20 %, 20 of 100 requests, 50 tokens/s, 1:20 left");
  });

  it("is as wide as the terminal at most", () => {
    const [line = ""] = shown([[0, counts(100, 50)]], { isTTY: true, columns: 20 });
    expect(visible(line)).toHaveLength(19);
  });
});

describe("elsewhere", () => {
  it("is a line every ten seconds, if it has changed", () => {
    const steps: Shown[] = [
      [0, counts(0, 0)],
      [9000, counts(10, 5)],
      [10_000, counts(10, 5)],
      [30_000, "waiting for the daemon"],
      [45_000, "waiting for the daemon"],
    ];
    expect(shown(steps)).toEqual([
      "in.jsonl: the daemon is reading the requests\n",
      "in.jsonl: 50 %, 5 of 10 requests, 0:10 left\n",
      "in.jsonl: waiting for the daemon\n",
    ]);
  });
});
