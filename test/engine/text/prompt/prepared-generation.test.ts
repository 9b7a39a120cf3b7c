import { AssertionError } from "node:assert/strict";
import { describe, expect, test } from "vitest";
import {
  describePrepared,
  type PreparedGeneration,
  PreparedGenerations,
} from "../../../../src/engine/text/prompt/prepared-generation.js";
import { plainReading } from "../../../support/plain-reading.js";

const prepared: PreparedGeneration = {
  id: "r",
  promptTokens: [5, 6, 7],
  reading: plainReading,
  maxTokens: 9,
  sampling: { temperature: 0.5, seed: 1 },
  stopping: { minTokens: 0, stop: [], ignoreEos: false },
};

test("the description of a prepared generation contains only its id and token counts", () => {
  expect(describePrepared(prepared)).toEqual({ id: "r", promptTokens: 3, maxTokens: 9 });
});

describe("requests held by an engine", () => {
  test("provide the start parameters of each answer, with its id, seed and index", () => {
    const held = new PreparedGenerations();
    held.hold(prepared);
    const { id: _, ...common } = prepared;
    expect(held.startAnswer({ id: "r", requestId: "r", seed: 7 })).toEqual({
      ...common,
      id: "r",
      sampling: { temperature: 0.5, seed: 7 },
    });
    const second = { id: "r-1", requestId: "r", seed: 7, choice: 1, owner: "k" };
    expect(held.startAnswer({ ...second, resumedTokens: [8] })).toEqual({
      ...common,
      id: "r-1",
      choice: 1,
      owner: "k",
      resumedTokens: [8],
      sampling: { temperature: 0.5, seed: 7 },
    });
  });

  test("reject answers before the request is prepared and after its release", () => {
    const held = new PreparedGenerations();
    const start = { id: "r", requestId: "r", seed: 7 };
    expect(() => held.startAnswer(start)).toThrow(AssertionError);
    held.hold(prepared);
    held.release("r");
    held.release("unknown");
    expect(() => held.startAnswer(start)).toThrow(AssertionError);
  });

  test("reject a second request with the same id", () => {
    const held = new PreparedGenerations();
    held.hold(prepared);
    expect(() => held.hold(prepared)).toThrow(AssertionError);
  });
});
