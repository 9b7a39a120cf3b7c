import { describe, expect, it } from "vitest";
import { SlotViews } from "../../src/queue/slot-views.js";

const task = { id: "r", promptTokens: 3, maxTokens: 10 };
const usage = (completionTokens: number) => ({
  promptTokens: 3,
  cachedTokens: 2,
  completionTokens,
  reasoningTokens: 0,
});
const counts = { promptTokens: 3, cachedTokens: 0, completionTokens: 0 };
const running = { state: "running", ...counts, elapsedMs: 0 };
const slot = (heldTokens: number, generation?: string) =>
  generation === undefined ? { heldTokens } : { heldTokens, generation };

describe("slots", () => {
  it("show the running generations", () => {
    const views = new SlotViews(() => 1000);
    views.begin("a", task);
    views.begin("b", task);
    expect(views.toViews([slot(5), slot(2, "b"), slot(0, "a")])).toEqual([
      { state: "idle", heldTokens: 5 },
      { ...running, heldTokens: 2, task: 1, maxTokens: 10 },
      { ...running, heldTokens: 0, task: 0, maxTokens: 10 },
    ]);
  });

  it("name the replica that has the slot", () => {
    const views = new SlotViews(() => 1000);
    views.begin("a", task);
    expect(
      views.toViews([
        { ...slot(1), replica: 0 },
        { ...slot(3, "a"), replica: 1 },
      ]),
    ).toEqual([
      { state: "idle", heldTokens: 1, replica: 0 },
      { ...running, heldTokens: 3, replica: 1, task: 0, maxTokens: 10 },
    ]);
  });

  it("show the progress of a generation", () => {
    const views = new SlotViews();
    views.begin("a", task);
    views.update("a", usage(4));
    expect(views.toViews([slot(3, "a")])).toMatchObject([{ cachedTokens: 2, completionTokens: 4 }]);
  });

  it("show the durations of a generation and of its prefill", () => {
    let nowMs = 1000;
    const views = new SlotViews(() => nowMs);
    views.begin("a", task);
    nowMs = 1200;
    views.update("a", usage(0));
    expect(views.toViews([slot(3, "a")])).toEqual([
      { ...running, heldTokens: 3, task: 0, maxTokens: 10, cachedTokens: 2, elapsedMs: 200 },
    ]);
    nowMs = 1300;
    views.update("a", usage(1));
    nowMs = 1500;
    views.update("a", usage(2));
    expect(views.toViews([slot(3, "a")])).toMatchObject([{ elapsedMs: 500, prefillMs: 300 }]);
  });

  it("are idle if their generation has just ended or has not started", () => {
    const views = new SlotViews();
    views.begin("a", task);
    views.end("a");
    views.update("b", usage(4));
    views.end("b");
    expect(views.toViews([slot(3, "a"), slot(2, "b")])).toEqual([
      { state: "idle", heldTokens: 3 },
      { state: "idle", heldTokens: 2 },
    ]);
  });
});
