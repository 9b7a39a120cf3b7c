import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type {
  SamplingParameters,
  StoppingParameters,
} from "../../../src/core/generation-request.js";
import { SAMPLERS } from "../../../src/core/samplers.js";
import { type SamplingDefaults, samplingDefaults } from "../../../src/core/sampling-table.js";
import {
  normaliseSeed,
  resolveSampling,
  type SamplingOptions,
} from "../../../src/engine/sampling/sampling-options.js";

const END_TOKENS = new Set([7, 8]);

function resolve(
  sampling: SamplingParameters,
  {
    recommended = {},
    stopping = {},
    fallbackSeed = 5,
  }: {
    recommended?: SamplingDefaults;
    stopping?: Partial<StoppingParameters>;
    fallbackSeed?: number;
  } = {},
) {
  return resolveSampling({
    sampling,
    stopping: { minTokens: 0, stop: [], ignoreEos: false, ...stopping },
    defaults: recommended,
    endOfGeneration: END_TOKENS,
    fallbackSeed,
    breakersIn: (texts) => new Map(texts.map((text) => [text.charCodeAt(0), [[]]])),
  });
}

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
  const requested = { temperature: 0, topK: 0, topP: 1, minP: 0 };

  test.each([
    ["llama.cpp's defaults", {}, {}, samplingDefaults],
    ["the model's recommendation", {}, recommended, recommended],
    ["the request's values, zero included", requested, recommended, requested],
    [
      "each value independently",
      { temperature: 0 },
      { topK: 20 },
      { ...samplingDefaults, temperature: 0, topK: 20 },
    ],
  ])("uses %s", (_, sampling, recommendation, expected) => {
    expect(resolve(sampling, { recommended: recommendation })).toMatchObject(expected);
  });

  test.each<[string, SamplingParameters, SamplingDefaults, Partial<SamplingOptions>]>([
    [
      "each sampler field independently",
      { xtcProbability: 0.5, xtcThreshold: undefined },
      { xtcProbability: 1, xtcThreshold: 0.2 },
      { xtcProbability: 0.5, xtcThreshold: 0.2 },
    ],
    [
      "no sampler that the request turns off",
      { xtcProbability: 0 },
      { xtcProbability: 1 },
      { xtcProbability: 0 },
    ],
    [
      "the model's mirostat version with the request's target entropy",
      { mirostatEnt: 3 },
      { mirostat: 2, mirostatLr: 0.2 },
      { mirostat: 2, mirostatEnt: 3, mirostatLr: 0.2 },
    ],
    ["no mirostat if the request turns it off", { mirostat: 0 }, { mirostat: 2 }, { mirostat: 0 }],
    [
      "the model's penalties",
      { presencePenalty: 0 },
      { presencePenalty: 1, repeatPenalty: 1.2, repeatLastN: 8 },
      { penalties: { repetition: 1.2, presence: 0, frequency: 0, window: 8 } },
    ],
    [
      "the model's sampler order, also for the request's values",
      { topK: 3, minP: 0.3 },
      { samplers: ["temperature", "top_k"], temperature: 0.6 },
      { samplers: ["temperature", "top_k"], topK: 3, minP: 0.3, temperature: 0.6 },
    ],
    [
      "the model's adaptive-p",
      { samplers: ["adaptive_p"] },
      { adaptiveTarget: 0.4 },
      { adaptiveTarget: 0.4, adaptiveDecay: 0.9, samplers: ["adaptive_p"] },
    ],
    [
      "no adaptive-p unless the samplers include it",
      {},
      { adaptiveTarget: 0.4 },
      { samplers: SAMPLERS },
    ],
    [
      "the model's dynamic temperature",
      { dynatempExp: 2 },
      { dynatempRange: 0.5 },
      { dynatempRange: 0.5, dynatempExp: 2 },
    ],
    [
      "no dynamic temperature if the request sets its range to 0",
      { dynatempRange: 0 },
      { dynatempRange: 0.5 },
      { dynatempRange: 0 },
    ],
  ])("resolves samplers to %s", (_, sampling, recommended, expected) => {
    expect(resolve(sampling, { recommended })).toMatchObject(expected);
  });

  test("uses the request's seed (including 0) or else the fallback, normalised", () => {
    expect(resolve({ seed: 0 }).seed).toBe(0);
    expect(resolve({ seed: -1 }).seed).toBe(0xffff_fffe);
    expect(resolve({}, { fallbackSeed: 0xffff_ffff }).seed).toBe(0xffff_fffe);
  });

  const off = { repetition: 1, presence: 0, frequency: 0 };

  test.each<[SamplingParameters, ReturnType<typeof resolve>["penalties"]]>([
    [{}, undefined],
    [{ repeatPenalty: 1, presencePenalty: 0, frequencyPenalty: 0 }, undefined],
    [{ repeatPenalty: 1.1 }, { ...off, repetition: 1.1, window: 64 }],
    [{ presencePenalty: -0.5 }, { ...off, presence: -0.5, window: "generated" }],
    [{ frequencyPenalty: 2 }, { ...off, frequency: 2, window: "generated" }],
    [
      { frequencyPenalty: 2, repeatLastN: 5 },
      { ...off, frequency: 2, window: 5 },
    ],
    [
      { repeatPenalty: 2, repeatLastN: 5 },
      { ...off, repetition: 2, window: 5 },
    ],
    [{ repeatPenalty: 2, presencePenalty: 1, repeatLastN: 0 }, undefined],
    [{ repeatLastN: 5 }, undefined],
    [
      { presencePenalty: 1, repeatLastN: -1 },
      { ...off, presence: 1, window: Number.POSITIVE_INFINITY },
    ],
  ])("converts the penalties %j to %j", (sampling, penalties) => {
    expect(resolve(sampling).penalties).toEqual(penalties);
  });

  const breakersOf = (texts: string) =>
    new Map([...texts].map((text) => [text.charCodeAt(0), [[]]]));

  test.each<[SamplingParameters, Partial<SamplingOptions>]>([
    [
      { dryMultiplier: 0.8 },
      {
        ...{ dryMultiplier: 0.8, dryBase: 1.75, dryAllowedLength: 2, dryPenaltyLastN: 64 },
        breakers: breakersOf('\n:"*'),
      },
    ],
    [
      { dryMultiplier: 1, dryBase: undefined, dryPenaltyLastN: undefined },
      {
        ...{ dryMultiplier: 1, dryBase: 1.75, dryAllowedLength: 2, dryPenaltyLastN: 64 },
        breakers: breakersOf('\n:"*'),
      },
    ],
    [
      {
        ...{ dryMultiplier: 1, dryBase: 2, dryAllowedLength: 0, dryPenaltyLastN: 9 },
        drySequenceBreakers: ["a"],
      },
      {
        ...{ dryMultiplier: 1, dryBase: 2, dryAllowedLength: 0, dryPenaltyLastN: 9 },
        breakers: breakersOf("a"),
      },
    ],
    [
      { dryMultiplier: 1, dryPenaltyLastN: -1, dryBase: 1 },
      { dryPenaltyLastN: -1, dryBase: 1, breakers: breakersOf('\n:"*') },
    ],
    [
      { dryMultiplier: 1, dryBase: 0.99 },
      { dryBase: 1.75, breakers: breakersOf('\n:"*') },
    ],
    [{ dryMultiplier: 0 }, { breakers: undefined }],
    [{ dryMultiplier: 1, dryPenaltyLastN: 0 }, { breakers: undefined }],
    [{ dryMultiplier: 1, samplers: ["top_k"] }, { breakers: undefined }],
  ])("completes DRY's parameters %j with llama.cpp's defaults", (dry, expected) => {
    expect(resolve(dry)).toMatchObject(expected);
  });

  test.each<[SamplingParameters, Partial<SamplingOptions>]>([
    [{ xtcProbability: 0.5 }, { xtcProbability: 0.5, xtcThreshold: 0.1 }],
    [
      { xtcProbability: 0.5, xtcThreshold: 0.5 },
      { xtcProbability: 0.5, xtcThreshold: 0.5 },
    ],
  ])("completes XTC's parameters %j", (xtc, expected) => {
    expect(resolve(xtc)).toMatchObject(expected);
  });
});
