import { describe, expect, test, vi } from "vitest";
import type { PoolingContext } from "../../../src/engine/native/pooling-context.js";
import { PoolingLoop } from "../../../src/engine/pooling/pooling-loop.js";

type Batch = readonly (readonly number[])[];

/** Context whose batches the test completes; a vector is the sum of the tokens. */
class SteppedContext implements PoolingContext {
  readonly sequences: number;
  readonly batchTokens = 100;
  readonly batches: Batch[] = [];
  /** Of each batch. */
  readonly threads: number[] = [];
  /** Number of batches before each idle period. */
  readonly restedAfter: number[] = [];
  #end: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;

  constructor(sequences = 2) {
    this.sequences = sequences;
  }

  async pool(sequences: Batch, threads: number): Promise<Float32Array[]> {
    this.batches.push(sequences);
    this.threads.push(threads);
    await new Promise<void>((resolve, reject) => {
      this.#end = { resolve, reject };
    });
    return sequences.map((tokens) => Float32Array.of(tokens.reduce((sum, one) => sum + one, 0)));
  }

  rest(): void {
    this.restedAfter.push(this.batches.length);
  }

  async endBatch(error?: Error): Promise<void> {
    if (error === undefined) this.#end?.resolve();
    else this.#end?.reject(error);
    await settled();
  }
}

/** Resolves once all work that depends on settled promises has run. */
const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

function start(sequences?: number) {
  const context = new SteppedContext(sequences);
  const hooks = { onBatchEnd: vi.fn(), onFailure: vi.fn() };
  const options = { contexts: [context], enoughTokens: 100, threads: () => 2, ...hooks };
  return { context, hooks, loop: new PoolingLoop(options) };
}

const values = (vectors: readonly Float32Array[] | "cancelled") =>
  vectors === "cancelled" ? vectors : vectors.map(([value]) => value);

describe("the pooling loop", () => {
  test("pools the inputs of a request in several batches and keeps their order", async () => {
    const { context, loop } = start();
    const answer = loop.pool("a", [[1], [2, 3], [4]]);
    await settled();
    await context.endBatch();
    await context.endBatch();
    expect(values(await answer)).toEqual([1, 5, 4]);
    expect(context.batches).toEqual([[[1], [2, 3]], [[4]]]);
  });

  test("answers a small request before a large one that is older", async () => {
    const { context, loop } = start();
    const long = loop.pool("long", [[1], [2], [3], [4]]);
    const short = loop.pool("short", [[10]]);
    await settled();
    await context.endBatch();
    expect(values(await short)).toEqual([10]);
    await context.endBatch();
    await context.endBatch();
    expect(values(await long)).toEqual([1, 2, 3, 4]);
    expect(context.batches[0]).toEqual([[1], [10]]);
  });

  test("answers equal requests one after another", async () => {
    const { context, loop } = start(1);
    for (const id of ["a", "b", "c"]) void loop.pool(id, [[id.charCodeAt(0)], [0]]);
    await settled();
    for (let batch = 0; batch < 5; batch++) await context.endBatch();
    expect(context.batches.map(([first]) => first?.[0])).toEqual([97, 0, 98, 0, 99, 0]);
  });

  test("ends a cancelled request at once and answers the others", async () => {
    const { context, loop } = start();
    const cancelled = loop.pool("a", [[1], [2]]);
    const other = loop.pool("b", [[7]]);
    await settled();
    loop.cancel("a");
    expect(await cancelled).toBe("cancelled");
    await context.endBatch();
    expect(values(await other)).toEqual([7]);
    expect(context.batches).toHaveLength(1);
    loop.cancel("unknown");
  });

  test("fails the requests of a failed batch only, and continues", async () => {
    const { context, hooks, loop } = start(1);
    const failing = loop.pool("a", [[1]]);
    const waiting = loop.pool("b", [[2]]);
    const told: string[] = [];
    hooks.onFailure.mockImplementation(() => told.push("loop"));
    const failure = expect(
      failing.catch((error) => Promise.reject(told.push("client") && error)),
    ).rejects.toThrow("no memory");
    await settled();
    await context.endBatch(new Error("no memory"));
    await failure;
    expect(told).toEqual(["loop", "client"]);
    expect(hooks.onBatchEnd).not.toHaveBeenCalled();
    await context.endBatch();
    expect(values(await waiting)).toEqual([2]);
    const later = loop.pool("c", [[3]]);
    await settled();
    await context.endBatch();
    expect(values(await later)).toEqual([3]);
    expect([hooks.onBatchEnd.mock.calls.length, hooks.onFailure.mock.calls.length]).toEqual([2, 1]);
  });

  test("on close, completes the current batch and cancels waiting requests", async () => {
    const { context, loop } = start();
    const answer = loop.pool("a", [[1], [2], [3]]);
    await settled();
    let isClosed = false;
    const closed = loop.close().then(() => {
      isClosed = true;
    });
    expect(await answer).toBe("cancelled");
    await settled();
    expect(isClosed).toBe(false);
    await context.endBatch();
    await closed;
    expect(context.batches).toHaveLength(1);
  });

  test("is idle when no request is waiting", async () => {
    const { context, loop } = start(1);
    const answer = loop.pool("a", [[1], [2]]);
    await settled();
    await context.endBatch();
    expect(context.restedAfter).toEqual([]);
    await context.endBatch();
    await answer;
    await settled();
    expect(context.restedAfter).toEqual([2]);
  });

  test("answers a request without inputs", async () => {
    expect(await start().loop.pool("a", [])).toEqual([]);
  });
});

describe("two contexts", () => {
  function startBoth(threads = 5) {
    const contexts = [new SteppedContext(), new SteppedContext()] as const;
    const counts = { threads };
    const loop = new PoolingLoop({
      contexts,
      enoughTokens: 100,
      threads: () => counts.threads,
      onBatchEnd: () => undefined,
      onFailure: () => undefined,
    });
    return { first: contexts[0], second: contexts[1], loop, counts };
  }

  test("divide inputs and threads, and keep the order of the vectors", async () => {
    const { first, second, loop } = startBoth();
    const answer = loop.pool("a", [[1], [2], [3], [4], [5]]);
    await settled();
    expect([first.batches, second.batches]).toEqual([[[[1], [2]]], [[[3], [4]]]]);
    await second.endBatch();
    expect(second.batches.slice(1)).toEqual([[[5]]]);
    await second.endBatch();
    await first.endBatch();
    expect(values(await answer)).toEqual([1, 2, 3, 4, 5]);
    expect([first.threads, second.threads]).toEqual([[3], [2, 2]]);
  });

  test("are not both used for a single input, which gets all threads", async () => {
    const { first, second, loop } = startBoth();
    const answer = loop.pool("a", [[1]]);
    await settled();
    const later = loop.pool("b", [[2]]);
    await settled();
    expect([first.batches.length, second.batches.length]).toEqual([1, 0]);
    await first.endBatch();
    await first.endBatch();
    expect([values(await answer), values(await later)]).toEqual([[1], [2]]);
    expect(first.threads).toEqual([5, 5]);
  });

  test("take a request at once while only one of them computes", async () => {
    const { first, second, loop } = startBoth();
    void loop.pool("a", [[1], [2]]);
    await settled();
    await second.endBatch();
    const later = loop.pool("b", [[3]]);
    await settled();
    expect(second.batches).toEqual([[[2]], [[3]]]);
    await second.endBatch();
    expect(values(await later)).toEqual([3]);
    expect(first.batches).toHaveLength(1);
  });

  test("rest before batches on all threads follow batches on half of them", async () => {
    const { first, second, loop } = startBoth();
    void loop.pool("a", [[1], [2]]);
    await settled();
    await first.endBatch();
    void loop.pool("b", [[3]]);
    await settled();
    await second.endBatch();
    void loop.pool("c", [[4]]);
    await settled();
    expect([first.batches, second.batches]).toEqual([
      [[[1]], [[3]]],
      [[[2]], [[4]]],
    ]);
    await first.endBatch();
    await second.endBatch();
    const restsBefore = second.restedAfter.length;
    void loop.pool("d", [[5]]);
    await settled();
    expect(first.threads.at(-1)).toBe(5);
    expect(second.restedAfter.length).toBe(restsBefore + 1);
  });

  test("are not used at the same time with one thread", async () => {
    const { first, second, loop, counts } = startBoth();
    counts.threads = 1;
    void loop.pool("a", [[1], [2], [3]]);
    await settled();
    expect([first.batches, second.batches]).toEqual([[[[1], [2]]], []]);
    expect(first.threads).toEqual([1]);
  });

  test("do not rest while one of them computes, if the number of threads is reduced", async () => {
    const { first, second, loop, counts } = startBoth();
    void loop.pool("a", [[1], [2]]);
    await settled();
    counts.threads = 1;
    await first.endBatch();
    void loop.pool("b", [[3]]);
    await settled();
    expect([first.threads, second.threads]).toEqual([[3, 1], [2]]);
    expect(second.restedAfter).toEqual([0]);
  });

  test("fail a request if one of its batches fails", async () => {
    const { first, second, loop } = startBoth();
    const failing = expect(loop.pool("a", [[1], [2], [3]])).rejects.toThrow("no memory");
    const other = loop.pool("b", [[4]]);
    await settled();
    expect([first.batches, second.batches]).toEqual([[[[1], [4]]], [[[2], [3]]]]);
    await second.endBatch(new Error("no memory"));
    await failing;
    await first.endBatch();
    expect(values(await other)).toEqual([4]);
  });

  test("complete their batches on close", async () => {
    const { first, second, loop } = startBoth();
    const answer = loop.pool("a", [[1], [2]]);
    await settled();
    let isClosed = false;
    const closed = loop.close().then(() => {
      isClosed = true;
    });
    expect(await answer).toBe("cancelled");
    await second.endBatch();
    expect(isClosed).toBe(false);
    await first.endBatch();
    await closed;
  });
});
