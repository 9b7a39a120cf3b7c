import { expect, it } from "vitest";
import { priorityOf } from "../../src/queue/priority.js";

it.each([
  [{}, undefined, 0],
  [{}, -5, -5],
  [{}, 7, 7],
  [{ class: "batch" }, undefined, 1_000_000],
  [{ class: "batch" }, -1_000_000, 1_000_000],
] as const)("the priority of %j that requests %s is %i", (caller, requested, expected) => {
  expect(priorityOf(caller, requested)).toBe(expected);
});
