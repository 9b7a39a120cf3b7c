import { describe, expect, it } from "vitest";
import { toBarParts, withSlots } from "../../../src/page/metrics/slot-spans.js";

const slot = (id: number, task: number, elapsed_ms: number, prompt_ms?: number) => ({
  ...{ id, n_ctx: 100, speculative: false, is_processing: true },
  ...{ id_task: task, elapsed_ms },
  ...(prompt_ms !== undefined && { prompt_ms }),
});
const idle = (id: number) => ({ id, n_ctx: 100, speculative: false, is_processing: false });

describe("the requests on slots", () => {
  it("begin when they got their slot, and keep their beginning", () => {
    const first = withSlots([], [slot(0, 5, 300), idle(1)], 10_000);
    expect(first).toEqual([
      { slot: 0, task: 5, fromMs: 9700, promptEndMs: undefined, toMs: 10_000, isRunning: true },
    ]);
    // The reading took 40 ms longer.
    expect(withSlots(first, [slot(0, 5, 1260, 900), idle(1)], 11_000)).toEqual([
      { slot: 0, task: 5, fromMs: 9700, promptEndMs: 10_600, toMs: 11_000, isRunning: true },
    ]);
  });

  it("end at the last reading that shows them, and leave after a minute", () => {
    const running = withSlots([], [slot(0, 5, 300, 100)], 10_000);
    const ended = withSlots(running, [slot(0, 6, 10)], 11_000);
    expect(ended).toMatchObject([
      { task: 5, toMs: 10_000, isRunning: false },
      { task: 6, fromMs: 10_990, isRunning: true },
    ]);
    expect(withSlots(ended, [], 70_000)).toMatchObject([{ task: 5 }, { task: 6 }]);
    expect(withSlots(ended, [], 70_500)).toMatchObject([{ task: 6 }]);
  });

  it("are new requests if the numbers begin again after a restart", () => {
    const running = withSlots([], [slot(0, 0, 300)], 10_000);
    const ended = withSlots(running, [idle(0)], 11_000);
    expect(withSlots(ended, [slot(0, 0, 50)], 12_000)).toMatchObject([{ fromMs: 11_950 }]);
  });
});

describe("the bar of a request", () => {
  const span = { slot: 0, task: 0, fromMs: 40_000, promptEndMs: 55_000, toMs: 70_000 };

  it.each([
    [
      "both phases",
      span,
      [
        { phase: "prompt", start: 0.5, length: 0.25 },
        { phase: "generation", start: 0.75, length: 0.25 },
      ],
    ],
    ["only a prompt", { ...span, promptEndMs: undefined }, [{ start: 0.5, length: 0.5 }]],
    [
      "a beginning before the timeline",
      { ...span, fromMs: 0, promptEndMs: 5000 },
      [{ phase: "generation", start: 0, length: 1 }],
    ],
  ])("shows %s", (_, shown, parts) => {
    expect(toBarParts({ ...shown, isRunning: true }, 70_000)).toMatchObject(parts);
  });
});
