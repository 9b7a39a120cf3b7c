import { describe, expect, test } from "vitest";
import {
  type CheckpointInput,
  planCheckpoints,
} from "../../../src/engine/cache/checkpoint-plan.js";

interface Case extends Partial<CheckpointInput> {
  readonly rule: string;
  readonly checkpoints: readonly number[];
}

describe("the checkpoints of a prompt are", () => {
  test.each<Case>([
    { rule: "before the header of its answer", promptTokens: 200, checkpoints: [184] },
    { rule: "none when the prompt is short", promptTokens: 79, checkpoints: [] },
    {
      rule: "also where it diverges from an earlier prompt, in whole blocks",
      promptTokens: 200,
      sharedTokens: 103,
      checkpoints: [96, 184],
    },
    {
      rule: "not close to each other",
      promptTokens: 200,
      sharedTokens: 180,
      checkpoints: [176],
    },
    {
      rule: "not at a short shared prefix",
      promptTokens: 200,
      sharedTokens: 60,
      checkpoints: [184],
    },
    {
      rule: "not close to a saved state",
      promptTokens: 200,
      savedTokens: 130,
      heldTokens: 130,
      sharedTokens: 150,
      checkpoints: [],
    },
    {
      rule: "not within what its sequence holds",
      promptTokens: 200,
      heldTokens: 190,
      checkpoints: [],
    },
    {
      rule: "far enough from the last saved state, however much its sequence holds",
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
