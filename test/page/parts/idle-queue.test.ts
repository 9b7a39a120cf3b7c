import { expect, it } from "vitest";
import { IdleQueue } from "../../../src/page/parts/idle-queue.js";

function queueWithTasks(names: string) {
  const idle: (() => void)[] = [];
  const done: string[] = [];
  const queue = new IdleQueue((run) => idle.push(run));
  const tasks = [...names].map((name) => () => void done.push(name));
  for (const task of tasks) queue.add(task);
  return { queue, tasks, done, idle };
}

it("an idle queue runs one task per idle time, the latest first", () => {
  const { done, idle } = queueWithTasks("abc");
  expect(idle).toHaveLength(1);
  idle.shift()?.();
  expect(done).toEqual(["c"]);
  idle.shift()?.();
  idle.shift()?.();
  expect(done).toEqual(["c", "b", "a"]);
  expect(idle).toEqual([]);
});

it("an idle queue runs a repeated task once, and a deleted one never", () => {
  const { queue, tasks, done, idle } = queueWithTasks("abc");
  const [a, b] = tasks;
  if (a === undefined || b === undefined) throw new Error("expected three tasks");
  queue.add(a);
  expect([queue.delete(b), queue.delete(b)]).toEqual([true, false]);
  while (idle.length > 0) idle.shift()?.();
  expect(done).toEqual(["a", "c"]);
});

it("an idle queue runs all tasks at once when it is flushed", () => {
  const { queue, done, idle } = queueWithTasks("ab");
  queue.flush();
  expect(done).toEqual(["a", "b"]);
  idle.shift()?.();
  expect(done).toEqual(["a", "b"]);
});
