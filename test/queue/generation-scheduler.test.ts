import { describe, expect, test } from "vitest";
import { GgufdError } from "../../src/core/errors.js";
import { someCaller } from "../support/callers.js";
import {
  collect,
  collectAll,
  delta,
  finished,
  microtasksDone,
  of,
} from "../support/generation-events.js";
import { request } from "../support/manual-engine.js";
import { serve } from "./serve-scripted.js";

const overloaded = { code: "server_overloaded" };
const shuttingDown = {
  type: "failed",
  error: expect.objectContaining({ code: "shutting_down", retryAfterSeconds: 5 }),
};

describe("the generation scheduler", () => {
  test("forwards the engine's events, and reports the prompt length", async () => {
    const { submit, engine } = serve();
    const { promptTokens, events } = await submit("a", 7);
    engine.emit("a", delta("x"));
    engine.emit("a", finished);
    expect(promptTokens).toBe(7);
    expect(await collect(events)).toEqual([delta("x"), finished]);
  });

  test("starts at most one request per slot, in order of submission", async () => {
    const { submit, emit, engine } = serve({ slots: 2 });
    for (const id of ["a", "b", "c", "d", "e"]) await submit(id);
    expect(engine.started).toEqual(["a", "b"]);
    await emit("b");
    expect(engine.started).toEqual(["a", "b", "c"]);
    await emit("c");
    await emit("a");
    expect(engine.started).toEqual(["a", "b", "c", "d", "e"]);
    expect(engine.running).toEqual(["d", "e"]);
  });

  test("does not start a waiting request on a text delta", async () => {
    const { submit, emit, engine } = serve();
    await submit("a");
    await submit("b");
    await emit("a", delta("x"));
    expect(engine.started).toEqual(["a"]);
  });

  test("is idle when no request is waiting or running", async () => {
    const { submit, emit, scheduler } = serve();
    await scheduler.whenIdle();
    await submit("a");
    await submit("b");
    let idle = false;
    const becameIdle = scheduler.whenIdle().then(() => {
      idle = true;
    });
    await emit("a");
    expect(idle).toBe(false);
    await emit("b");
    expect(idle).toBe(true);
    await becameIdle;
  });
});

test("tokens can be counted while all slots and the queue are full", async () => {
  const { submit, scheduler, engine } = serve({ slots: 1, requests: 0 });
  await submit("a");
  expect(await scheduler.countTokens(request("counted", 7), someCaller())).toBe(7);
  expect(engine.started).toEqual(["a"]);
});

describe("admission", () => {
  test("rejects requests while the queue is full, and admits them again when there is capacity", async () => {
    const { submit, emit, engine } = serve({ requests: 1 });
    await submit("a");
    await submit("b");
    const rejection = await submit("c").catch((error: unknown) => error);
    expect(rejection).toBeInstanceOf(GgufdError);
    expect(rejection).toMatchObject({ ...overloaded, retryAfterSeconds: 1 });
    await emit("a");
    await submit("d");
    await emit("b");
    expect(engine.started).toEqual(["a", "b", "d"]);
  });

  test("limits Retry-After to one minute", async () => {
    const { submit } = serve({ requests: 200 });
    for (let index = 0; index <= 200; index++) await submit(`r${index}`);
    await expect(submit("late")).rejects.toMatchObject({ ...overloaded, retryAfterSeconds: 60 });
  });

  test("counts the prompt tokens of waiting requests, but not of running ones", async () => {
    const { submit, emit } = serve({ promptTokens: 10 });
    await submit("running", 500);
    await submit("a", 6);
    await expect(submit("b", 5)).rejects.toMatchObject(overloaded);
    await submit("c", 4);
    await expect(submit("d", 1)).rejects.toMatchObject(overloaded);
    await emit("running");
    await submit("e", 6);
  });

  test("counts requests that are submitted concurrently", async () => {
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

  test("rejects requests that the engine cannot prepare, without occupying a slot", async () => {
    const rejection = new GgufdError("context_length_exceeded", "too long");
    const { submit, engine } = serve({
      requests: 0,
      onPrepare: ({ id }) => (id === "bad" ? Promise.reject(rejection) : undefined),
    });
    await expect(submit("bad")).rejects.toBe(rejection);
    await submit("good");
    expect(engine.started).toEqual(["good"]);
  });
});

describe("a request whose client disconnects", () => {
  test("while waiting is removed from the queue without a call to the engine", async () => {
    const { submit, disconnect, emit, engine } = serve();
    await submit("a");
    const { events } = await submit("b");
    await submit("c");
    await disconnect("b");
    expect(await collect(events)).toEqual([{ type: "cancelled" }]);
    await emit("a");
    expect(engine.started).toEqual(["a", "c"]);
    expect(engine.cancelled).toEqual([]);
  });

  test("while waiting frees its queue entry", async () => {
    const { submit, disconnect } = serve({ requests: 1, promptTokens: 10 });
    await submit("a");
    await submit("b", 10);
    await expect(submit("c")).rejects.toMatchObject(overloaded);
    await disconnect("b");
    await submit("d", 10);
    await expect(submit("e")).rejects.toMatchObject(overloaded);
  });

  test("while running is cancelled in the engine, and its final event frees the slot", async () => {
    const { submit, disconnect, emit, engine } = serve();
    const { events } = await submit("a");
    await submit("b");
    await disconnect("a");
    expect(engine.cancelled).toEqual(["a"]);
    expect(engine.started).toEqual(["a"]);
    await emit("a", delta("last delta"));
    expect(engine.started).toEqual(["a"]);
    await emit("a", { type: "cancelled" });
    expect(engine.started).toEqual(["a", "b"]);
    expect(await collect(events)).toEqual([delta("last delta"), { type: "cancelled" }]);
  });

  test("after its answer has finished still receives the finished event", async () => {
    const { submit, disconnect, emit } = serve();
    const { events } = await submit("a");
    await disconnect("a");
    await emit("a", finished);
    expect(await collect(events)).toEqual([finished]);
  });

  test("after the final event has no effect", async () => {
    const { submit, disconnect, emit, engine } = serve();
    const { events } = await submit("a");
    await emit("a");
    await submit("b");
    await disconnect("a");
    expect(await collect(events)).toEqual([finished]);
    expect(engine.running).toEqual(["b"]);
  });

  test("before admission never starts", async () => {
    const { scheduler, engine } = serve();
    const { events } = await scheduler.submit(
      [request("a")],
      someCaller({ signal: AbortSignal.abort() }),
    );
    expect(await collect(events)).toEqual([{ type: "cancelled" }]);
    expect(engine.started).toEqual([]);
    await scheduler.whenIdle();
  });
});

describe("a request for several choices", () => {
  test("prepares the prompt once, and starts each choice with a separate id and index", async () => {
    let prepared = 0;
    const { submit, engine } = serve({
      slots: 3,
      onPrepare: () => {
        prepared++;
        return undefined;
      },
    });
    const { promptTokens } = await submit("a", 7, 3);
    expect(promptTokens).toBe(7);
    expect(engine.started).toEqual(["a", "a-1", "a-2"]);
    expect(engine.choices).toEqual([undefined, 1, 2]);
    expect(prepared).toBe(1);
  });

  test("forwards the events of all choices with their index", async () => {
    const { submit, engine } = serve({ slots: 2 });
    const { events } = await submit("a", 1, 2);
    engine.emit("a-1", delta("x"));
    engine.emit("a", delta("y"));
    engine.emit("a");
    engine.emit("a-1");
    expect(await collectAll(events)).toEqual([
      of(delta("x"), 1),
      of(delta("y"), 0),
      of(finished, 0),
      of(finished, 1),
    ]);
  });

  test("runs the choices one after another if there are fewer slots, before later requests", async () => {
    const { submit, emit, engine } = serve({ slots: 1 });
    const { events } = await submit("a", 1, 3);
    await submit("b");
    for (const id of ["a", "a-1", "a-2"]) await emit(id);
    expect(engine.started).toEqual(["a", "a-1", "a-2", "b"]);
    expect(await collectAll(events)).toHaveLength(3);
  });

  test("is rejected as a whole if one choice does not fit", async () => {
    const { submit, engine } = serve({ slots: 2, requests: 1 });
    await expect(submit("a", 1, 4)).rejects.toMatchObject(overloaded);
    expect(engine.started).toEqual([]);
    await submit("b", 1, 3);
    expect(engine.started).toEqual(["b", "b-1"]);
  });

  test("is cancelled as a whole when the client disconnects, including waiting choices", async () => {
    const { submit, disconnect, emit, engine, scheduler } = serve({ slots: 2 });
    const { events } = await submit("a", 1, 3);
    await disconnect("a");
    expect(engine.cancelled).toEqual(["a", "a-1"]);
    await emit("a", { type: "cancelled" });
    await emit("a-1", { type: "cancelled" });
    expect((await collectAll(events)).map(({ event }) => event.type)).toEqual(
      Array.from({ length: 3 }, () => "cancelled"),
    );
    expect(engine.started).toEqual(["a", "a-1"]);
    await scheduler.whenIdle();
  });

  test("is cancelled as a whole when one choice fails", async () => {
    const { submit, emit, engine, scheduler } = serve({ slots: 2 });
    const { events } = await submit("a", 1, 3);
    const failed = { type: "failed", error: new GgufdError("internal_error", "lost") } as const;
    await emit("a-1", failed);
    expect(engine.cancelled).toEqual(["a"]);
    await emit("a", { type: "cancelled" });
    const [first, ...others] = await collectAll(events);
    expect(first).toEqual(of(failed, 1));
    expect(others.map(({ event }) => event.type)).toEqual(["cancelled", "cancelled"]);
    expect(engine.started).toEqual(["a", "a-1"]);
    await scheduler.whenIdle();
  });

  test("does not affect other requests when one choice fails", async () => {
    const { submit, emit, engine } = serve({ slots: 3 });
    await submit("a", 1, 2);
    await submit("b");
    await emit("a", { type: "failed", error: new GgufdError("internal_error", "lost") });
    expect(engine.cancelled).toEqual(["a-1"]);
  });

  test("fails every choice with shutting_down at shutdown", async () => {
    const { submit, emit, scheduler } = serve({ slots: 2 });
    const { events } = await submit("a", 1, 3);
    scheduler.endAll();
    await microtasksDone();
    await emit("a", { type: "cancelled" });
    await emit("a-1", { type: "cancelled" });
    for (const { event } of await collectAll(events)) expect(event).toEqual(shuttingDown);
  });
});

describe("endAll", () => {
  test("fails waiting and running requests with shutting_down", async () => {
    const { submit, emit, scheduler, engine } = serve();
    const running = await submit("a");
    const waiting = await submit("b");
    scheduler.endAll();
    await microtasksDone();
    expect(engine.cancelled).toEqual(["a"]);
    expect(await collect(waiting.events)).toEqual([shuttingDown]);
    await emit("a", { type: "cancelled" });
    expect(await collect(running.events)).toEqual([shuttingDown]);
    expect(engine.started).toEqual(["a"]);
    await scheduler.whenIdle();
  });

  test("reports requests of disconnected clients as cancelled", async () => {
    const { submit, disconnect, emit, scheduler } = serve();
    const { events } = await submit("a");
    await disconnect("a");
    scheduler.endAll();
    await emit("a", { type: "cancelled" });
    expect(await collect(events)).toEqual([{ type: "cancelled" }]);
  });

  test("rejects requests that are still being prepared", async () => {
    let prepared = () => {};
    const { submit, scheduler, engine } = serve({
      onPrepare: () =>
        new Promise((resolve) => {
          prepared = resolve;
        }),
    });
    const rejection = expect(submit("a")).rejects.toMatchObject({ code: "shutting_down" });
    await microtasksDone();
    scheduler.endAll();
    prepared();
    await rejection;
    expect(engine.started).toEqual([]);
  });

  test("does not affect finished requests", async () => {
    const { submit, emit, scheduler, engine } = serve();
    await submit("a");
    await emit("a");
    scheduler.endAll();
    expect(engine.cancelled).toEqual([]);
  });
});

describe("an engine that fails", () => {
  test("to start a generation emits the error as the final event, and the next generation runs", async () => {
    const { submit, emit, engine } = serve({
      onStart: (id) => {
        if (id === "b") throw new Error("the engine is gone");
      },
    });
    await submit("a");
    const { events } = await submit("b");
    await submit("c");
    await emit("a");
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

  test("during a generation frees its slot", async () => {
    const { submit, emit, engine } = serve();
    const failed = { type: "failed", error: new GgufdError("internal_error", "lost") } as const;
    const { events } = await submit("a");
    await submit("b");
    await emit("a", failed);
    expect(await collect(events)).toEqual([failed]);
    expect(engine.started).toEqual(["a", "b"]);
  });
});
