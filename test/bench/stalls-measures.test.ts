import { describe, expect, it } from "vitest";
import type { Answer } from "../../bench/client/send-request.js";
import {
  chunkGaps,
  describeAnswer,
  isAnswered,
  longestDuring,
  type Observations,
  type SentBody,
  stallsMeasures,
  stallsSamples,
} from "../../bench/scenarios/stalls-measures.js";
import { record } from "./records.js";

const refused: Answer = { kind: "status", status: 400, code: "invalid_json" };
const served: Answer = { kind: "status", status: 200, code: undefined };
const reset: Answer = { kind: "none", reason: "socket hang up" };

describe("isAnswered", () => {
  it.each<[string, boolean, Answer]>([
    ["200", true, served],
    ["400 invalid_json", true, refused],
    ["413", true, { kind: "status", status: 413, code: undefined }],
    ["302", false, { kind: "status", status: 302, code: undefined }],
    ["501", true, { kind: "status", status: 501, code: undefined }],
    ["503 server_overloaded", true, { kind: "status", status: 503, code: "server_overloaded" }],
    ["503 model_unavailable", false, { kind: "status", status: 503, code: "model_unavailable" }],
    ["500 internal_error", false, { kind: "status", status: 500, code: "internal_error" }],
    ["socket hang up", false, reset],
  ])("for %s returns %s", (text, expected, answer) => {
    expect(describeAnswer(answer)).toBe(text);
    expect(isAnswered(answer)).toBe(expected);
  });
});

describe("chunkGaps", () => {
  it("returns the times between the chunks of each stream, and from the last chunk to its end", () => {
    const streams = [
      record({ chunkTimesMs: [10, 30, 35], endedAtMs: 36 }),
      record({ chunkTimesMs: [20], endedAtMs: 90, error: "reset" }),
      record({ chunkTimesMs: [], endedAtMs: 40 }),
    ];
    expect(chunkGaps(streams)).toEqual([
      { fromMs: 10, toMs: 30 },
      { fromMs: 30, toMs: 35 },
      { fromMs: 35, toMs: 36 },
      { fromMs: 20, toMs: 90 },
    ]);
  });
});

describe("longestDuring", () => {
  const window = { fromMs: 100, toMs: 200 };

  it.each([
    ["returns the length of an interval inside the window", [[110, 130]], 20],
    ["counts an interval that begins before the window in full", [[50, 101]], 51],
    ["counts an interval that ends after the window in full", [[199, 400]], 201],
    ["counts an interval that covers the window in full", [[0, 300]], 300],
    ["ignores an interval that ends when the window begins", [[0, 100]], 0],
    ["ignores an interval that begins when the window ends", [[200, 300]], 0],
    [
      "returns the longest of several intervals",
      [
        [90, 105],
        [110, 140],
        [150, 155],
      ],
      30,
    ],
    ["returns 0 without intervals", [], 0],
  ])("%s", (_, pairs, expected) => {
    const intervals = pairs.map(([fromMs = 0, toMs = 0]) => ({ fromMs, toMs }));
    expect(longestDuring(window, intervals)).toBe(expected);
  });
});

describe("measures of the scenario stalls", () => {
  const watched = (fromMs: number, toMs: number, clientMs = 1) => ({
    window: { fromMs, toMs },
    clientMs,
  });
  const body = (overrides: Partial<SentBody>): SentBody => ({
    name: "a body",
    bytes: 1e6,
    answer: refused,
    tookMs: 5,
    watched: watched(100, 200),
    ...overrides,
  });
  const probe = (sentAtMs: number, answeredAtMs: number, error?: string) => ({
    sentAtMs,
    answeredAtMs,
    error,
  });
  const observations: Observations = {
    undisturbed: watched(0, 100, 2),
    bodies: [
      body({ name: "harmless" }),
      body({ name: "bad", answer: reset, watched: watched(200, 500, 7) }),
      body({ name: "later", answer: served, watched: watched(500, 600) }),
    ],
    probes: [probe(10, 12), probe(110, 115), probe(210, 410), probe(510, 520, "HTTP 503")],
    streams: [
      record({ chunkTimesMs: [0, 20, 40, 60, 90, 190, 440, 550, 600], endedAtMs: 600 }),
      record({ chunkTimesMs: [5, 10], endedAtMs: 11, error: "the engine died" }),
    ],
  };

  it("are taken from the worst body, relative to undisturbed streams", () => {
    expect(stallsMeasures(observations)).toEqual({
      unanswered: 1,
      errors: 2,
      healthUndisturbed: 2,
      healthMax: 200,
      itlP50: 20,
      itlP99: 30,
      gapMax: 250,
      gapToItl: 250 / 30,
      clientMax: 7,
    });
  });

  it("have one sample for each body, after the undisturbed sample", () => {
    const samples = stallsSamples(observations);
    expect(samples.map(({ body }) => body)).toEqual(["(none)", "harmless", "bad", "later"]);
    expect(samples[2]).toEqual({
      body: "bad",
      MB: 1,
      "took ms": 5,
      "health ms": 200,
      "gap ms": 250,
      "gap to ITL": 250 / 30,
      "client ms": 7,
      answer: "socket hang up",
    });
  });
});
