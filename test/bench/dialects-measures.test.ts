import { describe, expect, it } from "vitest";
import {
  type Compared,
  dialectMeasures,
  dialectMeasureTypes,
  dialectSample,
  dialectTargets,
} from "../../bench/scenarios/dialects-measures.js";
import { counts, record } from "./records.js";

/** An answer of four tokens whose times are all multiples of `ms`. */
const took = (ms: number) =>
  record({
    chunkTimesMs: [ms, 2 * ms, 3 * ms],
    endedAtMs: 4 * ms,
    tokens: counts({ prompt: 9, completion: 4 }),
    finishReason: "length",
  });

const round = (dialect: string, ms: number, before = 10, after = 30): Compared => ({
  dialect,
  records: [took(ms)],
  chats: [[took(before)], [took(after)]],
});

const names = ["messages"];

describe("dialectMeasures", () => {
  it("returns medians over the rounds, relative to the chats before and after", () => {
    const rounds = [20, 24, 100].map((ms) => round("messages", ms));
    expect(dialectMeasures(names, [...rounds, round("another", 999)], 4)).toMatchObject({
      "wall: messages": 1.2,
      "ttft: messages": 1.2,
      "itl: messages": 1.2,
      incomplete: 0,
    });
  });

  it("has a name and a target for each measure", () => {
    const measured = dialectMeasures(names, [round("messages", 20)], 4);
    expect(Object.keys(dialectMeasureTypes(names))).toEqual(Object.keys(measured));
    expect(dialectTargets(names).map(({ measure }) => measure)).toEqual([
      "wall: messages",
      "ttft: messages",
      "itl: messages",
      "incomplete",
    ]);
  });

  it.each([
    ["fewer tokens", { tokens: counts({ completion: 3 }) }],
    ["no token counts", { tokens: undefined }],
    ["another finish reason", { finishReason: "stop" }],
    ["an error", { error: "HTTP 500" }],
    ["no text", { chunkTimesMs: [] }],
  ])("counts an answer with %s as incomplete", (_, flaw) => {
    const one = round("messages", 20);
    const flawed = { ...one, records: [...one.records, { ...took(20), ...flaw }] };
    expect(dialectMeasures(names, [flawed], 4).incomplete).toBe(1);
    expect(dialectSample(flawed, 4).incomplete).toBe(1);
  });

  it("reports the prompt lengths of the dialect and the chats in samples", () => {
    expect(dialectSample(round("messages", 20), 4)).toMatchObject({
      dialect: "messages",
      "wall s": 0.08,
      "wall to chat": 1,
      "prompt tokens": 9,
      "chat's": 9,
    });
  });
});
