import { expect, it } from "vitest";
import { inParallel } from "../../bench/client/in-parallel.js";

it("inParallel starts calls in order with limited concurrency and returns the results in order", async () => {
  const started: number[] = [];
  let running = 0;
  let maxRunning = 0;
  const results = await inParallel(5, 2, async (number) => {
    started.push(number);
    maxRunning = Math.max(maxRunning, ++running);
    // Earlier numbers take longer.
    for (let turn = 5; turn > number; turn--) await Promise.resolve();
    running--;
    return number * 10;
  });
  expect(results).toEqual([0, 10, 20, 30, 40]);
  expect(started).toEqual([0, 1, 2, 3, 4]);
  expect(maxRunning).toBe(2);
});
