import { expect, it } from "vitest";
import { inParallel } from "../../bench/client/in-parallel.js";

it("works through the numbers in order, so many at a time, and keeps the results in order", async () => {
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  const results = await inParallel(5, 2, async (number) => {
    begun.push(number);
    most = Math.max(most, ++running);
    // The earlier ones take longer.
    for (let turn = 5; turn > number; turn--) await Promise.resolve();
    running--;
    return number * 10;
  });
  expect(results).toEqual([0, 10, 20, 30, 40]);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  expect(most).toBe(2);
});
