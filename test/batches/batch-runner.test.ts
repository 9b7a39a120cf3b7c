import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BatchRunner } from "../../src/batches/batch-runner.js";
import { LineIndex } from "../../src/batches/line-index.js";
import type { LineAnswer } from "../../src/batches/retry-policy.js";
import { batchOptions } from "../support/batch-options.js";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Runs a batch of one line, answered with these statuses in turn. */
async function runLine(statuses: readonly number[]) {
  const attempts: number[] = [];
  const stored: LineAnswer[] = [];
  const runner = new BatchRunner({
    ...batchOptions,
    answer: async () => {
      const status = statuses[attempts.length] ?? 200;
      attempts.push(status);
      return { status, requestId: "req", body: "{}" };
    },
  });
  const index = new LineIndex();
  index.add({ body: { model: "scripted" } }, 0, 2);
  await runner.add(
    {
      id: "batch",
      owner: "",
      index,
      signal: new AbortController().signal,
      readLine: async () => "{}",
      store: async (_line, _text, answer) => void stored.push(answer),
      begin: () => () => undefined,
    },
    [0],
  );
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  return { attempts, stored: stored.map(({ status }) => status) };
}

describe("a line whose answers are server errors", () => {
  it("is repeated twice", async () => {
    expect(await runLine([500, 500, 500, 200])).toEqual({
      attempts: [500, 500, 500],
      stored: [500],
    });
  });

  it("is repeated twice however often it was refused before", async () => {
    const attempts = [429, 503, 500, 503, 500, 200];
    expect(await runLine(attempts)).toEqual({ attempts, stored: [200] });
  });
});
