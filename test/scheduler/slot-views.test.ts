import { describe, expect, it } from "vitest";
import { SlotViews } from "../../src/scheduler/slot-views.js";

const task = (id: string, promptTokens = 3) => ({
  id,
  promptTokens: new Array<number>(promptTokens).fill(1),
  maxTokens: 10,
});
const usage = (completionTokens: number) => ({
  promptTokens: 3,
  cachedTokens: 2,
  completionTokens,
  reasoningTokens: 0,
});
const running = { state: "running", promptTokens: 3, cachedTokens: 0, completionTokens: 0 };
const idle = { state: "idle" };

describe("slots", () => {
  it("show a generation in the lowest one that is free, until it ends", () => {
    const views = new SlotViews();
    expect(views.list(2)).toEqual([idle, idle]);
    views.begin(task("a"));
    views.begin(task("b"));
    views.end("a");
    expect(views.list(2)).toEqual([idle, { ...running, task: 1, maxTokens: 10 }]);
    views.begin(task("c"));
    expect(views.list(2)).toMatchObject([{ task: 2 }, { task: 1 }]);
  });

  it("show how far a generation is", () => {
    const views = new SlotViews();
    views.begin(task("a"));
    views.update("a", usage(4));
    expect(views.list(1)).toMatchObject([{ cachedTokens: 2, completionTokens: 4 }]);
  });

  it("know nothing of a generation that never had one", () => {
    const views = new SlotViews();
    views.update("a", usage(4));
    views.end("a");
    expect(views.list(1)).toEqual([idle]);
  });

  it("are shown as long as they run where the engine has fewer now", () => {
    const views = new SlotViews();
    for (const id of ["a", "b", "c"]) views.begin(task(id));
    views.end("b");
    expect(views.list(1)).toMatchObject([{ task: 0 }, idle, { task: 2 }]);
    views.end("c");
    expect(views.list(1)).toMatchObject([{ task: 0 }]);
  });
});
