import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type {
  SamplingParameters,
  StoppingParameters,
} from "../../../src/core/generation-request.js";
import {
  activeBiases,
  DEFAULT_SAMPLING,
  normaliseSeed,
  penalisedTokens,
  type RecommendedSampling,
  resolveSampling,
} from "../../../src/engine/sampling/sampling-options.js";

const END_TOKENS = new Set([7, 8]);

function resolve(
  sampling: SamplingParameters,
  {
    recommended = {},
    stopping = {},
    fallbackSeed = 5,
  }: {
    recommended?: RecommendedSampling;
    stopping?: Partial<StoppingParameters>;
    fallbackSeed?: number;
  } = {},
) {
  return resolveSampling({
    sampling,
    stopping: { minTokens: 0, stop: [], ignoreEos: false, ...stopping },
    recommended,
    endOfGeneration: END_TOKENS,
    fallbackSeed,
  });
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index);

describe("normaliseSeed", () => {
  test.each([
    [0, 0],
    [42, 42],
    [0xffff_fffe, 0xffff_fffe],
    [0xffff_ffff, 0xffff_fffe],
    [2 ** 32, 0],
    [2 ** 32 + 1, 1],
    [-1, 0xffff_fffe],
    [-2, 0xffff_fffe],
    [-3, 0xffff_fffd],
    [-(2 ** 32), 0],
    [Number.MAX_SAFE_INTEGER, 0xffff_fffe],
    [Number.MIN_SAFE_INTEGER, 1],
  ])("maps %i to %i", (seed, native) => {
    expect(normaliseSeed(seed)).toBe(native);
  });

  test("maps every integer to 32 bits, and never to the seed that means random", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (seed) => {
        const native = normaliseSeed(seed);
        expect(native).toBeGreaterThanOrEqual(0);
        expect(native).toBeLessThan(0xffff_ffff);
        expect(Number.isInteger(native)).toBe(true);
        expect(normaliseSeed(seed)).toBe(native);
      }),
    );
  });
});

describe("resolveSampling", () => {
  const recommended = { temperature: 0.6, topK: 20, topP: 0.9, minP: 0.01 };
  const asked = { temperature: 0, topK: 0, topP: 1, minP: 0 };

  test.each([
    ["llama.cpp's defaults", {}, {}, DEFAULT_SAMPLING],
    ["the model's recommendation", {}, recommended, recommended],
    ["what the request says, zero included", asked, recommended, asked],
    [
      "each value by itself",
      { temperature: 0 },
      { topK: 20 },
      { ...DEFAULT_SAMPLING, temperature: 0, topK: 20 },
    ],
  ])("takes %s", (_, sampling, recommendation, expected) => {
    expect(resolve(sampling, { recommended: recommendation })).toMatchObject(expected);
  });

  test("has llama.cpp's values as defaults", () => {
    expect(DEFAULT_SAMPLING).toEqual({ temperature: 0.8, topK: 40, topP: 0.95, minP: 0.05 });
  });

  test("takes the seed of the request, 0 included, else the fallback, as the sampler reads it", () => {
    expect(resolve({ seed: 0 }).seed).toBe(0);
    expect(resolve({ seed: -1 }).seed).toBe(0xffff_fffe);
    expect(resolve({}, { fallbackSeed: 0xffff_ffff }).seed).toBe(0xffff_fffe);
  });

  test.each<[SamplingParameters, ReturnType<typeof resolve>["penalties"]]>([
    [{}, undefined],
    [{ repetitionPenalty: 1, presencePenalty: 0, frequencyPenalty: 0 }, undefined],
    [{ repetitionPenalty: 1.1 }, { repetition: 1.1, presence: 0, frequency: 0 }],
    [{ presencePenalty: -0.5 }, { repetition: 1, presence: -0.5, frequency: 0 }],
    [{ frequencyPenalty: 2 }, { repetition: 1, presence: 0, frequency: 2 }],
  ])("turns the penalties %j into %j", (sampling, penalties) => {
    expect(resolve(sampling).penalties).toEqual(penalties);
  });
});

describe("penalisedTokens", () => {
  const prompt = range(0, 100);
  const outputPenalty = { repetition: 1, presence: 1, frequency: 1 };
  const repetitionPenalty = { repetition: 1.1, presence: 0, frequency: 0 };

  test.each([
    ["nothing before the first token", outputPenalty, [], []],
    ["all that has been generated", outputPenalty, range(200, 300), range(200, 300)],
    ["the last 64 prompt tokens", repetitionPenalty, [], range(36, 100)],
    ["64 tokens across the border", repetitionPenalty, [200, 201], [...range(38, 100), 200, 201]],
    ["one prompt token", repetitionPenalty, range(200, 263), [99, ...range(200, 263)]],
    ["no prompt token", repetitionPenalty, range(200, 264), range(200, 264)],
    ["the last 64 generated tokens", repetitionPenalty, range(200, 300), range(236, 300)],
  ])("are %s", (_, penalties, generated, expected) => {
    expect(penalisedTokens(penalties, prompt, generated)).toEqual(expected);
  });

  test("are the whole of a short prompt", () => {
    expect(penalisedTokens(repetitionPenalty, [1, 2], [3])).toEqual([1, 2, 3]);
  });
});

describe("activeBiases", () => {
  const NEVER = Number.NEGATIVE_INFINITY;
  const forbidden = [
    [7, NEVER],
    [8, NEVER],
  ] as const;

  test.each([
    ["none without a wish", {}, 0, []],
    ["end tokens below the least number", { minTokens: 3 }, 2, forbidden],
    ["no end tokens from the least number on", { minTokens: 3 }, 3, []],
    ["end tokens for ever when they are ignored", { ignoreEos: true }, 1_000_000, forbidden],
  ])("are %s", (_, stopping, generated, expected) => {
    const biases = activeBiases(resolve({}, { stopping }), generated);
    expect([...biases]).toEqual(expected);
  });

  test("keep the request's own, which cannot allow a forbidden token", () => {
    const logitBias = new Map([
      [7, 100],
      [9, -1],
    ]);
    const options = resolve({ logitBias }, { stopping: { minTokens: 1 } });
    const first = new Map([[9, -1], ...forbidden]);
    expect(activeBiases(options, 0)).toEqual(first);
    expect(activeBiases(options, 1)).toEqual(logitBias);
  });
});
