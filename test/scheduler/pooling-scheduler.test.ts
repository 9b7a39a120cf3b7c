import { describe, expect, test } from "vitest";
import type { PoolingAnswer, PoolingEngine, PoolingRequest } from "../../src/core/pooling.js";
import { PoolingScheduler } from "../../src/scheduler/pooling-scheduler.js";
import { someCaller } from "../support/callers.js";
import { rejection } from "../support/refusal.js";
import { microtasksDone } from "./events.js";

const SEQUENCES = 1;
/** As many requests are in the engine at once. */
const RUNNING = 2 * SEQUENCES;

/** An engine whose requests end when they are told to. */
class SteppedEngine implements Pick<PoolingEngine, "pool" | "cancel" | "description"> {
  readonly description = { sequences: SEQUENCES } as PoolingEngine["description"];
  readonly started: string[] = [];
  readonly cancelled: string[] = [];
  readonly #ends = new Map<string, (answer: PoolingAnswer | "cancelled") => void>();

  pool({ id }: PoolingRequest): Promise<PoolingAnswer | "cancelled"> {
    this.started.push(id);
    return new Promise((resolve) => this.#ends.set(id, resolve));
  }

  cancel(id: string): void {
    this.cancelled.push(id);
    this.#ends.get(id)?.("cancelled");
  }

  async end(id: string): Promise<void> {
    this.#ends.get(id)?.({ vectors: [Float32Array.of(1)], promptTokens: 3 });
    await microtasksDone();
  }
}

function serve({ requests = 100, promptTokens = 1000 } = {}) {
  const engine = new SteppedEngine();
  const scheduler = new PoolingScheduler(engine as unknown as PoolingEngine, {
    requests,
    promptTokens,
  });
  const clients = new Map<string, AbortController>();
  return {
    engine,
    scheduler,
    submit(id: string, text = "Hi"): Promise<PoolingAnswer> {
      const client = new AbortController();
      clients.set(id, client);
      const inputs = [{ field: "input", content: { type: "text", text } }] as const;
      const answer = scheduler.pool(
        { id, inputs, tooLong: "refused" },
        someCaller({ signal: client.signal }),
      );
      answer.catch(() => undefined);
      return answer;
    },
    async disconnect(id: string): Promise<void> {
      clients.get(id)?.abort(new Error("hung up"));
      await microtasksDone();
    },
  };
}

describe("pooling", () => {
  test("answers with what the engine computed", async () => {
    const { engine, submit } = serve();
    const answer = submit("a");
    await engine.end("a");
    expect(await answer).toEqual({ vectors: [Float32Array.of(1)], promptTokens: 3 });
  });

  test("gives the engine two batches of requests at most, first in, first out", async () => {
    const { engine, submit } = serve();
    for (const id of ["a", "b", "c", "d"]) void submit(id);
    expect(engine.started).toHaveLength(RUNNING);
    await engine.end("b");
    expect(engine.started).toEqual(["a", "b", "c"]);
  });

  test("sheds load beyond its limits with Retry-After", async () => {
    const { submit } = serve({ requests: 1 });
    for (const id of ["a", "b", "c"]) void submit(id);
    expect(await rejection(submit("d"))).toMatchObject({
      code: "server_overloaded",
      retryAfterSeconds: 1,
    });
  });

  test("counts the texts that wait, before they are tokenised", async () => {
    const { submit } = serve({ promptTokens: 10 });
    for (const id of ["a", "b", "c"]) void submit(id, "x".repeat(24));
    expect((await rejection(submit("d", "x".repeat(24)))).message).toContain(
      "6 prompt tokens are already waiting",
    );
  });
});

describe("cancellation", () => {
  test("of a running request ends it in the engine", async () => {
    const { engine, submit, disconnect } = serve();
    const answer = submit("a");
    await disconnect("a");
    expect(engine.cancelled).toEqual(["a"]);
    await expect(answer).rejects.toThrow("hung up");
  });

  test("of a waiting request keeps it from the engine, and makes room", async () => {
    const { engine, submit, disconnect } = serve({ requests: 1 });
    void submit("a");
    void submit("b");
    const waiting = submit("c");
    await disconnect("c");
    await expect(waiting).rejects.toThrow("hung up");
    void submit("d");
    await engine.end("a");
    expect(engine.started).toEqual(["a", "b", "d"]);
    expect(engine.cancelled).toEqual([]);
  });

  test("of an answered request does nothing", async () => {
    const { engine, submit, disconnect } = serve();
    const answer = submit("a");
    await engine.end("a");
    await disconnect("a");
    expect(engine.cancelled).toEqual([]);
    expect((await answer).promptTokens).toBe(3);
  });
});

describe("the end", () => {
  test("is idle when all requests are answered", async () => {
    const { engine, scheduler, submit } = serve();
    void submit("a");
    let isIdle = false;
    void scheduler.idle().then(() => {
      isIdle = true;
    });
    await microtasksDone();
    expect(isIdle).toBe(false);
    await engine.end("a");
    expect(isIdle).toBe(true);
  });

  test("fails what runs, what waits and what comes later", async () => {
    const { scheduler, submit } = serve();
    const answers = ["a", "b", "c"].map((id) => submit(id));
    scheduler.endAll();
    for (const answer of [...answers, submit("d")]) {
      expect(await rejection(answer)).toMatchObject({
        code: "shutting_down",
        retryAfterSeconds: 5,
      });
    }
  });
});
