import { describe, expect, test } from "vitest";
import { GgufdError } from "../../src/core/errors.js";
import { type AdmissionInput, admit } from "../../src/queue/admission.js";

type Load = [requests: number, promptTokens: number];

function admissionInput(
  promptTokens: number,
  [running, slots]: [number, number],
  waiting: Load,
  limits: Load,
  choices = 1,
): AdmissionInput {
  const [waitingRequests, waitingTokens] = waiting;
  return {
    promptTokens: Array.from({ length: choices }, () => promptTokens),
    // A single waiting request has all of the tokens.
    ahead: Array.from({ length: waitingRequests }, (_, index) => (index === 0 ? waitingTokens : 0)),
    freeSlots: slots - running,
    slots,
    limits: { requests: limits[0], promptTokens: limits[1] },
    serviceMs: undefined,
  };
}

function rejection(input: AdmissionInput): GgufdError | undefined {
  try {
    admit(input);
    return undefined;
  } catch (error) {
    if (error instanceof GgufdError) return error;
    throw error;
  }
}

describe("admit", () => {
  test.each([
    ["a slot is free", admissionInput(10, [3, 4], [0, 0], [0, 0])],
    ["a slot is free, however long the prompt", admissionInput(10_000, [0, 1], [0, 0], [9, 10])],
    ["the queue has capacity", admissionInput(10, [4, 4], [1, 10], [2, 20])],
    [
      "the queue is empty, however long the prompt",
      admissionInput(10_000, [4, 4], [0, 0], [1, 10]),
    ],
    [
      "there is a free slot for each of its choices",
      admissionInput(10, [1, 4], [0, 0], [0, 10], 3),
    ],
    [
      "the queue has capacity for the choices without a slot",
      admissionInput(10, [3, 4], [0, 0], [2, 10], 3),
    ],
    [
      "the queue has capacity for all of its choices",
      admissionInput(5, [4, 4], [1, 5], [4, 20], 3),
    ],
  ])("admits a request when %s", (_, input) => {
    expect(rejection(input)).toBeUndefined();
  });

  test.each([
    [
      "the queue is full",
      admissionInput(1, [4, 4], [2, 2], [2, 1000]),
      "The server is overloaded: 2 requests are already waiting (at most 2 allowed).",
    ],
    [
      "the queue is disabled",
      admissionInput(1, [1, 1], [0, 0], [0, 1000]),
      "The server is overloaded: 0 requests are already waiting (at most 0 allowed).",
    ],
    [
      "its prompt exceeds the queue's token limit by one token",
      admissionInput(11, [4, 4], [1, 10], [9, 20]),
      "The server is overloaded: 10 prompt tokens are already waiting (at most 20 allowed).",
    ],
    [
      "the queue lacks capacity for one of its choices",
      admissionInput(1, [3, 4], [0, 0], [1, 1000], 3),
      "The server is overloaded: 0 requests are already waiting, and this request would add 2 choices (at most 1 allowed).",
    ],
    [
      "the prompts of its choices exceed the queue's token limit by one token",
      admissionInput(6, [4, 4], [1, 3], [9, 20], 3),
      "The server is overloaded: 3 prompt tokens are already waiting (at most 20 allowed).",
    ],
  ])("rejects a request when %s", (_, input, message) => {
    expect(rejection(input)).toMatchObject({ code: "server_overloaded", status: 503, message });
  });

  test.each([
    { waiting: 0, slots: 4, seconds: 1 },
    { waiting: 1, slots: 4, seconds: 1 },
    { waiting: 4, slots: 4, seconds: 1 },
    { waiting: 5, slots: 4, seconds: 2 },
    { waiting: 240, slots: 4, seconds: 60 },
    { waiting: 2048, slots: 1, seconds: 60 },
  ])(
    "sends Retry-After $seconds with $waiting requests waiting for $slots slots",
    ({ waiting, slots, seconds }) => {
      const input = admissionInput(1, [slots, slots], [waiting, 0], [waiting, 1000]);
      expect(rejection(input)?.retryAfterSeconds).toBe(seconds);
    },
  );
});
