import { describe, expect, test, vi } from "vitest";
import type { GenerationEvent } from "../../../src/core/generation-event.js";
import { alphabetModel, SimulatedEngine } from "../simulated/simulated-engine.js";

/** Each text with its reported tokens. */
function scored(events: readonly GenerationEvent[]): [text: string, tokens: string[]][] {
  return events.flatMap((event) =>
    event.type === "text-delta"
      ? [[event.text, (event.scores ?? []).map(({ bytes }) => String.fromCharCode(...bytes))]]
      : [],
  );
}

/** Scores of a text whose tokens are letters. */
const ofLetters = (text: string) => [...text].map((letter) => [letter, [letter]]);

describe("log-probabilities", () => {
  test("are read only for the tokens of generations that request them", async () => {
    const engine = new SimulatedEngine();
    const read = vi.spyOn(engine.context, "logProbabilities");
    const asking = engine.start({ maxTokens: 4, topLogProbabilities: 2 });
    const other = engine.start({ maxTokens: 6 });
    await engine.allEnded();
    expect(scored(asking.events)).toEqual(ofLetters("defg"));
    expect(asking.events[0]).toMatchObject({
      scores: [{ logProbability: -3, top: [{}, {}] }],
    });
    expect(scored(other.events)).toEqual([..."defghi"].map((letter) => [letter, []]));
    expect(read).toHaveBeenCalledTimes(4);
  });

  test("include accepted draft tokens and exclude rejected ones", async () => {
    const repeating = "abcdefghijabcdefghijabc";
    const engine = new SimulatedEngine({
      speculation: "auto",
      // Continues as before, except for one letter in seven.
      next: (held) => (held.length % 7 === 0 ? 25 : alphabetModel(held)),
    });
    const generation = engine.start({ prompt: repeating, maxTokens: 30, topLogProbabilities: 0 });
    await engine.allEnded();
    expect(generation.finalEvent).toMatchObject({
      timings: { draftTokens: expect.toSatisfy((drafted: number) => drafted > 0) },
    });
    expect(scored(generation.events)).toEqual(ofLetters(generation.text));
    expect(generation.text).toHaveLength(30);
  });

  test("match the distribution after sampling, if requested", async () => {
    const engine = new SimulatedEngine();
    const read = vi.spyOn(engine.context, "logProbabilities");
    const asking = engine.start({
      maxTokens: 10,
      pattern: "xyz",
      topLogProbabilities: 2,
      logProbabilities: "after-sampling",
    });
    await engine.allEnded();
    expect(asking.text).toBe("xyz");
    expect(asking.events[0]).toMatchObject({
      scores: [{ logProbability: 0, top: [{ bytes: [120], logProbability: 0 }] }],
    });
    expect(read).not.toHaveBeenCalled();
  });

  test("are read for every token of a constrained text by disabling forced tokens", async () => {
    const engine = new SimulatedEngine({ slots: 1 });
    const generation = engine.start({
      pattern: "xyz",
      maxTokens: 10,
      topLogProbabilities: 1,
    });
    await engine.allEnded();
    expect(generation.text).toBe("xyz");
    expect(scored(generation.events)).toEqual(ofLetters("xyz"));
  });
});
