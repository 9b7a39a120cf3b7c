import { describe, expect, test } from "vitest";
import { StopSignals, type StopStep } from "../../src/serve/stop-serving.js";

/** Signals at these times, in milliseconds. */
const stepsAt = (times: readonly number[]): StopStep[] => {
  const signals = new StopSignals();
  return times.map((time) => signals.receive(time));
};

describe("signals to stop", () => {
  test.each<[string, readonly number[], readonly StopStep[]]>([
    ["the first one drains", [0], ["drain"]],
    ["what npm passes on is the same one", [5000, 5003], ["drain", "nothing"]],
    ["the second one ends requests", [0, 1000], ["drain", "end"]],
    ["and the third one exits", [0, 1500, 2700, 9000], ["drain", "end", "exit", "exit"]],
    ["each may come twice", [0, 1, 2000, 2001], ["drain", "nothing", "end", "nothing"]],
    [
      "hammering counts once a second",
      [0, 600, 1200, 1800],
      ["drain", "nothing", "end", "nothing"],
    ],
  ])("%s", (_, times, steps) => {
    expect(stepsAt(times)).toEqual(steps);
  });
});
