import { describe, expect, test } from "vitest";
import {
  decideAfterExit,
  type ExitDecision,
  type InterruptedWork,
} from "../../src/queue/retry-across-restarts.js";

describe("after a crash of the engine", () => {
  test.each<[InterruptedWork["answer"], crashes: number, ExitDecision]>([
    ["unseen", 1, "again"],
    ["unseen", 2, "alone"],
    ["unseen", 3, "refused"],
    ["resumable", 1, "again"],
    ["resumable", 2, "alone"],
    ["resumable", 3, "refused"],
    ["cut", 1, "ended"],
    ["cut", 2, "ended"],
    ["cut", 3, "refused"],
  ])('the decision for an answer that is "%s" at crash %d is "%s"', (answer, crashes, expected) => {
    expect(decideAfterExit({ answer, crashes })).toBe(expected);
  });
});
