import { expect, test } from "vitest";
import { ThreadLimitSender } from "../../src/process/thread-limit-sender.js";

test("a thread limit is sent to a process only when it changes, and again to a new process", () => {
  const told = new ThreadLimitSender();
  const engine = () => {
    const limits: (number | undefined)[] = [];
    return { limits, limitThreads: (limit: number | undefined) => void limits.push(limit) };
  };
  const [first, second] = [engine(), engine()];
  told.sendIfChanged(first, undefined);
  for (const limit of [2, 2, undefined, undefined, 3]) told.sendIfChanged(first, limit);
  expect(first.limits).toEqual([2, undefined, 3]);
  told.sendIfChanged(second, 3);
  expect(second.limits).toEqual([3]);
  told.sendIfChanged(second, undefined);
  expect(second.limits).toEqual([3, undefined]);
});
