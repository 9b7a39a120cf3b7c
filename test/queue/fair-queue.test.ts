import fc from "fast-check";
import PQueue from "p-queue";
import { describe, expect, test } from "vitest";
import {
  createFairQueueClass,
  FairQueue,
  MS_PER_PRIORITY,
  type RunOptions,
} from "../../src/queue/fair-queue.js";
import { microtasksDone } from "../support/generation-events.js";

/** A queue whose runs are identified by their ids, and its clock. */
function filled() {
  let nowMs = 0;
  const queue = new FairQueue(() => nowMs);
  const ids = new Map<unknown, string>();
  return {
    queue,
    add(id: string, options: Omit<RunOptions, "id"> = {}): void {
      const run = async () => id;
      ids.set(run, id);
      queue.enqueue(run, { ...options, id });
    },
    next: (): string | undefined => ids.get(queue.dequeue()),
    drain(): string[] {
      return Array.from({ length: queue.size }, () => ids.get(queue.dequeue()) ?? "none");
    },
    idsOf: (options: Partial<RunOptions>) => queue.filter(options).map((run) => ids.get(run)),
    pass(ms: number): void {
      nowMs += ms;
    },
  };
}

const SECOND = 1000;

describe("the scheduling order", () => {
  test("is first in, first out for a single caller", () => {
    const { add, drain } = filled();
    for (const id of ["a", "b", "c"]) add(id, { caller: "A" });
    expect(drain()).toEqual(["a", "b", "c"]);
  });

  test("alternates between callers, regardless of their numbers of runs", () => {
    const { add, drain } = filled();
    for (const id of ["a1", "a2", "a3", "a4"]) add(id, { caller: "A" });
    for (const id of ["b1", "b2"]) add(id, { caller: "B" });
    expect(drain()).toEqual(["a1", "b1", "a2", "b2", "a3", "a4"]);
  });

  test("serves a caller with a greater weight more often, and evenly spaced", () => {
    const { add, drain } = filled();
    for (let turn = 1; turn <= 6; turn++) add(`a${turn}`, { caller: "A", weight: 2 });
    for (let turn = 1; turn <= 3; turn++) add(`b${turn}`, { caller: "B", weight: 1 });
    expect(drain().map((id) => id[0])).toEqual([..."ABAABAABA".toLowerCase()]);
  });

  test.each([0.1, 1, 10])(
    "serves a new caller right after a caller of weight %d with 500 waiting runs",
    (weight) => {
      const { add, next } = filled();
      for (let run = 0; run < 500; run++) add(`a${run}`, { caller: "A", weight });
      for (let run = 0; run < 100; run++) next();
      add("b", { caller: "B" });
      expect(next()).toBe("b");
    },
  );

  test("charges a caller for running runs: a new caller precedes a caller whose first run has started", () => {
    const { add, next } = filled();
    add("a1", { caller: "A" });
    expect(next()).toBe("a1");
    add("a2", { caller: "A" });
    add("b", { caller: "B" });
    expect(next()).toBe("b");
  });

  test("gives no credit to callers for time without runs", () => {
    const { add, next, drain } = filled();
    add("b1", { caller: "B" });
    for (let run = 0; run < 20; run++) add(`a${run}`, { caller: "A" });
    for (let turn = 0; turn < 10; turn++) next();
    for (let run = 2; run < 5; run++) add(`b${run}`, { caller: "B" });
    const order = drain();
    expect(order.slice(0, 5).filter((id) => id.startsWith("b"))).toHaveLength(3);
    expect(order[0] === "b2" && order[1] === "b3").toBe(false);
  });

  test.each([1, 5, 50])(
    "serves a waiting caller despite %d new callers at a time, in bounded memory",
    (newcomers) => {
      const { add, next, queue } = filled();
      for (let run = 0; run < 50; run++) add(`a${run}`, { caller: "A" });
      let newest = 0;
      let turnsOfA = 0;
      for (let turn = 0; turn < 10 * (newcomers + 1); turn++) {
        for (; queue.size < 50 - turnsOfA + newcomers; newest++) {
          add(`x${newest}`, { caller: `X${newest}` });
        }
        if (next()?.startsWith("a")) turnsOfA++;
        expect(queue.rememberedCallers).toBeLessThanOrEqual(2 * (newcomers + 1) + 1);
      }
      expect(turnsOfA).toBeGreaterThanOrEqual(9);
    },
  );

  const callers = fc.record({
    weights: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 2, maxLength: 5 }),
    turns: fc.integer({ min: 1, max: 100 }),
  });

  test("is proportional to the weights while all callers have runs, up to one run", () => {
    fc.assert(
      fc.property(callers, ({ weights, turns }) => {
        const { add, next } = filled();
        for (const [caller, weight] of weights.entries()) {
          for (let run = 0; run < turns; run++) {
            add(`${caller}/${run}`, { caller: `${caller}`, weight });
          }
        }
        const shares = weights.map(() => 0);
        for (let turn = 0; turn < turns; turn++) {
          const caller = Number(next()?.split("/")[0]);
          shares[caller] = (shares[caller] ?? 0) + 1 / (weights[caller] ?? 0);
          const slowest = 1 / Math.min(...weights);
          expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(slowest + 1e-9);
        }
      }),
    );
  });

  const arrivals = fc.array(
    fc.oneof(
      fc.record({ type: fc.constant("add" as const), caller: fc.nat(5), weight: fc.nat(3) }),
      fc.record({ type: fc.constant("take" as const) }),
      fc.record({ type: fc.constant("remove" as const), index: fc.nat(20) }),
    ),
    { maxLength: 200 },
  );

  test("serves each run exactly once, unless it is removed", () => {
    fc.assert(
      fc.property(arrivals, (steps) => {
        const { queue, add, next, drain } = filled();
        const waiting = new Set<string>();
        for (const [step, arrival] of steps.entries()) {
          if (arrival.type === "add") {
            const { caller, weight } = arrival;
            add(`${step}`, { caller: `${caller}`, weight: weight + 1 });
            waiting.add(`${step}`);
          } else if (arrival.type === "remove") {
            const id = [...waiting][arrival.index] ?? "unknown";
            queue.remove(id);
            waiting.delete(id);
          } else {
            const isEmpty = waiting.size === 0;
            const taken = next();
            expect(isEmpty ? taken === undefined : waiting.delete(taken ?? "")).toBe(true);
          }
          expect(queue.size).toBe(waiting.size);
        }
        expect(new Set(drain())).toEqual(waiting);
        expect(next()).toBeUndefined();
      }),
    );
  });

  test("forgets callers without runs once the others have been served", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), (callers) => {
        const { queue, add, next, drain } = filled();
        for (const [run, caller] of callers.entries()) add(`${run}`, { caller: `${caller}` });
        drain();
        for (let turn = 0; turn < 3; turn++) {
          add(`later${turn}`, { caller: "later" });
          next();
        }
        expect(queue.rememberedCallers).toBe(1);
      }),
    );
  });

  test("serves a new caller after at most two runs of each waiting caller", () => {
    fc.assert(
      fc.property(arrivals, (steps) => {
        const { add, next } = filled();
        for (const [step, arrival] of steps.entries()) {
          if (arrival.type === "add") {
            add(`${step}`, { caller: `${arrival.caller}`, weight: 1 });
          } else next();
        }
        const others = 6;
        for (let caller = 0; caller < others; caller++) {
          for (let run = 0; run < 20; run++) add(`${caller}/${run}`, { caller: `${caller}` });
        }
        add("new", { caller: "new" });
        let turns = 1;
        while (next() !== "new") turns++;
        expect(turns).toBeLessThanOrEqual(2 * others + 1);
      }),
    );
  });
});

describe("priority", () => {
  test("orders the runs of one caller by descending priority", () => {
    const { add, drain } = filled();
    add("usual", { caller: "A" });
    add("urgent", { caller: "A", priority: 2 });
    add("low", { caller: "A", priority: -1 });
    add("less urgent", { caller: "A", priority: 1 });
    expect(drain()).toEqual(["urgent", "less urgent", "usual", "low"]);
  });

  test("is equivalent to one second of waiting per level, so that old runs are not starved", () => {
    const { add, next, pass } = filled();
    add("old", { caller: "A" });
    pass(3 * MS_PER_PRIORITY - 1);
    add("urgent", { caller: "A", priority: 3 });
    expect(next()).toBe("urgent");
    pass(2);
    add("urgent, too", { caller: "A", priority: 3 });
    expect(next()).toBe("old");
  });

  test("above the default does not overtake other callers, not even in a tie", () => {
    const { add, drain, pass } = filled();
    add("b", { caller: "B" });
    pass(1);
    for (const id of ["a1", "a2"]) add(id, { caller: "A", priority: 1000 });
    add("c", { caller: "C" });
    expect(drain()).toEqual(["b", "a1", "c", "a2"]);
  });

  test("below the default yields to all other callers, for one second per level", () => {
    const { add, next, pass } = filled();
    add("low", { caller: "A", priority: -3 });
    for (let second = 0; second < 3; second++) {
      add(`b${second}`, { caller: "B" });
      expect(next()).toBe(`b${second}`);
      pass(SECOND);
    }
    add("b3", { caller: "B" });
    expect(next()).toBe("low");
  });

  test("below the default has no effect if no other caller waits", () => {
    const { add, next } = filled();
    add("low", { caller: "A", priority: -1000 });
    expect(next()).toBe("low");
  });

  test("orders yielding runs by descending priority", () => {
    const { add, drain } = filled();
    add("lowest", { caller: "A", priority: -100 });
    add("low", { caller: "B", priority: -1 });
    expect(drain()).toEqual(["low", "lowest"]);
  });

  test("alternates between callers for yielding runs of equal priority", () => {
    const { add, drain, pass } = filled();
    for (let run = 0; run < 3; run++) add(`a${run}`, { caller: "A", priority: -10 });
    pass(SECOND);
    for (let run = 0; run < 3; run++) add(`b${run}`, { caller: "B", priority: -10 });
    expect(drain()).toEqual(["a0", "b0", "a1", "b1", "a2", "b2"]);
  });

  test("below the default gives the caller no credit for the time spent yielding", () => {
    const { add, next, pass } = filled();
    for (let run = 0; run < 20; run++) add(`low${run}`, { caller: "A", priority: -5 });
    for (let run = 0; run < 40; run++) add(`b${run}`, { caller: "B" });
    for (let turn = 0; turn < 20; turn++) expect(next()).toBe(`b${turn}`);
    pass(5 * SECOND);
    const order = Array.from({ length: 6 }, () => next()?.[0]);
    expect(order.filter((name) => name === "b").length).toBeGreaterThanOrEqual(2);
  });

  test("of a waiting run can be changed, and its waiting time still counts", () => {
    const { queue, add, drain, pass } = filled();
    add("a", { caller: "A" });
    pass(SECOND);
    add("b", { caller: "A" });
    add("c", { caller: "A" });
    queue.setPriority("c", 2);
    queue.setPriority("a", -3);
    expect(drain()).toEqual(["c", "b", "a"]);
  });

  test("of a run that is not waiting cannot be changed", () => {
    const { queue, add, next } = filled();
    add("a");
    next();
    expect(() => queue.setPriority("a", 1)).toThrow(ReferenceError);
  });
});

describe("the queue", () => {
  test("lists runs by caller and priority", () => {
    const { add, idsOf } = filled();
    add("a", { caller: "A" });
    add("b", { caller: "B", priority: 1 });
    add("c", { caller: "A", priority: 1 });
    expect(idsOf({}).toSorted()).toEqual(["a", "b", "c"]);
    expect(idsOf({ caller: "A" }).toSorted()).toEqual(["a", "c"]);
    expect(idsOf({ caller: "A", priority: 1 })).toEqual(["c"]);
    expect(idsOf({ priority: 0 })).toEqual(["a"]);
  });

  test("rejects a run without an id", () => {
    const { queue, add } = filled();
    add("a");
    expect(() => add("a")).toThrow("unique id");
    expect(() => queue.enqueue(async () => undefined)).toThrow("unique id");
  });

  test("forgets callers whose runs were all removed before they started", () => {
    const { queue, add } = filled();
    add("stays", { caller: "A" });
    for (let index = 0; index < 100; index++) {
      add(`gone${index}`, { caller: `X${index}` });
      queue.remove(`gone${index}`);
    }
    expect(queue.rememberedCallers).toBe(1);
  });
});

describe("the fair queue inside p-queue", () => {
  function pQueue(concurrency: number) {
    const queue = new PQueue<FairQueue, RunOptions>({
      concurrency,
      queueClass: createFairQueueClass(() => 0),
    });
    const started: string[] = [];
    const ends = new Map<string, () => void>();
    return {
      queue,
      started,
      add(id: string, options: Omit<RunOptions, "id"> & { signal?: AbortSignal } = {}) {
        const run = () => {
          started.push(id);
          return new Promise<void>((resolve) => ends.set(id, resolve));
        };
        return queue.add(run, { ...options, id });
      },
      async end(id: string): Promise<void> {
        ends.get(id)?.();
        await microtasksDone();
      },
    };
  }

  test("alternates between callers within the concurrency", async () => {
    const { add, end, started } = pQueue(2);
    for (const id of ["a1", "a2", "a3", "a4"]) void add(id, { caller: "A" });
    void add("b1", { caller: "B" });
    expect(started).toEqual(["a1", "a2"]);
    await end("a2");
    await end("a1");
    expect(started).toEqual(["a1", "a2", "b1", "a3"]);
  });

  test("never starts an aborted run, and rejects its promise", async () => {
    const { queue, add, end, started } = pQueue(1);
    const client = new AbortController();
    void add("a");
    const aborted = add("b", { signal: client.signal });
    void add("c");
    client.abort(new Error("hung up"));
    await expect(aborted).rejects.toThrow("hung up");
    expect(queue.size).toBe(1);
    await end("a");
    expect(started).toEqual(["a", "c"]);
  });

  test("starts waiting runs in order when the concurrency is raised", async () => {
    const { queue, add, started } = pQueue(1);
    for (const id of ["a1", "a2"]) void add(id, { caller: "A" });
    void add("b1", { caller: "B" });
    void add("a3", { caller: "A" });
    queue.concurrency = 3;
    expect(started).toHaveLength(3);
    expect(started).toContain("b1");
  });

  test("allows priorities to be changed", async () => {
    const { queue, add, end, started } = pQueue(1);
    for (const id of ["a", "b", "c"]) void add(id);
    queue.setPriority("c", 1);
    await end("a");
    expect(started).toEqual(["a", "c"]);
  });
});
