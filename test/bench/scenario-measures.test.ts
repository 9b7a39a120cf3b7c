import { describe, expect, it } from "vitest";
import { PromptWriter } from "../../bench/prompts/prompt-writer.js";
import { adapterMeasures } from "../../bench/scenarios/adapters.js";
import { connectionMeasures } from "../../bench/scenarios/connections.js";
import { decodeMeasures } from "../../bench/scenarios/decode.js";
import { mixedMeasures } from "../../bench/scenarios/mixed.js";
import { messagesOf, multiTurnMeasures } from "../../bench/scenarios/multi-turn.js";
import { prefillMeasures } from "../../bench/scenarios/prefill.js";
import { promptCacheMeasures } from "../../bench/scenarios/shared-prefix.js";
import { requestOf } from "../../bench/scenarios/soak-requests.js";
import { counts, record } from "./records.js";

describe("scenario measures", () => {
  it("of decode are the output rate, the times to certain tokens and the gaps", () => {
    const records = [
      record({
        chunkTimesMs: [100, 110, 130],
        endedAtMs: 500,
        tokens: counts({ completion: 3 }),
      }),
      record({ chunkTimesMs: [300], endedAtMs: 1000, tokens: counts({ completion: 1 }) }),
    ];
    expect(decodeMeasures(records)).toEqual({
      outputRate: 4,
      ...{ ttftMean: 200, ttftP50: 100, ttftP99: 300 },
      ...{ secondMean: 110, secondP50: 110, secondP99: 110 },
      ...{ tenthMean: Number.NaN, tenthP50: Number.NaN, tenthP99: Number.NaN },
      ...{ allMean: 750, allP50: 500, allP99: 1000 },
      ...{ itlMean: 15, itlP50: 10, itlP99: 20 },
      longestGap: 20,
    });
  });

  it("of adapters are the output rate, TTFT and ITL", () => {
    const records = [
      record({ chunkTimesMs: [100, 110], endedAtMs: 500, tokens: counts({ completion: 2 }) }),
    ];
    expect(adapterMeasures(records)).toEqual({
      outputRate: 4,
      ...{ ttftMean: 100, ttftP50: 100, ttftP99: 100 },
      ...{ itlMean: 10, itlP50: 10, itlP99: 10 },
    });
  });

  it("of prefill use the end of an answer without text as its TTFT", () => {
    const records = [
      record({ chunkTimesMs: [400], endedAtMs: 500, tokens: counts({ prompt: 100 }) }),
      record({ endedAtMs: 1000, tokens: counts({ prompt: 120, cached: 20 }) }),
    ];
    const ttft = { ttftMean: 700, ttftP50: 400, ttftP99: 1000 };
    expect(prefillMeasures(records)).toEqual({ promptRate: 200, ...ttft });
    expect(prefillMeasures(records.slice(1)).ttftP50).toBe(1000);
  });

  it("of shared-prefix and rag are the wall time, TTFT and evaluated prompt tokens", () => {
    const records = [
      record({ chunkTimesMs: [100], endedAtMs: 500, tokens: counts({ prompt: 100 }) }),
      record({ chunkTimesMs: [200], endedAtMs: 2000, tokens: counts({ prompt: 100, cached: 90 }) }),
    ];
    expect(promptCacheMeasures(records)).toEqual({
      wall: 2,
      ...{ ttftMean: 150, ttftP50: 100, ttftP99: 200 },
      evaluated: 110,
    });
  });

  it("of multi-turn use the length of the last prompts as the ideal number of evaluated tokens", () => {
    const records = [
      record({ tokens: counts({ prompt: 100 }) }),
      record({ tokens: counts({ prompt: 100 }) }),
      record({ tokens: counts({ prompt: 200, cached: 100 }) }),
      record({ tokens: counts({ prompt: 200 }) }),
    ];
    expect(multiTurnMeasures(records, 2).evaluatedToIdeal).toBe(500 / 400);
  });

  it("of mixed count only the chats' tokens during long prompts", () => {
    const chats = [record({ chunkTimesMs: [0, 500, 510, 530, 900], endedAtMs: 900 })];
    const long = [record({ startedAtMs: 505, chunkTimesMs: [515], endedAtMs: 600 })];
    expect(mixedMeasures(chats, long)).toEqual({
      ...{ itlMean: 15, itlP50: 10, itlP99: 20 },
      ...{ longTtftMean: 10, longTtftP50: 10, longTtftP99: 10 },
      longWall: 0.095,
    });
  });

  it("of connections count failed streams and failed probes as errors", () => {
    const records = [
      record({ endedAtMs: 1000, tokens: counts({ completion: 5 }) }),
      record({ error: "HTTP 503" }),
    ];
    const probes = [
      { latencyMs: 3, error: undefined },
      { latencyMs: 40, error: "HTTP 503" },
    ];
    expect(connectionMeasures(records, probes)).toEqual({
      errors: 2,
      healthP50: 3,
      healthP99: 40,
      wall: 1,
      outputRate: 5,
    });
  });
});

describe("the scenario soak-dialects", () => {
  const prompts = new PromptWriter("key", 1);

  it("sends requests of every length in every response mode", () => {
    const requests = Array.from({ length: 60 }, (_, number) => requestOf(number, prompts));
    const shapes = requests.map(
      ({ messages, maxTokens, mode }) =>
        `${messages[0]?.content.split(" ").length} ${maxTokens} ${mode?.kind}`,
    );
    expect(new Set(shapes).size).toBe(60);
  });

  it("cancels a stream after part of the answer", () => {
    expect(requestOf(2, prompts)).toMatchObject({
      maxTokens: 24,
      mode: { kind: "cancelled", afterChunks: 6 },
    });
  });
});

describe("a conversation of the scenario multi-turn", () => {
  const prompts = new PromptWriter("key", 1);
  const turn = (number: number) => messagesOf({ conversation: 3, turn: number }, prompts, 8);

  it("starts with the previous turn and ends with a user message", () => {
    expect(turn(2)).toHaveLength(5);
    expect(turn(2).slice(0, 3)).toEqual(turn(1));
    expect(turn(2).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
  });
});
