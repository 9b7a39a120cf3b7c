import { describe, expect, test } from "vitest";
import { StopSignals, type StopStep } from "../../src/serve/stop-serving.js";

/** The steps taken for signals at these times, in milliseconds. */
const stepsAt = (times: readonly number[]): StopStep[] => {
  const signals = new StopSignals();
  return times.map((time) => signals.receive(time));
};

describe("stop signals", () => {
  test.each<[string, readonly number[], readonly StopStep[]]>([
    ["the first signal drains", [0], ["drain"]],
    ["a duplicate forwarded by npm is ignored", [5000, 5003], ["drain", "nothing"]],
    ["the second signal ends requests", [0, 1000], ["drain", "end"]],
    ["the third signal exits", [0, 1500, 2700, 9000], ["drain", "end", "exit", "exit"]],
    ["every signal may arrive twice", [0, 1, 2000, 2001], ["drain", "nothing", "end", "nothing"]],
    [
      "repeated signals count at most once a second",
      [0, 600, 1200, 1800],
      ["drain", "nothing", "end", "nothing"],
    ],
  ])("%s", (_, times, steps) => {
    expect(stepsAt(times)).toEqual(steps);
  });
});
