import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteBudget, type Reservation } from "../../src/core/byte-budget.js";

const LIMIT = 10;
const never = new AbortController().signal;

/** Records the outcomes of reservations, in the order of the requests. */
function ledger(budget = new ByteBudget(LIMIT)) {
  const granted = new Map<string, Reservation>();
  const failed = new Map<string, unknown>();
  const controllers = new Map<string, AbortController>();
  const reserve = (name: string, bytes: number) => {
    const controller = new AbortController();
    controllers.set(name, controller);
    budget.reserve(bytes, controller.signal).then(
      (reservation) => granted.set(name, reservation),
      (error: unknown) => failed.set(name, error),
    );
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { budget, granted, failed, controllers, reserve, settle };
}

type Ledger = ReturnType<typeof ledger>;

describe("a shared byte budget", () => {
  /**
   * Sizes of the reservations a, b, c …, an action, the names of granted reservations, the used
   * bytes, and the number of waiting reservations.
   */
  test.each<
    [string, readonly number[], ((ledger: Ledger) => void) | undefined, string, number, number]
  >([
    ["grants reservations while bytes are free", [4, 6], undefined, "ab", 10, 0],
    ["makes a reservation wait for free bytes", [4, 7], undefined, "a", 4, 1],
    ["grants reservations in order of arrival", [4, 7, 1], undefined, "a", 4, 2],
    [
      "grants waiting reservations when another is released",
      [4, 7, 1],
      (l) => l.granted.get("a")?.release(),
      "abc",
      8,
      0,
    ],
    [
      "grants only waiting reservations that fit",
      [9, 5, 6],
      (l) => l.granted.get("a")?.release(),
      "ab",
      5,
      1,
    ],
    [
      "grants waiting reservations when another is reduced",
      [9, 5, 2],
      (l) => l.granted.get("a")?.reduceTo(3),
      "abc",
      10,
      0,
    ],
    [
      "never enlarges a reservation that is reduced to more",
      [3, 8],
      (l) => l.granted.get("a")?.reduceTo(9),
      "a",
      3,
      1,
    ],
    [
      "frees a reservation once if it is released twice",
      [6, 4, 4],
      (l) => twice(l.granted.get("a")?.release),
      "abc",
      8,
      0,
    ],
    [
      "skips an aborted waiting reservation",
      [4, 7, 6],
      (l) => l.controllers.get("b")?.abort(),
      "ac",
      10,
      0,
    ],
    [
      "keeps a granted reservation that is aborted",
      [4, 7],
      (l) => l.controllers.get("a")?.abort(),
      "a",
      4,
      1,
    ],
    ["grants a reservation of 0 bytes when full", [10, 0], undefined, "ab", 10, 0],
  ])("%s", async (_, reservations, then, having, usedBytes, waiting) => {
    const all = ledger();
    for (const [index, bytes] of reservations.entries()) all.reserve("abcdef"[index] ?? "", bytes);
    await all.settle();
    then?.(all);
    await all.settle();
    expect([...all.granted.keys()].join("")).toBe(having);
    expect(all.budget).toMatchObject({ usedBytes, waiting });
  });

  test("keeps bytes reserved until the last hold ends", async () => {
    const budget = new ByteBudget(LIMIT);
    const reservation = await budget.reserve(7, never);
    const letGo = reservation.hold();
    reservation.release();
    expect(budget.usedBytes).toBe(7);
    letGo();
    expect(budget.usedBytes).toBe(0);
  });

  test("rejects reservations larger than the budget, and requests already aborted", async () => {
    const budget = new ByteBudget(LIMIT);
    await expect(budget.reserve(11, never)).rejects.toThrow(RangeError);
    const reason = new Error("gone");
    await expect(budget.reserve(1, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(budget).toMatchObject({ usedBytes: 0, waiting: 0 });
  });

  test("rejects an aborted request with the reason of its signal", async () => {
    const all = ledger();
    all.reserve("a", 10);
    all.reserve("b", 1);
    await all.settle();
    all.controllers.get("b")?.abort("no more time");
    await all.settle();
    expect(all.failed.get("b")).toBe("no more time");
  });

  test("is never exceeded, and all bytes are freed in the end", async () => {
    const step = fc.record({ bytes: fc.integer({ min: 0, max: LIMIT }), act: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const all = ledger();
        for (const [index, step] of steps.entries()) {
          takeStep(all, index, step);
          await all.settle();
          expect(all.budget.usedBytes).toBeLessThanOrEqual(LIMIT);
          const held = [...all.granted.values()].reduce((sum, one) => sum + one.bytes, 0);
          expect(all.budget.usedBytes).toBe(held);
        }
        while (all.budget.usedBytes > 0 || all.budget.waiting > 0) {
          for (const one of [...all.granted.values()]) one.release();
          await all.settle();
        }
      }),
    );
  });
});

/** One of several operations, with the index of an earlier step's reservation. */
function takeStep(all: Ledger, index: number, { bytes, act }: { bytes: number; act: number }) {
  const some = `${Math.floor(index / 2)}`;
  if (act === 1) all.granted.get(some)?.release();
  else if (act === 2) all.controllers.get(some)?.abort();
  else if (act === 3) all.granted.get(some)?.reduceTo(bytes);
  else all.reserve(`${index}`, bytes);
}

function twice(act: (() => void) | undefined): void {
  act?.();
  act?.();
}
