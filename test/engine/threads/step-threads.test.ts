import { describe, expect, it } from "vitest";
import type { ThreadCounts } from "../../../src/core/engine.js";
import { StepThreads } from "../../../src/engine/threads/step-threads.js";

/** Thread counts of steps, in order, with as many threads as cores. */
function stepThreads(cores: number, chosen: ThreadCounts = { decode: cores, prefill: cores }) {
  const got: ThreadCounts[] = [];
  const threads = new StepThreads({
    ...{ defaultThreads: chosen, cores, maxTakenCores: 2 },
    setThreads: (counts) => got.push(counts),
  });
  return { threads, got, decode: () => got.map(({ decode }) => decode) };
}

/** Job that the test ends. */
function heldWork() {
  let end: () => void = () => undefined;
  const work = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { work: () => work, end };
}

const endless = () => new Promise<never>(() => undefined);

describe("the number of threads of a step", () => {
  it("is reduced by one during each concurrent job", async () => {
    const { threads, decode } = stepThreads(4);
    const works = [heldWork(), heldWork()];
    const settled = works.map(({ work }) => threads.runAlongside(work));
    expect(decode()).toEqual([3, 2]);
    for (const { end } of works) end();
    await Promise.all(settled);
    expect(decode()).toEqual([3, 2, 3, 4]);
  });

  it("is at least one and is reduced only by a limited number of jobs", () => {
    for (const [cores, left] of [
      [1, 1],
      [2, 1],
      [3, 1],
      [8, 6],
    ] as const) {
      const { threads, decode } = stepThreads(cores);
      for (let work = 0; work < 5; work++) void threads.runAlongside(endless);
      expect(decode().at(-1), `of ${cores} cores`).toBe(left);
    }
  });

  it("is unchanged if it does not exceed the remaining cores", () => {
    const { threads, got } = stepThreads(16, { decode: 6, prefill: 16 });
    void threads.runAlongside(endless);
    expect(got).toEqual([{ decode: 6, prefill: 15 }]);
  });

  it("is limited by both the daemon's setting and concurrent jobs", async () => {
    const { threads, decode } = stepThreads(8);
    threads.limitTo(7);
    const { work, end } = heldWork();
    const settled = threads.runAlongside(() => threads.runAlongside(work));
    threads.limitTo(2);
    end();
    await settled;
    threads.limitTo(undefined);
    expect(decode()).toEqual([7, 7, 6, 2, 2, 2, 8]);
  });

  it("is restored if the job fails", async () => {
    const { threads, decode } = stepThreads(2);
    const failing = threads.runAlongside(() => Promise.reject(new Error("no image")));
    await expect(failing).rejects.toThrow("no image");
    expect(decode()).toEqual([1, 2]);
  });
});
