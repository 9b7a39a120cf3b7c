import { describe, expect, test } from "vitest";
import {
  type CheckpointQuestion,
  planCheckpoints,
} from "../../../src/engine/prefix-cache/checkpoint-plan.js";

interface Case extends Partial<CheckpointQuestion> {
  readonly rule: string;
  readonly checkpoints: readonly number[];
}

describe("the checkpoints of a prompt are", () => {
  test.each<Case>([
    { rule: "before the header of its answer", promptLength: 200, checkpoints: [184] },
    { rule: "none when it is short", promptLength: 79, checkpoints: [] },
    {
      rule: "also where it parts from what was seen, in whole blocks",
      promptLength: 200,
      shared: 103,
      checkpoints: [96, 184],
    },
    {
      rule: "not twice at nearly the same place",
      promptLength: 200,
      shared: 180,
      checkpoints: [176],
    },
    {
      rule: "not where little is shared",
      promptLength: 200,
      shared: 60,
      checkpoints: [184],
    },
    {
      rule: "not near a state that was saved",
      promptLength: 200,
      saved: 130,
      held: 130,
      shared: 150,
      checkpoints: [],
    },
    {
      rule: "not where its sequence is already",
      promptLength: 200,
      held: 190,
      checkpoints: [],
    },
    {
      rule: "far from the last one that was saved, however much its sequence holds",
      promptLength: 200,
      saved: 84,
      held: 170,
      checkpoints: [184],
    },
  ])("$rule", ({ rule: _, checkpoints, ...question }) => {
    const nothing = { promptLength: 0, held: 0, saved: 0, shared: 0 };
    expect(planCheckpoints({ ...nothing, ...question })).toEqual(checkpoints);
  });
});
