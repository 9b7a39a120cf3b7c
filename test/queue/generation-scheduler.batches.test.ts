import { describe, expect, onTestFinished, test, vi } from "vitest";
import { delta, microtasksDone } from "../support/generation-events.js";
import { type Served, type Submission, serve } from "./serve-scripted.js";

/** A scheduler with requests of batches. */
function serveBatches(options: Served = {}) {
  const served = serve(options);
  return {
    ...served,
    submitLine: (id: string, submission: Submission = {}) =>
      served.submitAs(id, { class: "batch", name: "batches", ...submission }),
  };
}

describe("generations of batches", () => {
  test("use as many slots as the engine has, whatever other requests run", async () => {
    const { submitLine, submit, engine } = serveBatches({ slots: 2 });
    for (const id of ["a", "b", "c"]) await submitLine(id);
    await submit("chat");
    expect(engine.running).toEqual(["a", "b", "chat"]);
  });

  test("reach the engine as such, which suspends them for others", async () => {
    const { submitLine, submit, engine } = serveBatches({ slots: 2 });
    await submitLine("a");
    await submit("chat");
    expect(engine.latest("a").class).toBe("batch");
    expect(engine.latest("chat").class).toBeUndefined();
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

  test("continue after a crash of the engine", async () => {
    const { submitLine, emit, lose, restore, engine } = serveBatches();
    await submitLine("a", { decideAfterInterruption: () => "resumed" });
    await emit("a", delta("One"), [7]);
    await lose();
    await restore();
    expect(engine.running).toEqual(["a"]);
    expect(engine.latest("a").resumedTokens).toEqual([7]);
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
