import { afterEach, describe, expect, test, vi } from "vitest";
import { GgufdError } from "../../src/core/errors.js";
import type { Generation } from "../../src/core/model-directory.js";
import { someCaller } from "../support/callers.js";
import {
  collect,
  collectAll,
  delta,
  finished,
  microtasksDone,
} from "../support/generation-events.js";
import { engineLost, request } from "../support/manual-engine.js";
import { type Submission, serve } from "./serve-scripted.js";

afterEach(() => {
  vi.useRealTimers();
});

const resumed: Submission = { decideAfterInterruption: () => "resumed" };
const cut: Submission = { decideAfterInterruption: () => "ended" };

async function typesOf({ events }: Generation): Promise<string[]> {
  return (await collectAll(events)).map(({ event }) => event.type);
}

/** The only event of an answer that failed before it began. */
async function failureOf({ events }: Generation): Promise<GgufdError> {
  const [event, ...others] = await collect(events);
  if (event?.type !== "failed" || others.length > 0) throw new Error("expected one failure");
  return event.error;
}

describe("after a crash of the engine", () => {
  test("queued requests and requests without output run again in order, and keep their slots", async () => {
    const { submit, emit, lose, restore, engine } = serve({ slots: 2 });
    const answers = [];
    for (const id of ["a", "b", "c"]) answers.push(await submit(id));
    await lose();
    expect(engine.running).toEqual([]);
    await restore();
    expect(engine.running).toEqual(["a", "b"]);
    for (const id of ["b", "a", "c"]) await emit(id);
    for (const { events } of answers) expect(await collect(events)).toEqual([finished]);
  });

  test("a stream that has delivered text ends with a single error, and frees its slot", async () => {
    const { submitAs, submit, emit, lose, restore, engine, stagesOf } = serve();
    const { events } = await submitAs("a", cut);
    await submit("b");
    await emit("a", delta("x"), [5]);
    await lose();
    expect(await collect(events)).toEqual([
      delta("x"),
      { type: "failed", error: expect.objectContaining({ code: "model_unavailable" }) },
    ]);
    expect(stagesOf("a")).toEqual(["waiting", "running", "text-delta", "failed"]);
    await restore();
    expect(engine.running).toEqual(["b"]);
  });

  test("a non-streaming request is retried where a stream would end with an error", async () => {
    const { submitAs, emit, lose, restore } = serve();
    const { events } = await submitAs("a", cut);
    await lose();
    await restore();
    await emit("a");
    expect(await collect(events)).toEqual([finished]);
  });

  test("an answer resumes from its tokens, without repeating delivered text", async () => {
    const { submitAs, emit, lose, restore, engine } = serve();
    const { events } = await submitAs("a", resumed);
    expect(engine.latest("a").resumedTokens).toBeUndefined();
    await emit("a", delta("one "), [1, 2]);
    await emit("a", delta("two "), [3]);
    await lose();
    await restore();
    expect(engine.latest("a").resumedTokens).toEqual([1, 2, 3]);
    await emit("a", delta("one "), [1, 2]);
    await lose();
    await restore();
    expect(engine.latest("a").resumedTokens).toEqual([1, 2, 3]);
    await emit("a", delta("one "), [1, 2]);
    await emit("a", delta("two "), [3]);
    await emit("a", delta("three"), [4]);
    await emit("a", finished);
    expect(await collect(events)).toEqual([delta("one "), delta("two "), delta("three"), finished]);
  });

  test("a resumed answer that differs from the delivered text ends with a single error", async () => {
    const { submitAs, submit, emit, lose, restore, engine } = serve();
    const { events } = await submitAs("a", resumed);
    await submit("b");
    await emit("a", delta("one "));
    await lose();
    await restore();
    await emit("a", delta("uno "));
    expect(engine.cancelled).toContain("a");
    expect(engine.running).toEqual(["a"]);
    await emit("a", delta("dos "));
    await emit("a", { type: "cancelled" });
    expect(engine.running).toEqual(["b"]);
    const [first, last, ...others] = await collect(events);
    expect(first).toEqual(delta("one "));
    expect(last).toMatchObject({ type: "failed", error: { code: "model_unavailable" } });
    expect(others).toEqual([]);
  });

  test("an answer that has already failed is not retried after another crash", async () => {
    const { submitAs, emit, lose, restore, engine, scheduler } = serve();
    const generation = await submitAs("a", resumed);
    await emit("a", delta("one "));
    await lose();
    await restore();
    await emit("a", delta("uno "));
    await lose();
    await restore();
    expect(await typesOf(generation)).toEqual(["text-delta", "failed"]);
    expect(engine.running).toEqual([]);
    await scheduler.whenIdle();
  });

  test("prompt scores are delivered once", async () => {
    const { submitAs, emit, lose, restore } = serve();
    const usage = { promptTokens: 1, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 };
    const scores = (...bytes: number[]) => ({
      type: "prompt-scores" as const,
      scores: bytes.map((byte) => ({ id: 1, bytes: [byte], top: [] })),
      usage,
    });
    const { events } = await submitAs("a", resumed);
    await emit("a", scores(1, 2));
    await lose();
    await restore();
    await emit("a", scores(1));
    await emit("a", scores(2, 3));
    await emit("a");
    expect(await collect(events)).toEqual([scores(1, 2), scores(3), finished]);
  });

  test("a request without a seed keeps the seed that was drawn for it", async () => {
    const { submit, submitAs, lose, restore, engine } = serve({ slots: 3 });
    await submit("a");
    await submit("b");
    await submitAs("c", { seed: 77 });
    const seeds = () => ["a", "b", "c"].map((id) => engine.latest(id).seed);
    expect(seeds()).toEqual([1, 2, 77]);
    await lose();
    await restore();
    expect(engine.started).toEqual(["a", "b", "c", "a", "b", "c"]);
    expect(seeds()).toEqual([1, 2, 77]);
  });

  test("all choices of a request end if one of them was interrupted", async () => {
    const { submitAs, emit, lose, restore, engine, scheduler } = serve({ slots: 2 });
    const { events } = await submitAs("a", { ...cut, choices: 3 });
    await emit("a-1", delta("x"));
    await lose();
    const all = await collectAll(events);
    expect(all.map(({ choice, event }) => [choice, event.type])).toEqual([
      [1, "text-delta"],
      [1, "failed"],
      ...[0, 2].map((choice) => [choice, "cancelled"]),
    ]);
    await restore();
    expect(engine.running).toEqual([]);
    await scheduler.whenIdle();
  });

  test("observers receive each event once, and when the generation is out of the engine", async () => {
    const { submitAs, emit, lose, restore, stagesOf } = serve();
    await submitAs("a", resumed);
    await emit("a", delta("x"), [1]);
    await lose();
    await restore();
    await emit("a", delta("x"), [1]);
    await emit("a");
    expect(stagesOf("a")).toEqual([
      ...["waiting", "running", "text-delta"],
      ...["paused", "running", "finished"],
    ]);
  });

  test("tokens are charged once", async () => {
    const { submitAs, emit, lose, restore, charged } = serve();
    await submitAs("a", { ...resumed, tokenCount: 7 });
    await emit("a", delta("x"), [1]);
    await lose();
    await restore();
    await emit("a", delta("x"), [1]);
    await emit("a");
    expect(charged).toEqual([7, 1]);
  });
});

describe("a request that crashes the engine", () => {
  test("is rejected after three consecutive crashes, and concurrent requests are answered", async () => {
    const { submit, emit, lose, restore, engine, refused } = serve({ slots: 3 });
    const culprit = await submit("culprit");
    const neighbours = [await submit("a"), await submit("b")];
    await lose();
    await restore();
    expect(engine.running).toEqual(["culprit", "a", "b"]);
    await lose();
    await restore();
    expect(engine.running).toEqual(["culprit"]);
    await lose();
    expect(await failureOf(culprit)).toMatchObject({ code: "crashes_engine", status: 500 });
    expect(refused).toEqual([[expect.objectContaining({ id: "culprit" }), 3]]);
    await restore();
    for (const id of ["a", "b"]) {
      expect(engine.running).toEqual([id]);
      await emit(id);
    }
    for (const { events } of neighbours) expect(await collect(events)).toEqual([finished]);
  });

  test("runs alone after a crash, while queued requests are not suspected and run later", async () => {
    const { submit, emit, lose, restore, engine } = serve({ slots: 2 });
    await submit("a");
    for (let loss = 0; loss < 2; loss++) {
      await lose();
      await restore();
    }
    const late = submit("late");
    await microtasksDone();
    expect(engine.running).toEqual(["a"]);
    await emit("a");
    await late;
    expect(engine.running).toEqual(["late"]);
  });

  test("during its preparation is retried alone, and then rejected", async () => {
    const { submit, emit, lose, restore, engine, refused } = serve({
      slots: 2,
      onPrepare: ({ id }) =>
        id === "culprit" ? new Promise((_, reject) => losing.push(reject)) : undefined,
    });
    const losing: ((error: Error) => void)[] = [];
    const loseAll = async () => {
      engine.lose();
      for (const reject of losing.splice(0)) reject(engineLost());
      await lose();
    };
    const neighbour = await submit("a");
    const culprit = submit("culprit");
    culprit.catch(() => undefined);
    await microtasksDone();
    for (let loss = 0; loss < 2; loss++) {
      await loseAll();
      await restore();
    }
    // Suspects run one at a time, in order of arrival.
    expect(engine.running).toEqual(["a"]);
    expect(losing).toHaveLength(0);
    await emit("a");
    expect(losing).toHaveLength(1);
    await loseAll();
    await expect(culprit).rejects.toMatchObject({ code: "crashes_engine" });
    expect(refused).toEqual([[expect.objectContaining({ id: "culprit" }), 3]]);
    expect(await collect(neighbour.events)).toEqual([finished]);
  });

  test("is not suspected if the engine did not crash", async () => {
    const { submit, emit, engine } = serve();
    const generation = await submit("a");
    await emit("a", { type: "failed", error: engineLost() });
    expect(await failureOf(generation)).toMatchObject({ code: "model_unavailable" });
    expect(engine.started).toEqual(["a"]);
  });
});

describe("a prompt in preparation", () => {
  test("is prepared by the next engine after a crash", async () => {
    const { submit, emit, lose, restore, engine } = serve();
    await lose();
    const submitted = submit("a");
    await microtasksDone();
    expect(engine.prepared).toEqual([]);
    await restore();
    const { events } = await submitted;
    await emit("a");
    expect(await collect(events)).toEqual([finished]);
  });

  test("is discarded when its client disconnects", async () => {
    const { submit, disconnect, lose, restore, engine, scheduler, stagesOf } = serve();
    await lose();
    const submitted = submit("a", 1, 2);
    await disconnect("a");
    expect(await typesOf(await submitted)).toEqual(["cancelled", "cancelled"]);
    expect(stagesOf("a")).toEqual([]);
    await restore();
    expect(engine.prepared).toEqual([]);
    await scheduler.whenIdle();
  });

  test("fails with the timeout error when its time limit is exceeded", async () => {
    const { submitAs, lose } = serve();
    const client = new AbortController();
    await lose();
    const submitted = submitAs("a", { signal: client.signal });
    client.abort(new GgufdError("answer_timeout", "too late"));
    await expect(submitted).rejects.toMatchObject({ code: "answer_timeout" });
  });

  test("fails at shutdown", async () => {
    const { submit, lose, scheduler } = serve();
    await lose();
    const submitted = submit("a");
    scheduler.endAll();
    await expect(submitted).rejects.toMatchObject({ code: "shutting_down" });
    await scheduler.whenIdle();
  });

  test("waits for the next engine for at most the queue timeout", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { submit, lose, scheduler } = serve({ queueTimeoutMs: 1000 });
    await lose();
    const submitted = expect(submit("a")).rejects.toMatchObject({ code: "queue_timeout" });
    await vi.advanceTimersByTimeAsync(1000);
    await submitted;
    await scheduler.whenIdle();
    expect(vi.getTimerCount()).toBe(0);
  });
});

test("a prompt whose preparation crashed waits for the next engine for at most the queue timeout", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let fail = (_: Error) => {};
  const { submit, lose, scheduler } = serve({
    queueTimeoutMs: 1000,
    onPrepare: () =>
      new Promise((_, reject) => {
        fail = reject;
      }),
  });
  const submitted = expect(submit("a")).rejects.toMatchObject({ code: "queue_timeout" });
  await vi.advanceTimersByTimeAsync(5000);
  fail(engineLost());
  await lose();
  await vi.advanceTimersByTimeAsync(1000);
  await submitted;
  await scheduler.whenIdle();
});

describe("a request that waits for the next engine", () => {
  test("ends when its client disconnects, and frees its slot", async () => {
    const { submit, disconnect, emit, lose, restore, engine, scheduler } = serve();
    const { events } = await submit("a");
    const other = await submit("b");
    await lose();
    await disconnect("a");
    expect(await collect(events)).toEqual([{ type: "cancelled" }]);
    await restore();
    expect(engine.running).toEqual(["b"]);
    await emit("b");
    expect(await collect(other.events)).toEqual([finished]);
    expect(engine.cancelled).toEqual([]);
    await scheduler.whenIdle();
  });

  test("is not retried if its client had disconnected before the crash", async () => {
    const { submit, disconnect, lose, restore, engine } = serve();
    const { events } = await submit("a");
    await disconnect("a");
    await lose();
    expect(await collect(events)).toEqual([{ type: "cancelled" }]);
    await restore();
    expect(engine.started).toEqual(["a"]);
  });

  test("can be cancelled without affecting other waiting requests", async () => {
    const { submit, disconnect, lose, restore, engine } = serve({ slots: 3 });
    for (const id of ["a", "b", "c"]) await submit(id);
    for (let loss = 0; loss < 2; loss++) {
      await lose();
      await restore();
    }
    expect(engine.running).toEqual(["a"]);
    await disconnect("b");
    engine.emit("a");
    await microtasksDone();
    expect(engine.running).toEqual(["c"]);
    await disconnect("c");
    expect(engine.cancelled).toEqual(["c"]);
  });

  test("fails at shutdown, with or without a slot", async () => {
    const { submit, lose, scheduler } = serve();
    const answers = [await submit("a"), await submit("b")];
    await lose();
    scheduler.endAll();
    for (const answer of answers) {
      expect(await failureOf(answer)).toMatchObject({ code: "shutting_down" });
    }
    await scheduler.whenIdle();
  });

  test("fails at shutdown even if the engine has just restarted", async () => {
    const { submit, lose, scheduler, engine } = serve();
    const answer = await submit("a");
    await lose();
    engine.restore();
    scheduler.resume(engine.description);
    scheduler.endAll();
    expect(await failureOf(answer)).toMatchObject({ code: "shutting_down" });
    expect(engine.started).toEqual(["a"]);
  });

  test.each(["first", "again"])("waits for at most the queue timeout (run: %s)", async (time) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { submit, emit, lose, scheduler } = serve({ queueTimeoutMs: 1000 });
    const before = await submit("before");
    if (time === "again") {
      await lose();
      await vi.advanceTimersByTimeAsync(1000);
      expect(await failureOf(before)).toMatchObject({
        code: "queue_timeout",
        retryAfterSeconds: 1,
      });
    } else {
      const answer = await submit("a");
      await emit("before", delta("x"));
      await lose();
      await vi.advanceTimersByTimeAsync(999);
      await vi.advanceTimersByTimeAsync(1);
      expect(await failureOf(answer)).toMatchObject({
        code: "queue_timeout",
        retryAfterSeconds: 1,
      });
    }
    await scheduler.whenIdle();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("is rejected after the restart if its prompt no longer fits", async () => {
    const { submit, lose, restore, engine } = serve({ slots: 2, contextSize: 100 });
    const long = await submit("long", 60);
    await submit("short", 10);
    await lose();
    await restore({ contextSize: 50 });
    expect(await failureOf(long)).toMatchObject({ code: "context_length_exceeded" });
    expect(engine.running).toEqual(["short"]);
  });

  test("has a smaller token limit after the restart if the context is smaller", async () => {
    const { submit, lose, restore, engine } = serve({ contextSize: 100 });
    await submit("a", 10);
    expect(engine.maxTokens("a")).toBe(8);
    await lose();
    await restore({ contextSize: 13 });
    expect(engine.maxTokens("a")).toBe(3);
  });
});

describe("an engine that restarts with a different number of slots", () => {
  test("runs more requests if it has more slots", async () => {
    const { submit, lose, restore, engine } = serve();
    for (const id of ["a", "b", "c"]) await submit(id);
    await lose();
    await restore({ slots: 2 });
    expect(engine.running).toEqual(["a", "b"]);
  });

  test("admits requests according to its new number of slots", async () => {
    const { submit, lose, restore } = serve({ requests: 0 });
    await submit("a");
    await lose();
    await restore({ slots: 2 });
    await submit("b");
    await expect(submit("c")).rejects.toMatchObject({ code: "server_overloaded" });
  });

  test("runs no more requests than slots after the requests that kept their slots have ended", async () => {
    const { submit, emit, lose, restore, engine } = serve({ slots: 2 });
    for (const id of ["a", "b", "c", "d"]) await submit(id);
    await lose();
    engine.allowExcess();
    await restore({ slots: 1 });
    expect(engine.running).toEqual(["a", "b"]);
    await emit("a");
    expect(engine.running).toEqual(["b"]);
    await emit("b");
    expect(engine.running).toEqual(["c"]);
  });
});

test("counting tokens while the engine restarts fails with model_unavailable", async () => {
  const { lose, scheduler } = serve();
  await lose();
  await expect(scheduler.countTokens(request("a"), someCaller())).rejects.toMatchObject({
    code: "model_unavailable",
    retryAfterSeconds: 2,
  });
});
