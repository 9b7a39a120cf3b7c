import { describe, expect, test } from "vitest";
import { QueueEntries } from "../../src/queue/slot-queue.js";
import { microtasksDone } from "./events.js";

describe("places", () => {
  test("are those that wait, in order of arrival, and those that run", () => {
    const places = new QueueEntries();
    const [first] = places.take([5]);
    places.take([7, 8]);
    expect(places.waitingBefore()).toEqual([5, 7, 8]);
    expect([places.waiting, places.running]).toEqual([3, 0]);
    if (first !== undefined) first.isRunning = true;
    expect(places.waitingBefore()).toEqual([7, 8]);
    expect([places.waiting, places.running]).toEqual([2, 1]);
  });

  test("of those before another one leave out itself and all behind", () => {
    const places = new QueueEntries();
    places.take([1, 2]);
    const [own] = places.take([3]);
    places.take([4]);
    expect(places.waitingBefore(own)).toEqual([1, 2]);
  });

  test("have another length when it has been counted", () => {
    const places = new QueueEntries();
    const [own] = places.take([3]);
    if (own !== undefined) own.promptTokens = 30;
    expect(places.waitingBefore()).toEqual([30]);
  });

  test("that are free count no more; freeing them again does nothing", () => {
    const places = new QueueEntries();
    const taken = places.take([1, 2]);
    places.take([3]);
    places.free(taken);
    places.free(taken);
    expect(places.waitingBefore()).toEqual([3]);
  });

  test("are empty when the last one is free", async () => {
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
