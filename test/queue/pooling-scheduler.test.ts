import { afterEach, describe, expect, test, vi } from "vitest";
import type { Caller } from "../../src/core/caller.js";
import { GgufdError } from "../../src/core/errors.js";
import type { PoolingAnswer, PoolingEngine, PoolingRequest } from "../../src/core/pooling.js";
import { PoolingScheduler } from "../../src/queue/pooling-scheduler.js";
import { someCaller } from "../support/callers.js";
import { microtasksDone } from "../support/generation-events.js";
import { engineLost } from "../support/manual-engine.js";
import { rejection } from "../support/refusal.js";

const SEQUENCES = 1;
/** Number of concurrent requests in the engine. */
const RUNNING = 2 * SEQUENCES;

/** Engine whose requests are completed by the test. */
class SteppedEngine implements Pick<PoolingEngine, "pool" | "cancel" | "description"> {
  description = { sequences: SEQUENCES } as PoolingEngine["description"];
  readonly started: string[] = [];
  readonly cancelled: string[] = [];
  readonly #ends = new Map<string, PromiseEnds>();

  get running(): string[] {
    return [...this.#ends.keys()];
  }

  pool({ id }: PoolingRequest): Promise<PoolingAnswer | "cancelled"> {
    this.started.push(id);
    return new Promise((resolve, reject) => this.#ends.set(id, { resolve, reject }));
  }

  cancel(id: string): void {
    this.cancelled.push(id);
    this.#take(id)?.resolve("cancelled");
  }

  async end(id: string): Promise<void> {
    this.#take(id)?.resolve({ vectors: [Float32Array.of(1)], promptTokens: 3 });
    await microtasksDone();
  }

  async fail(id: string, error: GgufdError): Promise<void> {
    this.#take(id)?.reject(error);
    await microtasksDone();
  }

  /** Simulates the exit of the process: all requests fail. */
  lose(): void {
    for (const id of this.running) this.#take(id)?.reject(engineLost());
  }

  #take(id: string): PromiseEnds | undefined {
    const ends = this.#ends.get(id);
    this.#ends.delete(id);
    return ends;
  }
}

interface PromiseEnds {
  readonly resolve: (answer: PoolingAnswer | "cancelled") => void;
  readonly reject: (error: GgufdError) => void;
}

interface Served {
  readonly requests?: number;
  readonly promptTokens?: number;
  readonly queueTimeoutMs?: number;
  readonly now?: () => number;
}

function serve({
  requests = 100,
  promptTokens = 1000,
  queueTimeoutMs = 0,
  now = () => performance.now(),
}: Served = {}) {
  const engine = new SteppedEngine();
  const refused: [request: object, crashes: number][] = [];
  const scheduler = new PoolingScheduler(engine as unknown as PoolingEngine, {
    model: "pooling",
    limits: { requests, promptTokens },
    queueTimeoutMs,
    onRefused: (...given) => refused.push(given),
    now,
  });
  const clients = new Map<string, AbortController>();
  const stages = new Map<string, string[]>();
  const charged: (number | "none")[] = [];
  return {
    engine,
    scheduler,
    refused,
    charged,
    /** Types of the stages that an observer has received; for events, the type of the event. */
    stagesOf: (id: string): string[] => stages.get(id) ?? [],
    submit(id: string, text = "Hi", caller: Partial<Caller> = {}): Promise<PoolingAnswer> {
      const client = new AbortController();
      clients.set(id, client);
      const inputs = [{ field: "input", content: { type: "text", text } }] as const;
      const answer = scheduler.pool(
        { id, inputs, overlongInputs: "refused" },
        someCaller({
          signal: client.signal,
          tokens: {
            admit: (answers) => answers.map(() => (tokens) => charged.push(tokens ?? "none")),
          },
          observe: (_, stage) => {
            const type = stage.type === "event" ? stage.event.type : stage.type;
            stages.set(id, [...(stages.get(id) ?? []), type]);
          },
          ...caller,
        }),
      );
      answer.catch(() => undefined);
      return answer;
    },
    async disconnect(id: string): Promise<void> {
      clients.get(id)?.abort(new Error("hung up"));
      await microtasksDone();
    },
    /** Crashes the engine, with notifications in a supervisor's order. */
    async lose(): Promise<void> {
      engine.lose();
      scheduler.suspend();
      await microtasksDone();
    },
    async restore({ sequences = SEQUENCES } = {}): Promise<void> {
      engine.description = { sequences } as PoolingEngine["description"];
      scheduler.resume(engine.description);
      await microtasksDone();
    },
  };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("the pooling scheduler", () => {
  test("returns the engine's result", async () => {
    const { engine, submit } = serve();
    const answer = submit("a");
    await engine.end("a");
    expect(await answer).toEqual({ vectors: [Float32Array.of(1)], promptTokens: 3 });
  });

  test("sends at most two batches of requests to the engine, first in, first out", async () => {
    const { engine, submit } = serve();
    for (const id of ["a", "b", "c", "d"]) void submit(id);
    expect(engine.started).toHaveLength(RUNNING);
    await engine.end("b");
    expect(engine.started).toEqual(["a", "b", "c"]);
  });

  test("runs requests of batches after all others, however long they have waited", async () => {
    let hours = 0;
    const { engine, submit } = serve({ now: () => hours * 3_600_000 });
    for (const id of ["a", "b"]) void submit(id);
    void submit("line", "Hi", { class: "batch" });
    hours = 24;
    void submit("c");
    await engine.end("a");
    await engine.end("b");
    expect(engine.started).toEqual(["a", "b", "c", "line"]);
  });

  test("rejects requests beyond its limits with a Retry-After", async () => {
    const { submit } = serve({ requests: 1 });
    for (const id of ["a", "b", "c"]) void submit(id);
    expect(await rejection(submit("d"))).toMatchObject({
      code: "server_overloaded",
      retryAfterSeconds: 1,
    });
  });

  test("estimates the tokens of waiting texts before they are tokenised", async () => {
    const { submit } = serve({ promptTokens: 10 });
    for (const id of ["a", "b", "c"]) void submit(id, "x".repeat(24));
    expect((await rejection(submit("d", "x".repeat(24)))).message).toContain(
      "6 prompt tokens are already waiting",
    );
  });
});

describe("cancelling", () => {
  test("a running request ends it in the engine", async () => {
    const { engine, submit, disconnect } = serve();
    const answer = submit("a");
    await disconnect("a");
    expect(engine.cancelled).toEqual(["a"]);
    await expect(answer).rejects.toThrow("hung up");
  });

  test("a waiting request removes it from the queue, and frees its slot", async () => {
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

  test("a completed request has no effect", async () => {
    const { engine, submit, disconnect } = serve();
    const answer = submit("a");
    await engine.end("a");
    await disconnect("a");
    expect(engine.cancelled).toEqual([]);
    expect((await answer).promptTokens).toBe(3);
  });
});

describe("idle and shutdown", () => {
  test("whenIdle() resolves when all requests have been answered", async () => {
    const { engine, scheduler, submit } = serve();
    void submit("a");
    let isIdle = false;
    void scheduler.whenIdle().then(() => {
      isIdle = true;
    });
    await microtasksDone();
    expect(isIdle).toBe(false);
    await engine.end("a");
    expect(isIdle).toBe(true);
  });

  test("shutdown fails running, waiting and later requests", async () => {
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

describe("callers", () => {
  test("are served alternately", async () => {
    const { engine, submit } = serve();
    for (const id of ["a1", "a2", "a3", "a4"]) void submit(id, "Hi", { name: "A" });
    void submit("b", "Hi", { name: "B" });
    await engine.end("a1");
    expect(engine.running).toEqual(["a2", "b"]);
  });

  test("are charged only for the tokens of completed requests", async () => {
    const { engine, submit, charged, disconnect } = serve();
    for (const id of ["a", "b"]) void submit(id);
    await engine.end("a");
    await disconnect("b");
    expect(charged).toEqual([3, 0]);
  });

  test("receive a Retry-After based on the measured service time", async () => {
    let nowMs = 0;
    const { engine, submit } = serve({ requests: 2, now: () => nowMs });
    for (const id of ["a", "b", "c", "d"]) void submit(id);
    nowMs += 7000;
    await engine.end("a");
    void submit("e");
    expect(await rejection(submit("f"))).toMatchObject({ retryAfterSeconds: 7 });
  });
});

describe("observers receive exactly one final stage", () => {
  test("for completed requests", async () => {
    const { engine, submit, stagesOf } = serve();
    void submit("a");
    await engine.end("a");
    expect(stagesOf("a")).toEqual(["waiting", "running", "pooled"]);
  });

  test("for requests cancelled in the queue and in the engine", async () => {
    const { submit, disconnect, stagesOf } = serve();
    for (const id of ["a", "b", "c"]) void submit(id);
    for (const id of ["c", "a"]) await disconnect(id);
    expect(stagesOf("c")).toEqual(["waiting", "cancelled"]);
    expect(stagesOf("a")).toEqual(["waiting", "running", "cancelled"]);
  });

  test("for requests that the engine rejects", async () => {
    const { engine, submit, stagesOf } = serve();
    const refused = submit("a");
    await engine.fail("a", new GgufdError("context_length_exceeded", "too long"));
    await expect(refused).rejects.toMatchObject({ code: "context_length_exceeded" });
    expect(stagesOf("a")).toEqual(["waiting", "running", "failed"]);
  });

  test("for requests that are retried after a crash", async () => {
    const { engine, submit, lose, restore, stagesOf } = serve();
    void submit("a");
    await lose();
    await restore();
    await engine.end("a");
    expect(stagesOf("a")).toEqual(["waiting", "running", "paused", "running", "pooled"]);
  });
});

describe("after a crash of the engine", () => {
  test("running requests are retried before waiting ones", async () => {
    const { engine, submit, lose, restore } = serve();
    const answers = ["a", "b", "c"].map((id) => submit(id));
    await lose();
    expect(engine.running).toEqual([]);
    await restore();
    expect(engine.running).toEqual(["a", "b"]);
    for (const id of ["a", "b", "c"]) await engine.end(id);
    expect(await Promise.all(answers)).toHaveLength(3);
  });

  test("a request involved in three consecutive crashes is rejected, and a concurrent one is answered", async () => {
    const { engine, submit, lose, restore, refused } = serve();
    const culprit = submit("culprit");
    const neighbour = submit("a");
    for (let loss = 0; loss < 2; loss++) {
      await lose();
      await restore();
    }
    expect(engine.running).toEqual(["culprit"]);
    await lose();
    await expect(culprit).rejects.toMatchObject({ code: "crashes_engine", status: 500 });
    expect(refused).toEqual([[expect.objectContaining({ id: "culprit" }), 3]]);
    await restore();
    await engine.end("a");
    expect((await neighbour).promptTokens).toBe(3);
  });

  test("a failure is forwarded if the engine did not crash", async () => {
    const { engine, submit } = serve();
    const answer = submit("a");
    await engine.fail("a", engineLost());
    await expect(answer).rejects.toMatchObject({ code: "model_unavailable" });
  });

  test("a request that waits for the next engine can be cancelled", async () => {
    const { engine, submit, disconnect, lose, restore, scheduler } = serve();
    const answer = submit("a");
    await lose();
    const late = submit("b");
    for (const id of ["a", "b"]) await disconnect(id);
    for (const one of [answer, late]) await expect(one).rejects.toThrow("hung up");
    await restore();
    expect(engine.started).toEqual(["a"]);
    await scheduler.whenIdle();
  });

  test("a request that waits for the next engine fails at shutdown", async () => {
    const { submit, lose, scheduler } = serve();
    const answers = ["a", "b", "c"].map((id) => submit(id));
    await lose();
    scheduler.endAll();
    for (const answer of answers) {
      await expect(answer).rejects.toMatchObject({ code: "shutting_down" });
    }
    await scheduler.whenIdle();
  });

  test("the new engine gets as many requests as it can process at once", async () => {
    const { engine, submit, lose, restore } = serve();
    for (const id of ["a", "b", "c", "d", "e"]) void submit(id);
    await lose();
    await restore({ sequences: 2 });
    expect(engine.running).toEqual(["a", "b", "c", "d"]);
  });
});

describe("the queue timeout", () => {
  test.each(["in the queue", "for the next engine", "for the next engine again"])(
    "applies while waiting %s",
    async (place) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const { engine, submit, lose, scheduler } = serve({ queueTimeoutMs: 1000 });
      if (place === "for the next engine") scheduler.suspend();
      const answers = ["a", "b", "c"].map((id) => submit(id));
      if (place === "for the next engine again") await lose();
      await vi.advanceTimersByTimeAsync(1000);
      for (const answer of place === "in the queue" ? answers.slice(2) : answers) {
        expect(await rejection(answer)).toMatchObject({
          code: "queue_timeout",
          status: 503,
          retryAfterSeconds: expect.any(Number),
        });
      }
      for (const id of engine.running) await engine.end(id);
      expect(vi.getTimerCount()).toBe(0);
    },
  );
});
