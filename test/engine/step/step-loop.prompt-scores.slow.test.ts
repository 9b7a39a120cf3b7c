import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { GenerationEvent, TokenText } from "../../../src/core/generation-event.js";
import {
  alphabetModel,
  END,
  SimulatedEngine,
  type SimulatedEngineOptions,
  type SimulatedGeneration,
} from "../simulated/simulated-engine.js";

/** In the simulated model a token's log-probability is minus the number of tokens before it. */
interface Scored extends TokenText {
  readonly logProbability?: number;
}

const nameOf = ({ bytes }: TokenText) => String.fromCharCode(...bytes);
const places = (scores: readonly Scored[]) =>
  scores.map((score) => [nameOf(score), score.logProbability]);

const ofPrompt = ({ events }: SimulatedGeneration) =>
  events.flatMap((event) => (event.type === "prompt-scores" ? event.scores : []));

const ofAnswer = ({ events }: SimulatedGeneration) =>
  events.flatMap((event) =>
    event.type === "text-delta" || event.type === "finished" ? (event.scores ?? []) : [],
  );

/** The tokens of a text, as the model scores them. */
const expected = (text: string, begin = 0) =>
  [...text].map((letter, index) => {
    const before = begin + index;
    return [letter, before === 0 ? undefined : -before];
  });

const whole = { scoredTokens: "all", topLogProbabilities: 1 } as const;
const typesOf = (events: readonly GenerationEvent[]) => [
  ...new Set(events.map(({ type }) => type)),
];

describe("the log-probabilities of a prompt", () => {
  test("cover all of its tokens except the first, and precede the text", async () => {
    const engine = new SimulatedEngine();
    const generation = engine.start({ prompt: "abcdef", maxTokens: 3, ...whole });
    await engine.allEnded();
    expect(places(ofPrompt(generation))).toEqual(expected("abcdef"));
    expect(places(ofAnswer(generation))).toEqual(expected("ghi", 6));
    expect(ofPrompt(generation).map(({ top }) => top.length)).toEqual([0, 1, 1, 1, 1, 1]);
    expect(typesOf(generation.events)).toEqual(["prompt-scores", "text-delta", "finished"]);
    expect(generation.events[0]).toMatchObject({
      usage: { promptTokens: 6, cachedTokens: 0, completionTokens: 0 },
    });
  });

  test("are the only output if the token limit is 0", async () => {
    const engine = new SimulatedEngine();
    const generation = engine.start({ prompt: "abcdef", maxTokens: 0, ...whole });
    await engine.allEnded();
    expect(places(ofPrompt(generation))).toEqual(expected("abcdef"));
    expect(typesOf(generation.events)).toEqual(["prompt-scores", "finished"]);
    expect(generation.finalEvent).toMatchObject({
      reason: "length",
      usage: { promptTokens: 6, completionTokens: 0 },
    });
    expect(engine.context.calls.filter(({ kind }) => kind === "sample")).toEqual([]);
  });

  test("are undefined for a prompt of one token", async () => {
    const engine = new SimulatedEngine();
    const generation = engine.start({ prompt: "a", maxTokens: 1, ...whole });
    await engine.allEnded();
    expect(places(ofPrompt(generation))).toEqual(expected("a"));
    expect(places(ofAnswer(generation))).toEqual(expected("b", 1));
  });

  test("are read in slices limited by the rows of logits per batch", async () => {
    const engine = new SimulatedEngine({ slots: 2, maxOutputs: 4 });
    const prompt = "abcdefghijklmnop";
    const generation = engine.start({ prompt, maxTokens: 2, ...whole });
    await engine.allEnded();
    expect(places(ofPrompt(generation))).toEqual(expected(prompt));
    const slices = generation.events.flatMap((event) =>
      event.type === "prompt-scores" ? [event.scores.length] : [],
    );
    expect(slices).toEqual([5, 4, 4, 3]);
  });

  test("cause a cached prompt to be evaluated again", async () => {
    const engine = new SimulatedEngine({ slots: 2 });
    const prompt = "abcdefghijkl".repeat(8);
    engine.start({ prompt, maxTokens: 2 });
    await engine.allEnded();
    const scored = engine.start({ prompt, maxTokens: 2, ...whole });
    await engine.allEnded();
    expect(places(ofPrompt(scored))).toEqual(expected(prompt));
    expect(scored.cachedTokens).toBe(0);
    const plain = engine.start({ prompt, maxTokens: 2 });
    await engine.allEnded();
    expect(plain.cachedTokens).toBe(prompt.length - 1);
  });

  test("are returned with the first choice only", async () => {
    const engine = new SimulatedEngine({ slots: 2 });
    const prompt = "abcdefghijkl".repeat(8);
    const first = engine.start({ prompt, maxTokens: 2, ...whole });
    const second = engine.start({ prompt, maxTokens: 2, choice: 1, ...whole });
    await engine.allEnded();
    expect(places(ofPrompt(first))).toEqual(expected(prompt));
    expect(ofPrompt(second)).toEqual([]);
    expect(second.cachedTokens).toBeGreaterThan(0);
    expect(places(ofAnswer(second))).toEqual(places(ofAnswer(first)));
  });

  test("stop when the generation is cancelled", async () => {
    const engine: SimulatedEngine = new SimulatedEngine({ slots: 2, maxOutputs: 4 });
    const generation = engine.start({
      prompt: "abcdefghijklmnop",
      ...whole,
      onEvent: () => engine.cancel("g0"),
    });
    await engine.allEnded();
    expect(generation.endings).toEqual(["cancelled"]);
    expect(ofPrompt(generation).length).toBeLessThan(16);
    expect(engine.failures).toEqual([]);
  });
});

test("a generation with a token limit of 0 leaves its prompt in the cache", async () => {
  const engine = new SimulatedEngine({ slots: 1 });
  const prompt = "abcdefghijkl".repeat(8);
  const empty = engine.start({ prompt, maxTokens: 0 });
  await engine.allEnded();
  expect(typesOf(empty.events)).toEqual(["finished"]);
  expect(empty.finalEvent).toMatchObject({ reason: "length", usage: { completionTokens: 0 } });
  const rows = engine.context.batches.flat().map((part) => part.tokens.length - part.logitsFrom);
  expect(rows.every((count) => count === 0)).toBe(true);
  const next = engine.start({ prompt, maxTokens: 2 });
  await engine.allEnded();
  expect(next.cachedTokens).toBe(prompt.length - 1);
});

describe("with the log-probabilities of the prompt, every token of the answer is reported", () => {
  test("including the end token", async () => {
    const engine = new SimulatedEngine({
      next: (held) => (held.length < 5 ? alphabetModel(held) : END),
    });
    const generation = engine.start({ prompt: "abc", maxTokens: 9, ...whole });
    await engine.allEnded();
    expect(places(ofAnswer(generation))).toEqual([
      ["d", -3],
      ["e", -4],
      ["", -5],
    ]);
    expect(generation.finalEvent).toMatchObject({ reason: "stop", usage: { completionTokens: 3 } });
  });

  test("including the tokens of a stop string", async () => {
    const engine = new SimulatedEngine();
    const generation = engine.start({ prompt: "abc", maxTokens: 9, stop: ["fg"], ...whole });
    await engine.allEnded();
    expect(generation.text).toBe("de");
    expect(places(ofAnswer(generation))).toEqual(expected("defg", 3));
  });
});

const requests = fc.array(
  fc.record({
    prompt: fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 40 }),
    maxTokens: fc.nat(4),
    scored: fc.boolean(),
    limitedBy: fc.constantFrom("request" as const, "context" as const),
  }),
  { minLength: 1, maxLength: 8 },
);

const engines: fc.Arbitrary<SimulatedEngineOptions> = fc.record({
  slots: fc.integer({ min: 1, max: 4 }),
  maxOutputs: fc.integer({ min: 4, max: 9 }),
  cells: fc.constantFrom(undefined, 120),
  mixing: fc.constantFrom("mixed" as const, "separate" as const),
  speculation: fc.constantFrom("auto" as const, "off" as const),
  maxStoredTokens: fc.constantFrom(0, 300),
});

test("prompts are scored completely, for any concurrent work and cached parts", async () => {
  await fc.assert(
    fc.asyncProperty(engines, requests, async (options, all) => {
      const engine = new SimulatedEngine(options);
      const started = all.map(({ scored, ...request }) => ({
        ...request,
        scored,
        generation: engine.start({ ...request, ...(scored && whole) }),
      }));
      await engine.allEnded();
      expect(engine.failures).toEqual([]);
      for (const { generation, prompt, maxTokens, scored } of started) {
        expect(generation.endings).toEqual(["finished"]);
        expect(places(ofPrompt(generation))).toEqual(scored ? expected(prompt) : []);
        expect(generation.text).toHaveLength(maxTokens);
        if (scored) expect(ofAnswer(generation)).toHaveLength(maxTokens);
      }
      await engine.close();
    }),
    { numRuns: 100 },
  );
});
