import { describe, expect, onTestFinished, test, vi } from "vitest";
import { countBatchSlots } from "../../src/queue/batch-runs.js";
import { deferred } from "../support/scripted-engine.js";
import { collect, delta, finished, microtasksDone } from "./events.js";
import { type Served, type Submission, serve } from "./serve-scripted.js";

const cancelled = { type: "cancelled", usage: finished.type === "finished" && finished.usage };

describe("the slots of batches", () => {
  test.each([
    ["idle", 4, 0, 4],
    ["idle", 4, 1, 0],
    ["idle", 4, 9, 0],
    ["free-slots", 4, 0, 4],
    ["free-slots", 4, 1, 3],
    ["free-slots", 4, 4, 0],
    ["free-slots", 4, 9, 0],
  ] as const)(
    "with sharing '%s': of %i, next to %i interactive ones, %i",
    (sharing, slots, interactive, allowed) => {
      expect(countBatchSlots({ sharing, slots, interactive })).toBe(allowed);
    },
  );
});

/** A scheduler with requests of batches, whose engine cancels generations at once. */
function serveBatches(options: Served = {}) {
  const served = serve(options);
  const { engine, submitAs, emit } = served;
  return {
    ...served,
    submitLine: (id: string, submission: Submission = {}) =>
      submitAs(id, { class: "batch", name: "batches", ...submission }),
    /** Answers the cancellations so far. */
    async cancel(): Promise<void> {
      for (const id of engine.cancelled.splice(0)) {
        if (engine.running.includes(id)) await emit(id, cancelled as never);
      }
    },
  };
}

describe("generations of batches on a CPU", () => {
  test("use all slots while there are no other requests", async () => {
    const { submitLine, engine } = serveBatches({ slots: 2 });
    for (const id of ["a", "b", "c"]) await submitLine(id);
    expect(engine.running).toEqual(["a", "b"]);
  });

  test("leave the engine when another request arrives, and continue after it", async () => {
    const { submitLine, submit, cancel, emit, engine } = serveBatches({ slots: 2 });
    const { events } = await submitLine("a");
    await submitLine("b");
    await emit("a", delta("One"), [7]);
    await submit("chat");
    expect(engine.cancelled).toEqual(["b", "a"]);
    await cancel();
    expect(engine.running).toEqual(["chat"]);
    await emit("chat");
    expect(engine.running).toEqual(["b", "a"]);
    expect(engine.latest("a").resumedTokens).toEqual([7]);
    await emit("a", delta("One"), [7]);
    await emit("a", delta(" two"), [8]);
    await emit("a", finished);
    expect(await collect(events)).toEqual([delta("One"), delta(" two"), finished]);
  });

  test("yield while the prompt of another request is prepared", async () => {
    const prepare = deferred();
    const { submitLine, submit, engine } = serveBatches({
      onPrepare: ({ id }) => (id === "chat" ? prepare.promise : undefined),
    });
    await submitLine("a");
    const chat = submit("chat");
    expect(engine.cancelled).toEqual(["a"]);
    prepare.resolve();
    await chat;
  });

  test("start before the next request only if they finished while they yielded", async () => {
    const { submitLine, submit, emit, engine } = serveBatches();
    const { events } = await submitLine("a");
    await submit("chat");
    expect(engine.running).toEqual(["a"]);
    await emit("a", finished);
    expect(await collect(events)).toEqual([finished]);
    expect(engine.running).toEqual(["chat"]);
  });

  test("continue before generations that have not started", async () => {
    const { submitLine, submit, cancel, emit, engine } = serveBatches();
    await submitLine("a");
    await submitLine("b");
    await submit("chat");
    await cancel();
    await emit("chat");
    expect(engine.running).toEqual(["a"]);
  });

  test("divide the slots fairly between callers", async () => {
    const { submitLine, emit, engine } = serveBatches();
    for (const id of ["a1", "a2", "a3"]) await submitLine(id, { name: "key:a" });
    for (const id of ["b1", "b2"]) await submitLine(id, { name: "key:b" });
    for (const id of ["a1", "b1", "a2", "b2", "a3"]) {
      expect(engine.running).toEqual([id]);
      await emit(id);
    }
  });

  test("are ended by their client while they wait to continue", async () => {
    const { submitLine, submit, cancel, disconnect, engine, emit, scheduler } = serveBatches();
    const { events } = await submitLine("a");
    await submit("chat");
    await cancel();
    await disconnect("a");
    expect(await collect(events)).toEqual([{ type: "cancelled" }]);
    await emit("chat");
    expect(engine.running).toEqual([]);
    await scheduler.whenIdle();
  });

  test("are ended by their client while they yield", async () => {
    const { submitLine, submit, cancel, disconnect, engine } = serveBatches();
    const { events } = await submitLine("a");
    await submit("chat");
    await disconnect("a");
    await cancel();
    expect((await collect(events)).map(({ type }) => type)).toEqual(["cancelled"]);
    expect(engine.running).toEqual(["chat"]);
  });

  test("continue after a crash of the engine that they were leaving", async () => {
    const { submitLine, submit, emit, lose, restore, engine } = serveBatches();
    await submitLine("a", { decideAfterInterruption: () => "resumed" });
    await submit("chat");
    await lose();
    await restore();
    expect(engine.running).toEqual(["chat"]);
    await emit("chat");
    expect(engine.running).toEqual(["a"]);
  });

  test("do not time out in the queue", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { submitLine, emit, engine } = serveBatches({ queueTimeoutMs: 1000 });
    await submitLine("a");
    await submitLine("b");
    vi.advanceTimersByTime(5000);
    await emit("a");
    expect(engine.running).toEqual(["b"]);
  });

  test("do not count as waiting requests", async () => {
    const { submitLine, submit } = serveBatches({ requests: 1 });
    for (const id of ["a", "b", "c"]) await submitLine(id);
    await submit("first");
    await submit("second");
    await expect(submit("third")).rejects.toMatchObject({ code: "server_overloaded" });
  });

  test("are charged to the token limit of their key", async () => {
    const { submitLine, emit, charged } = serveBatches();
    await submitLine("a", { tokenCount: 5 });
    await emit("a");
    await microtasksDone();
    expect(charged).toEqual([5, 1]);
  });
});

describe("generations of batches on a GPU", () => {
  test("leave only as many slots as other requests need, the latest first", async () => {
    const { submitLine, submit, cancel, engine } = serveBatches({ slots: 3, device: "CUDA (A10)" });
    for (const id of ["a", "b", "c"]) await submitLine(id);
    await submit("chat");
    expect(engine.cancelled).toEqual(["c"]);
    await cancel();
    expect(engine.running).toEqual(["a", "b", "chat"]);
  });

  test("leave no slot if one is free", async () => {
    const { submitLine, submit, engine } = serveBatches({ slots: 2, device: "CUDA (A10)" });
    await submitLine("a");
    await submit("chat");
    expect(engine.cancelled).toEqual([]);
    expect(engine.running).toEqual(["a", "chat"]);
  });
});
