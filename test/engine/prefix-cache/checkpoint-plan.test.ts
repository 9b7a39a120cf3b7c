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
    { rule: "before the header of its answer", promptTokens: 200, checkpoints: [184] },
    { rule: "none when it is short", promptTokens: 79, checkpoints: [] },
    {
      rule: "also where it parts from what was seen, in whole blocks",
      promptTokens: 200,
      sharedTokens: 103,
      checkpoints: [96, 184],
    },
    {
      rule: "not twice at nearly the same place",
      promptTokens: 200,
      sharedTokens: 180,
      checkpoints: [176],
    },
    {
      rule: "not where little is shared",
      promptTokens: 200,
      sharedTokens: 60,
      checkpoints: [184],
    },
    {
      rule: "not near a state that was saved",
      promptTokens: 200,
      savedTokens: 130,
      heldTokens: 130,
      sharedTokens: 150,
      checkpoints: [],
    },
    {
      rule: "not where its sequence is already",
      promptTokens: 200,
      heldTokens: 190,
      checkpoints: [],
    },
    {
      rule: "far from the last one that was saved, however much its sequence holds",
      promptTokens: 200,
      savedTokens: 84,
      heldTokens: 170,
      checkpoints: [184],
    },
  ])("$rule", ({ rule: _, checkpoints, ...question }) => {
    const nothing = { promptTokens: 0, heldTokens: 0, savedTokens: 0, sharedTokens: 0 };
    expect(planCheckpoints({ ...nothing, ...question })).toEqual(checkpoints);
  });
});
