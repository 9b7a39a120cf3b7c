import { describe, expect, test } from "vitest";
import {
  type CheckpointInput,
  planCheckpoints,
} from "../../../src/engine/cache/checkpoint-plan.js";

interface Case extends Partial<CheckpointInput> {
  readonly rule: string;
  readonly checkpoints: readonly number[];
}

describe("the checkpoints of a prompt", () => {
  test.each<Case>([
    { rule: "are before the header of its answer", promptTokens: 200, checkpoints: [184] },
    { rule: "are omitted if the prompt is short", promptTokens: 79, checkpoints: [] },
    {
      rule: "are also at the last whole block before the divergence from an earlier prompt",
      promptTokens: 200,
      sharedTokens: 103,
      checkpoints: [96, 184],
    },
    {
      rule: "are not close to each other",
      promptTokens: 200,
      sharedTokens: 180,
      checkpoints: [176],
    },
    {
      rule: "are not at the end of a short shared prefix",
      promptTokens: 200,
      sharedTokens: 60,
      checkpoints: [184],
    },
    {
      rule: "are not close to a saved state",
      promptTokens: 200,
      savedTokens: 130,
      heldTokens: 130,
      sharedTokens: 150,
      checkpoints: [],
    },
    {
      rule: "are not within the tokens that the sequence holds",
      promptTokens: 200,
      heldTokens: 190,
      checkpoints: [],
    },
    {
      rule: "are far enough from the last saved state, however many tokens the sequence holds",
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
