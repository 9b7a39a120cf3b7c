import { describe, expect, test } from "vitest";
import { HangDetector, type Work } from "../../src/process/watchdog.js";

const generations = (inFlight: number, steps: number): Work => ({
  unit: "generation",
  inFlight,
  advance: "step",
  advances: steps,
});
const calls = (inFlight: number, answers: number): Work => ({
  unit: "call",
  inFlight,
  advance: "answer",
  advances: answers,
});

/** Verdicts of the detector over ticks, with a message of the process before each. */
function ticksOf(detector: HangDetector, count: number, work: (tick: number) => readonly Work[]) {
  return Array.from({ length: count }, (_, tick) => {
    detector.noteMessage();
    return detector.tick(work(tick));
  });
}

describe("a hang detector", () => {
  test("reports a responsive process whose step does not end", () => {
    const said = ticksOf(new HangDetector(3), 4, () => [generations(2, 7)]);
    expect(said).toEqual([
      undefined,
      undefined,
      undefined,
      "no step for 3 s with 2 generations in flight",
    ]);
  });

  test("reports a process that sends no messages", () => {
    const detector = new HangDetector(3);
    detector.noteMessage();
    const said = [1, 2, 3, 4].map(() => detector.tick([calls(1, 0)]));
    expect(said.at(-1)).toBe("no sign of life for 3 s with 1 call in flight");
  });

  test.each([1, 2])(
    "distinguishes an endless step from an unresponsive process at a limit of %j s",
    (limit) => {
      expect(
        ticksOf(new HangDetector(limit), limit + 1, () => [generations(1, 0)]).at(-1),
      ).toContain("no step");
      const mute = new HangDetector(limit);
      const said = Array.from({ length: limit + 1 }, () => mute.tick([generations(1, 0)]));
      expect(said.at(-1)).toContain("no sign of life");
    },
  );

  test("ignores long steps that end within the limit", () => {
    const said = ticksOf(new HangDetector(3), 30, (tick) => [generations(1, Math.floor(tick / 3))]);
    expect(said.every((one) => one === undefined)).toBe(true);
  });

  test("ignores an idle process, and starts counting when it receives work", () => {
    const detector = new HangDetector(3);
    expect(ticksOf(detector, 10, () => [generations(0, 7)]).at(-1)).toBeUndefined();
    expect(ticksOf(detector, 3, () => [generations(1, 7)])).toEqual([
      undefined,
      undefined,
      expect.stringContaining("no step"),
    ]);
  });

  test("reports an endless step although other work makes progress", () => {
    const said = ticksOf(new HangDetector(3), 4, (tick) => [calls(5, tick), generations(1, 0)]);
    expect(said.at(-1)).toBe("no step for 3 s with 1 generation in flight");
  });

  test("restarts the time limit whenever a step ends", () => {
    const detector = new HangDetector(3);
    ticksOf(detector, 3, () => [generations(1, 0)]);
    expect(ticksOf(detector, 3, () => [generations(1, 1)]).at(-1)).toBeUndefined();
  });
});
