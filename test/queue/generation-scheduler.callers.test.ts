import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, test, vi } from "vitest";
import { GgufdError } from "../../src/core/errors.js";
import type { GenerationRequest } from "../../src/core/generation-request.js";
import { collect, delta, finished, microtasksDone } from "../support/generation-events.js";
import { serve } from "./serve-scripted.js";

afterEach(() => {
  vi.useRealTimers();
});

const overloaded = { code: "server_overloaded", status: 503 };

describe("callers", () => {
  test("alternate, so that a caller with many requests delays the first request of another by only one", async () => {
    const { submitAs, emit, engine } = serve();
    for (let index = 0; index < 50; index++) await submitAs(`a${index}`, { name: "A" });
    await submitAs("b", { name: "B" });
    await emit("a0");
    expect(engine.running).toEqual(["b"]);
  });

  test("with a greater weight are served more often", async () => {
    const { submitAs, emit, engine } = serve();
    for (let index = 0; index < 8; index++) await submitAs(`b${index}`, { name: "B" });
    for (let index = 0; index < 8; index++) await submitAs(`a${index}`, { name: "A", weight: 3 });
    for (let turn = 0; turn < 8; turn++) await emit(engine.running[0] ?? "");
    const turns = engine.started.slice(0, 8).map((id) => id[0]);
    expect(turns.filter((name) => name === "a")).toHaveLength(6);
  });

  test("order their own requests by priority, the smallest number first, as in vLLM", async () => {
    const { submitAs, emit, engine } = serve({ now: () => 0 });
    for (const [id, priority] of [
      ["first", 0],
      ["low", 5],
      ["usual", 0],
      ["urgent", -5],
    ] as const) {
      await submitAs(id, { name: "A", priority });
    }
    for (let turn = 0; turn < 3; turn++) await emit(engine.running[0] ?? "");
    expect(engine.started).toEqual(["first", "urgent", "usual", "low"]);
  });

  test("cannot overtake other callers with a priority, but can yield to them", async () => {
    const { submitAs, emit, engine } = serve({ now: () => 0 });
    await submitAs("running", { name: "X" });
    await submitAs("low", { name: "A", priority: 9 });
    await submitAs("b", { name: "B" });
    await submitAs("urgent", { name: "C", priority: -9 });
    for (let turn = 0; turn < 3; turn++) await emit(engine.running[0] ?? "");
    expect(engine.started).toEqual(["running", "b", "urgent", "low"]);
  });
});

describe("queue limits", () => {
  test("are checked before a request is prepared", async () => {
    const { submit, engine } = serve({ requests: 1 });
    for (const id of ["a", "b"]) await submit(id);
    await expect(submit("c")).rejects.toMatchObject(overloaded);
    expect(engine.prepared).toEqual(["a", "b"]);
  });

  test("include requests in preparation, by their estimated tokens", async () => {
    const { submit, engine } = serve({
      promptTokens: 10,
      onPrepare: ({ id }) => (id === "running" ? undefined : new Promise(() => {})),
    });
    await submit("running");
    void submit("a", 4 * 6);
    await microtasksDone();
    await expect(submit("b", 4 * 5)).rejects.toMatchObject({
      ...overloaded,
      message: expect.stringContaining("6 prompt tokens are already waiting"),
    });
    void submit("c", 4 * 4);
    await microtasksDone();
    expect(engine.prepared).toEqual(["running", "a", "c"]);
  });

  test("are checked again with the exact number of tokens after preparation", async () => {
    const { submit } = serve({ promptTokens: 10 });
    for (const id of ["running", "a"]) await submit(id);
    await expect(submit("b", 12)).rejects.toMatchObject(overloaded);
    await submit("c", 8);
  });

  test("exclude requests that were rejected or could not be prepared", async () => {
    const { submit, scheduler } = serve({
      requests: 1,
      onPrepare: ({ id }) =>
        id === "bad" ? Promise.reject(new GgufdError("invalid_request", "bad")) : undefined,
    });
    await submit("a");
    await expect(submit("bad")).rejects.toMatchObject({ code: "invalid_request" });
    await submit("b");
    await expect(submit("c")).rejects.toMatchObject(overloaded);
    await expect(submit("d")).rejects.toMatchObject(overloaded);
    scheduler.endAll();
  });

  test("are reported with a Retry-After based on the measured service time", async () => {
    let nowMs = 0;
    const { submit, emit } = serve({ requests: 2, now: () => nowMs });
    for (const id of ["a", "b", "c"]) await submit(id);
    await expect(submit("d")).rejects.toMatchObject({ retryAfterSeconds: 2 });
    nowMs += 8000;
    await emit("a");
    await submit("d");
    await expect(submit("e")).rejects.toMatchObject({ retryAfterSeconds: 16 });
  });

  test("are reported with a Retry-After that excludes the time of an outage", async () => {
    let nowMs = 0;
    const { submit, emit, lose, restore } = serve({ requests: 1, now: () => nowMs });
    for (const id of ["a", "b"]) await submit(id);
    await lose();
    nowMs += 30_000;
    await restore();
    await emit("a");
    nowMs += 3000;
    await emit("b");
    for (const id of ["c", "d"]) await submit(id);
    await expect(submit("e")).rejects.toMatchObject({ retryAfterSeconds: 3 });
  });
});

describe("a time limit in the queue", () => {
  test("ends waiting requests with a 503 and Retry-After; running ones continue", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { submit, emit, engine, stagesOf } = serve({ requests: 1, queueTimeoutMs: 2000 });
    const running = await submit("a");
    const { events } = await submit("b");
    await vi.advanceTimersByTimeAsync(2000);
    expect(await collect(events)).toEqual([
      {
        type: "failed",
        error: expect.objectContaining({
          code: "queue_timeout",
          status: 503,
          retryAfterSeconds: 1,
        }),
      },
    ]);
    expect(stagesOf("b")).toEqual(["waiting", "failed"]);
    await submit("c");
    await emit("a");
    expect(await collect(running.events)).toEqual([finished]);
    expect(engine.running).toEqual(["c"]);
    await emit("c");
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("observers", () => {
  test("receive waiting, running and each event exactly once per choice", async () => {
    const { submit, emit, stagesOf } = serve({ slots: 1 });
    await submit("a", 1, 2);
    expect([stagesOf("a"), stagesOf("a-1")]).toEqual([["waiting", "running"], ["waiting"]]);
    await emit("a", delta("x"));
    await emit("a");
    await emit("a-1");
    expect(stagesOf("a")).toEqual(["waiting", "running", "text-delta", "finished"]);
    expect(stagesOf("a-1")).toEqual(["waiting", "running", "finished"]);
  });

  test("receive the final event of requests cancelled in the queue or in the engine", async () => {
    const { submit, emit, disconnect, stagesOf } = serve();
    for (const id of ["a", "b"]) await submit(id);
    for (const id of ["b", "a"]) await disconnect(id);
    await emit("a", { type: "cancelled" });
    expect(stagesOf("a")).toEqual(["waiting", "running", "cancelled"]);
    expect(stagesOf("b")).toEqual(["waiting", "cancelled"]);
  });

  test("receive the adapters that a request chose, except those with scale 0", async () => {
    const { submitAs, adaptersOf } = serve();
    const brief = { name: "brief", scale: 0 };
    await submitAs("a", { choices: 2, adapters: [{ name: "poet", scale: 1 }, brief] });
    await submitAs("b", { adapters: [brief] });
    await submitAs("c");
    expect(["a", "a-1", "b", "c"].map(adaptersOf)).toEqual([
      ["poet"],
      ["poet"],
      undefined,
      undefined,
    ]);
  });

  test("receive no events of rejected requests", async () => {
    const { submit, stagesOf } = serve({ requests: 0 });
    await submit("a");
    await expect(submit("b")).rejects.toMatchObject(overloaded);
    expect(stagesOf("b")).toEqual([]);
  });
});

describe("token charges", () => {
  const usage = { promptTokens: 1, cachedTokens: 0, completionTokens: 9, reasoningTokens: 0 };

  test("for the prompt are made at admission, and for the answer at its end", async () => {
    const { submit, emit, charged } = serve();
    await submit("a", 7);
    expect(charged).toEqual([7]);
    await emit("a", delta("x"));
    expect(charged).toEqual([7]);
    await emit("a", { ...finished, usage } as typeof finished);
    expect(charged).toEqual([7, 9]);
  });

  test("are made for cancelled answers", async () => {
    const { submit, emit, disconnect, charged } = serve();
    await submit("a", 7);
    await emit("a", { type: "text-delta", text: "x", usage });
    await disconnect("a");
    await emit("a", { type: "cancelled" });
    expect(charged).toEqual([7, 9]);
  });

  test("do not include answers that never left the queue", async () => {
    const { submit, emit, disconnect, charged } = serve();
    await submit("a", 7);
    await submit("b", 5);
    await disconnect("b");
    await emit("a");
    expect(charged).toEqual([7, 5, "none", 1]);
  });

  test("are made once for the prompt, and for each choice", async () => {
    const { submit, emit, charged, admitted } = serve({ slots: 2 });
    await submit("a", 7, 2);
    expect(admitted).toEqual([
      [
        { promptTokens: 7, maxTokens: expect.any(Number) },
        { promptTokens: 0, maxTokens: expect.any(Number) },
      ],
    ]);
    await emit("a");
    await emit("a-1");
    expect(charged).toEqual([7, 1, 1]);
  });

  test("are not made for rejected requests", async () => {
    const { submit, charged } = serve({ requests: 0 });
    await submit("a", 7);
    await expect(submit("b", 8)).rejects.toMatchObject(overloaded);
    expect(charged).toEqual([7]);
  });
});

describe("shutdown", () => {
  test("waits for requests in preparation", async () => {
    let prepared = () => {};
    const { submit, emit, scheduler } = serve({
      onPrepare: () =>
        new Promise((resolve) => {
          prepared = resolve;
        }),
    });
    const submitted = submit("a");
    let isIdle = false;
    void scheduler.whenIdle().then(() => {
      isIdle = true;
    });
    await microtasksDone();
    prepared();
    await submitted;
    await microtasksDone();
    expect(isIdle).toBe(false);
    await emit("a");
    expect(isIdle).toBe(true);
  });

  test("rejects later requests without preparing them", async () => {
    const { submit, scheduler, engine } = serve();
    scheduler.endAll();
    await expect(submit("a")).rejects.toMatchObject({ code: "shutting_down" });
    expect(engine.prepared).toEqual([]);
  });
});

test("no state of a request is kept after it has ended", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage: () => void = runInNewContext("gc");
  const { submitAs, emit, engine, scheduler } = serve({
    queueTimeoutMs: 60_000,
    onStart: (id) => {
      if (id === "not-started") throw new Error("the engine cannot start it");
    },
  });
  const client = new AbortController();
  const whole = { signal: client.signal, tokens: { admit: () => [] }, observe: () => {} };
  const prompts: WeakRef<GenerationRequest>[] = [];
  const prepare = engine.prepare.bind(engine);
  engine.prepare = (request) => {
    prompts.push(new WeakRef(request));
    return prepare(request);
  };
  for (const id of ["not-started", "finished", "failed"]) await submitAs(id, whole);
  await emit("finished");
  await emit("failed", { type: "failed", error: new GgufdError("internal_error", "failed") });
  await scheduler.whenIdle();
  engine.forget();
  await microtasksDone();
  collectGarbage();
  expect(prompts.map((prompt) => prompt.deref())).toEqual([undefined, undefined, undefined]);
  expect(engine.held).toEqual([]);
  expect(client.signal.aborted).toBe(false);
});
