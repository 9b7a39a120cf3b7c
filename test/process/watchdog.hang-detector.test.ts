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
  test("reports a live process whose step does not end", () => {
    const said = ticksOf(new HangDetector(3), 4, () => [generations(2, 7)]);
    expect(said).toEqual([
      undefined,
      undefined,
      undefined,
      "no step for 3 s with 2 generations in flight",
    ]);
  });

  test("reports a process that does not answer at all", () => {
    const detector = new HangDetector(3);
    detector.noteMessage();
    const said = [1, 2, 3, 4].map(() => detector.tick([calls(1, 0)]));
    expect(said.at(-1)).toBe("no sign of life for 3 s with 1 call in flight");
  });

  test.each([1, 2])("distinguishes them at a limit of %j s", (limit) => {
    expect(ticksOf(new HangDetector(limit), limit + 1, () => [generations(1, 0)]).at(-1)).toContain(
      "no step",
    );
    const mute = new HangDetector(limit);
    const said = Array.from({ length: limit + 1 }, () => mute.tick([generations(1, 0)]));
    expect(said.at(-1)).toContain("no sign of life");
  });

  test("ignores a process whose long steps end within the limit", () => {
    const said = ticksOf(new HangDetector(3), 30, (tick) => [generations(1, Math.floor(tick / 3))]);
    expect(said.every((one) => one === undefined)).toBe(true);
  });

  test("leaves a process in peace that has nothing to do, and counts from the moment when it has", () => {
    const detector = new HangDetector(3);
    expect(ticksOf(detector, 10, () => [generations(0, 7)]).at(-1)).toBeUndefined();
    expect(ticksOf(detector, 3, () => [generations(1, 7)])).toEqual([
      undefined,
      undefined,
      expect.stringContaining("no step"),
    ]);
  });

  test("is not deceived by work of another kind that advances", () => {
    const said = ticksOf(new HangDetector(3), 4, (tick) => [calls(5, tick), generations(1, 0)]);
    expect(said.at(-1)).toBe("no step for 3 s with 1 generation in flight");
  });

  test("resets the time of silence at each advance", () => {
    const detector = new HangDetector(3);
    ticksOf(detector, 3, () => [generations(1, 0)]);
    expect(ticksOf(detector, 3, () => [generations(1, 1)]).at(-1)).toBeUndefined();
  });
});
