import { describe, expect, test } from "vitest";
import type { GenerationEvent } from "../../src/core/generation-event.js";
import { GeneratedText } from "../../src/engine/generated-text.js";
import { OutputParser } from "../../src/engine/output-parser.js";
import { RunningGeneration } from "../../src/engine/running-generation.js";
import { resolveSampling } from "../../src/engine/sampling-options.js";
import { alphabetModel, asText, bytesOf, END, tokensOf } from "./simulated-engine.js";
import { SimulatedSequence, Simulation } from "./simulated-sequence.js";

async function run(prompt: string, { cachedTokens = 0, maxTokens = 10 } = {}) {
  const promptTokens = tokensOf(prompt);
  const stopping = { minTokens: 0, stop: [], ignoreEos: false };
  const endOfGeneration = new Set([END]);
  const events: GenerationEvent[] = [];
  const clock = { now: 100 };
  const sequence = new SimulatedSequence(3, new Simulation({ next: alphabetModel }));
  if (cachedTokens > 0) await sequence.prefill(promptTokens.slice(0, cachedTokens));
  const generation = new RunningGeneration({
    prepared: { id: "g", promptTokens, reading: asText, maxTokens, sampling: {}, stopping },
    emit: (event) => events.push(event),
    sequence,
    admitted: 9,
    cachedTokens,
    sampling: resolveSampling({
      sampling: {},
      stopping,
      recommended: {},
      endOfGeneration,
      fallbackSeed: 1,
    }),
    text: new GeneratedText({ bytesOf, stop: [], minTokens: 0 }),
    parser: new OutputParser(asText),
    endOfGeneration,
    now: () => clock.now,
  });
  return { generation, events, clock, sequence };
}

describe("RunningGeneration", () => {
  test("counts down the prompt from what is cached and then has a token", async () => {
    const { generation, sequence } = await run("abcdef", { cachedTokens: 1 });
    expect(generation.promptTokensLeft).toBe(5);
    expect(await generation.prefill(3)).toBeUndefined();
    expect(generation.promptTokensLeft).toBe(2);
    expect(await generation.prefill(2)).toBe(tokensOf("g")[0]);
    expect(generation.promptTokensLeft).toBe(0);
    expect(sequence.heldTokens).toEqual(tokensOf("abcdef"));
  });

  test("tells where its time went", async () => {
    const { generation, events, clock } = await run("abc");
    clock.now = 130;
    generation.accept(0);
    clock.now = 175;
    generation.accept(1);
    clock.now = 180;
    generation.finish("length");
    expect(events.at(-1)).toMatchObject({ timings: { prefillMs: 30, decodeMs: 50 } });
  });

  test("counts tokens in each event", async () => {
    const { generation, events } = await run("abcd", { cachedTokens: 2 });
    generation.accept(0);
    generation.accept(1);
    expect(generation.accept(END)).toBe("stop");
    generation.finish("stop");
    const counts = events.map((event) => "usage" in event && event.usage);
    expect(counts).toEqual(
      [1, 2, 3].map((completionTokens) => ({
        promptTokens: 4,
        cachedTokens: 2,
        completionTokens,
        reasoningTokens: 0,
      })),
    );
  });

  test("ends at its limit, not before and not after", async () => {
    const { generation } = await run("abc", { maxTokens: 2 });
    expect([generation.accept(0), generation.accept(1)]).toEqual([undefined, "length"]);
  });

  test("has stopped, and not run out of tokens, when its last token is an end token", async () => {
    const { generation } = await run("abc", { maxTokens: 1 });
    expect(generation.accept(END)).toBe("stop");
  });
});
