import { describe, expect, test } from "vitest";
import { GgufdError } from "../../src/core/errors.js";
import { type AdmissionQuestion, admit } from "../../src/scheduler/admission.js";

type Load = [requests: number, promptTokens: number];

function question(
  promptTokens: number,
  [running, slots]: [number, number],
  waiting: Load,
  limits: Load,
): AdmissionQuestion {
  const load = ([requests, tokens]: Load) => ({ requests, promptTokens: tokens });
  return { promptTokens, running, slots, waiting: load(waiting), limits: load(limits) };
}

function refusal(asked: AdmissionQuestion): GgufdError | undefined {
  try {
    admit(asked);
    return undefined;
  } catch (error) {
    if (error instanceof GgufdError) return error;
    throw error;
  }
}

describe("admit", () => {
  test.each([
    ["a slot is free", question(10, [3, 4], [0, 0], [0, 0])],
    ["a slot is free, however long the prompt", question(10_000, [0, 1], [0, 0], [9, 10])],
    ["the queue has room", question(10, [4, 4], [1, 10], [2, 20])],
    ["the queue is empty, however long the prompt", question(10_000, [4, 4], [0, 0], [1, 10])],
  ])("lets a request in when %s", (_, asked) => {
    expect(refusal(asked)).toBeUndefined();
  });

  test.each([
    [
      "as many wait as may",
      question(1, [4, 4], [2, 2], [2, 1000]),
      "The server is overloaded: 2 requests are waiting already (at most 2 may).",
    ],
    [
      "none may wait",
      question(1, [1, 1], [0, 0], [0, 1000]),
      "The server is overloaded: 0 requests are waiting already (at most 0 may).",
    ],
    [
      "its prompt is one token too much for the queue",
      question(11, [4, 4], [1, 10], [9, 20]),
      "The server is overloaded: 10 prompt tokens are waiting already (at most 20 may).",
    ],
  ])("refuses when %s", (_, asked, message) => {
    expect(refusal(asked)).toMatchObject({ code: "server_overloaded", status: 503, message });
  });

  test.each([
    { waiting: 0, slots: 4, seconds: 1 },
    { waiting: 1, slots: 4, seconds: 1 },
    { waiting: 4, slots: 4, seconds: 1 },
    { waiting: 5, slots: 4, seconds: 2 },
    { waiting: 240, slots: 4, seconds: 60 },
    { waiting: 2048, slots: 1, seconds: 60 },
  ])(
    "with $waiting waiting for $slots slots says: again in $seconds s",
    ({ waiting, slots, seconds }) => {
      const asked = question(1, [slots, slots], [waiting, 0], [waiting, 1000]);
      expect(refusal(asked)?.retryAfterSeconds).toBe(seconds);
    },
  );
});
