import { describe, expect, test } from "vitest";
import { QueueEntries } from "../../src/queue/slot-queue.js";
import { microtasksDone } from "../support/generation-events.js";

describe("queue entries", () => {
  test("list waiting requests in order of arrival, and count running ones", () => {
    const entries = new QueueEntries();
    const [first] = entries.take([5]);
    entries.take([7, 8]);
    expect(entries.listWaitingBefore()).toEqual([5, 7, 8]);
    expect([entries.waiting, entries.running]).toEqual([3, 0]);
    if (first !== undefined) first.isRunning = true;
    expect(entries.listWaitingBefore()).toEqual([7, 8]);
    expect([entries.waiting, entries.running]).toEqual([2, 1]);
  });

  test("before a given entry exclude that entry and all later ones", () => {
    const entries = new QueueEntries();
    entries.take([1, 2]);
    const [own] = entries.take([3]);
    entries.take([4]);
    expect(entries.listWaitingBefore(own)).toEqual([1, 2]);
  });

  test("use the exact number of tokens once it is known", () => {
    const entries = new QueueEntries();
    const [own] = entries.take([3]);
    if (own !== undefined) own.promptTokens = 30;
    expect(entries.listWaitingBefore()).toEqual([30]);
  });

  test("that have been freed do not count, and freeing them again has no effect", () => {
    const entries = new QueueEntries();
    const taken = entries.take([1, 2]);
    entries.take([3]);
    entries.free(taken);
    entries.free(taken);
    expect(entries.listWaitingBefore()).toEqual([3]);
  });

  test("report when the last one has been freed", async () => {
    const entries = new QueueEntries();
    await entries.whenEmpty();
    const taken = entries.take([1, 2]);
    let isEmpty = false;
    const becameEmpty = entries.whenEmpty().then(() => {
      isEmpty = true;
    });
    entries.free(taken.slice(1));
    await microtasksDone();
    expect(isEmpty).toBe(false);
    entries.free(taken);
    await becameEmpty;
  });
});
