import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { IdleQueue } from "../../../src/page/parts/idle-queue.js";

function queueWithTasks(names: string) {
  const scheduled: ((deadline: { timeRemaining(): number }) => void)[] = [];
  const done: string[] = [];
  const queue = new IdleQueue((run) => scheduled.push(run));
  const tasks = [...names].map((name) => () => void done.push(name));
  for (const task of tasks) queue.add(task);
  /** Lets the queue use an idle time. @returns the tasks done so far */
  const idle = async (remainingMs: number) => {
    scheduled.shift()?.({ timeRemaining: () => remainingMs });
    await nextTurn();
    return done.join("");
  };
  return { queue, tasks, scheduled, idle };
}

it("an idle queue runs its latest task first, and more while there is time", async () => {
  const { scheduled, idle } = queueWithTasks("abc");
  expect(scheduled).toHaveLength(1);
  expect(await idle(0)).toBe("c");
  expect(await idle(50)).toBe("cba");
  expect(scheduled).toEqual([]);
});

it("an idle queue runs a repeated task once, and a deleted one never", async () => {
  const { queue, tasks, idle } = queueWithTasks("abc");
  const [a, b] = tasks;
  if (a === undefined || b === undefined) throw new Error("expected three tasks");
  queue.add(a);
  expect([queue.delete(b), queue.delete(b)]).toEqual([true, false]);
  expect(await idle(0)).toBe("a");
  expect(await idle(0)).toBe("ac");
  expect(await idle(0)).toBe("ac");
});

it("an idle queue runs all tasks at once when it is flushed", async () => {
  const { queue, idle } = queueWithTasks("ab");
  queue.flush();
  expect(await idle(50)).toBe("ab");
});
