import { describe, expect, test } from "vitest";
import { GgufdError } from "../../src/core/errors.js";
import type { Generation } from "../../src/core/model-directory.js";
import { GenerationScheduler } from "../../src/scheduler/generation-scheduler.js";
import { collect, delta, finished, microtasksDone } from "./events.js";
import { request, type Script, ScriptedEngine } from "./scripted-engine.js";

interface Limits extends Script {
  readonly requests?: number;
  readonly promptTokens?: number;
}

function serve({ requests = 100, promptTokens = 1000, ...script }: Limits = {}) {
  const engine = new ScriptedEngine(script);
  const scheduler = new GenerationScheduler(engine, { requests, promptTokens });
  const clients = new Map<string, AbortController>();
  return {
    engine,
    scheduler,
    submit(id: string, tokens = 1): Promise<Generation> {
      const client = new AbortController();
      clients.set(id, client);
      return scheduler.submit(request(id, tokens), client.signal);
    },
    async leave(id: string): Promise<void> {
      clients.get(id)?.abort();
      await microtasksDone();
    },
    async tell(...told: Parameters<ScriptedEngine["tell"]>): Promise<void> {
      engine.tell(...told);
      await microtasksDone();
    },
  };
}

const overloaded = { code: "server_overloaded" };
const shuttingDown = {
  type: "failed",
  error: expect.objectContaining({ code: "shutting_down", retryAfterSeconds: 5 }),
};

describe("running", () => {
  test("hands the engine's events on and tells the length of the prompt", async () => {
    const { submit, engine } = serve();
    const { promptTokens, events } = await submit("a", 7);
    engine.tell("a", delta("x"));
    engine.tell("a", finished);
    expect(promptTokens).toBe(7);
    expect(await collect(events)).toEqual([delta("x"), finished]);
  });

  test("starts at most as many as there are slots, in the order of submission", async () => {
    const { submit, tell, engine } = serve({ slots: 2 });
    for (const id of ["a", "b", "c", "d", "e"]) await submit(id);
    expect(engine.started).toEqual(["a", "b"]);
    await tell("b");
    expect(engine.started).toEqual(["a", "b", "c"]);
    await tell("c");
    await tell("a");
    expect(engine.started).toEqual(["a", "b", "c", "d", "e"]);
    expect(engine.running).toEqual(["d", "e"]);
  });

  test("starts nothing at a mere delta", async () => {
    const { submit, tell, engine } = serve();
    await submit("a");
    await submit("b");
    await tell("a", delta("x"));
    expect(engine.started).toEqual(["a"]);
  });

  test("is idle when nothing waits or runs any more", async () => {
    const { submit, tell, scheduler } = serve();
    await scheduler.idle();
    await submit("a");
    await submit("b");
    let idle = false;
    const told = scheduler.idle().then(() => {
      idle = true;
    });
    await tell("a");
    expect(idle).toBe(false);
    await tell("b");
    expect(idle).toBe(true);
    await told;
  });
});

describe("admission", () => {
  test("refuses what finds the queue full and takes it when there is room", async () => {
    const { submit, tell, engine } = serve({ requests: 1 });
    await submit("a");
    await submit("b");
    const refusal = await submit("c").catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(GgufdError);
    expect(refusal).toMatchObject({ ...overloaded, retryAfterSeconds: 1 });
    await tell("a");
    await submit("d");
    await tell("b");
    expect(engine.started).toEqual(["a", "b", "d"]);
  });

  test("names a time to come back of at most a minute", async () => {
    const { submit } = serve({ requests: 200 });
    for (let index = 0; index <= 200; index++) await submit(`r${index}`);
    await expect(submit("late")).rejects.toMatchObject({ ...overloaded, retryAfterSeconds: 60 });
  });

  test("counts the prompt tokens that wait, not those that run", async () => {
    const { submit, tell } = serve({ promptTokens: 10 });
    await submit("running", 500);
    await submit("a", 6);
    await expect(submit("b", 5)).rejects.toMatchObject(overloaded);
    await submit("c", 4);
    await expect(submit("d", 1)).rejects.toMatchObject(overloaded);
    await tell("running");
    await submit("e", 6);
  });

  test("counts requests that come at the same time", async () => {
    const { submit, engine } = serve({ requests: 2 });
    const outcomes = await Promise.allSettled(["a", "b", "c", "d"].map((id) => submit(id)));
    expect(outcomes.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "rejected",
    ]);
    expect(engine.started).toEqual(["a"]);
  });

  test("rejects what the engine refuses to prepare; it takes no place", async () => {
    const refusal = new GgufdError("context_length_exceeded", "too long");
    const { submit, engine } = serve({
      requests: 0,
      onPrepare: ({ id }) => (id === "bad" ? Promise.reject(refusal) : undefined),
    });
    await expect(submit("bad")).rejects.toBe(refusal);
    await submit("good");
    expect(engine.started).toEqual(["good"]);
  });
});

describe("a client that goes away", () => {
  test("while waiting leaves the queue without the engine hearing of it", async () => {
    const { submit, leave, tell, engine } = serve();
    await submit("a");
    const { events } = await submit("b");
    await submit("c");
    await leave("b");
    expect(await collect(events)).toEqual([{ type: "cancelled" }]);
    await tell("a");
    expect(engine.started).toEqual(["a", "c"]);
    expect(engine.cancelled).toEqual([]);
  });

  test("while waiting frees its place in the queue", async () => {
    const { submit, leave } = serve({ requests: 1, promptTokens: 10 });
    await submit("a");
    await submit("b", 10);
    await expect(submit("c")).rejects.toMatchObject(overloaded);
    await leave("b");
    await submit("d", 10);
    await expect(submit("e")).rejects.toMatchObject(overloaded);
  });

  test("while running is told to the engine; the slot is free when the engine says so", async () => {
    const { submit, leave, tell, engine } = serve();
    const { events } = await submit("a");
    await submit("b");
    await leave("a");
    expect(engine.cancelled).toEqual(["a"]);
    expect(engine.started).toEqual(["a"]);
    await tell("a", delta("last words"));
    expect(engine.started).toEqual(["a"]);
    await tell("a", { type: "cancelled" });
    expect(engine.started).toEqual(["a", "b"]);
    expect(await collect(events)).toEqual([delta("last words"), { type: "cancelled" }]);
  });

  test("too late to be cancelled gets what there is", async () => {
    const { submit, leave, tell } = serve();
    const { events } = await submit("a");
    await leave("a");
    await tell("a", finished);
    expect(await collect(events)).toEqual([finished]);
  });

  test("after the end changes nothing", async () => {
    const { submit, leave, tell, engine } = serve();
    const { events } = await submit("a");
    await tell("a");
    await submit("b");
    await leave("a");
    expect(await collect(events)).toEqual([finished]);
    expect(engine.running).toEqual(["b"]);
  });

  test("before it was admitted is never started", async () => {
    const { scheduler, engine } = serve();
    const { events } = await scheduler.submit(request("a"), AbortSignal.abort());
    expect(await collect(events)).toEqual([{ type: "cancelled" }]);
    expect(engine.started).toEqual([]);
    await scheduler.idle();
  });
});

describe("endAll", () => {
  test("tells clients that wait or run that the server shuts down", async () => {
    const { submit, tell, scheduler, engine } = serve();
    const running = await submit("a");
    const waiting = await submit("b");
    scheduler.endAll();
    await microtasksDone();
    expect(engine.cancelled).toEqual(["a"]);
    expect(await collect(waiting.events)).toEqual([shuttingDown]);
    await tell("a", { type: "cancelled" });
    expect(await collect(running.events)).toEqual([shuttingDown]);
    expect(engine.started).toEqual(["a"]);
    await scheduler.idle();
  });

  test("leaves a client that has gone before with its own reason", async () => {
    const { submit, leave, tell, scheduler } = serve();
    const { events } = await submit("a");
    await leave("a");
    scheduler.endAll();
    await tell("a", { type: "cancelled" });
    expect(await collect(events)).toEqual([{ type: "cancelled" }]);
  });

  test("refuses what is still being prepared", async () => {
    let prepared = () => {};
    const { submit, scheduler, engine } = serve({
      onPrepare: () =>
        new Promise((resolve) => {
          prepared = resolve;
        }),
    });
    const refusal = expect(submit("a")).rejects.toMatchObject({ code: "shutting_down" });
    await microtasksDone();
    scheduler.endAll();
    prepared();
    await refusal;
    expect(engine.started).toEqual([]);
  });

  test("has nothing to do with what has ended", async () => {
    const { submit, tell, scheduler, engine } = serve();
    await submit("a");
    await tell("a");
    scheduler.endAll();
    expect(engine.cancelled).toEqual([]);
  });
});

describe("an engine that fails", () => {
  test("to start is the last event of that generation; the next one runs", async () => {
    const { submit, tell, engine } = serve({
      onStart: (id) => {
        if (id === "b") throw new Error("the engine is gone");
      },
    });
    await submit("a");
    const { events } = await submit("b");
    await submit("c");
    await tell("a");
    expect(await collect(events)).toEqual([
      {
        type: "failed",
        error: expect.objectContaining({
          code: "internal_error",
          cause: expect.objectContaining({ message: "the engine is gone" }),
        }),
      },
    ]);
    expect(engine.started).toEqual(["a", "c"]);
  });

  test("a generation frees its slot", async () => {
    const { submit, tell, engine } = serve();
    const failed = { type: "failed", error: new GgufdError("internal_error", "lost") } as const;
    const { events } = await submit("a");
    await submit("b");
    await tell("a", failed);
    expect(await collect(events)).toEqual([failed]);
    expect(engine.started).toEqual(["a", "b"]);
  });
});
