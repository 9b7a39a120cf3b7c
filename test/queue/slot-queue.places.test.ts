import { describe, expect, test } from "vitest";
import { QueueEntries } from "../../src/queue/slot-queue.js";
import { microtasksDone } from "./events.js";

describe("queue entries", () => {
  test("list waiting requests in order of arrival, and count running ones", () => {
    const places = new QueueEntries();
    const [first] = places.take([5]);
    places.take([7, 8]);
    expect(places.waitingBefore()).toEqual([5, 7, 8]);
    expect([places.waiting, places.running]).toEqual([3, 0]);
    if (first !== undefined) first.isRunning = true;
    expect(places.waitingBefore()).toEqual([7, 8]);
    expect([places.waiting, places.running]).toEqual([2, 1]);
  });

  test("before a given entry exclude that entry and all later ones", () => {
    const places = new QueueEntries();
    places.take([1, 2]);
    const [own] = places.take([3]);
    places.take([4]);
    expect(places.waitingBefore(own)).toEqual([1, 2]);
  });

  test("use the exact number of tokens once it is known", () => {
    const places = new QueueEntries();
    const [own] = places.take([3]);
    if (own !== undefined) own.promptTokens = 30;
    expect(places.waitingBefore()).toEqual([30]);
  });

  test("that have been freed do not count, and freeing them again has no effect", () => {
    const places = new QueueEntries();
    const taken = places.take([1, 2]);
    places.take([3]);
    places.free(taken);
    places.free(taken);
    expect(places.waitingBefore()).toEqual([3]);
  });

  test("report when the last one has been freed", async () => {
    const places = new QueueEntries();
    await places.empty();
    const taken = places.take([1, 2]);
    let isEmpty = false;
    const becameEmpty = places.empty().then(() => {
      isEmpty = true;
    });
    places.free(taken.slice(1));
    await microtasksDone();
    expect(isEmpty).toBe(false);
    places.free(taken);
    await becameEmpty;
  });
});
