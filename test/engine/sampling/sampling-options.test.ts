import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type {
  DryParameters,
  SamplingDefaults,
  SamplingParameters,
  StoppingParameters,
  XtcParameters,
} from "../../../src/core/generation-request.js";
import {
  DEFAULT_SAMPLING,
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
    ["llama.cpp's defaults", {}, {}, DEFAULT_SAMPLING],
    ["the model's recommendation", {}, recommended, recommended],
    ["the request's values, zero included", requested, recommended, requested],
    [
      "each value independently",
      { temperature: 0 },
      { topK: 20 },
      { ...DEFAULT_SAMPLING, temperature: 0, topK: 20 },
    ],
  ])("takes %s", (_, sampling, recommendation, expected) => {
    expect(resolve(sampling, { recommended: recommendation })).toMatchObject(expected);
  });

  test.each<[string, SamplingParameters, SamplingDefaults, Partial<SamplingOptions>]>([
    [
      "of samplers' fields each by itself",
      { xtc: { probability: 0.5, threshold: undefined } },
      { xtc: { probability: 1, threshold: 0.2 } },
      { xtc: { probability: 0.5, threshold: 0.2 } },
    ],
    [
      "what a request turns off as off",
      { xtc: { probability: 0 } },
      { xtc: { probability: 1 } },
      { xtc: undefined },
    ],
    [
      "a version of mirostat with the request's target",
      { mirostat: { tau: 3 } },
      { mirostat: { version: 2, eta: 0.2 } },
      { mirostat: { version: 2, tau: 3, eta: 0.2 } },
    ],
    [
      "mirostat off",
      { mirostat: { version: 0 } },
      { mirostat: { version: 2 } },
      { mirostat: undefined },
    ],
    [
      "the model's penalties",
      { presencePenalty: 0 },
      { presencePenalty: 1, repetitionPenalty: 1.2, penaltyWindow: 8 },
      { penalties: { repetition: 1.2, presence: 0, frequency: 0, window: 8 } },
    ],
    [
      "the model's samplers, for a request's values as well",
      { topK: 3, minP: 0.3 },
      { samplers: ["temperature", "top_k"], temperature: 0.6 },
      { samplers: ["temperature", "top_k"], topK: 3, minP: 0, topP: 1, temperature: 0.6 },
    ],
    [
      "adaptive-p where the samplers name it",
      { samplers: ["adaptive_p"] },
      { adaptiveP: { target: 0.4 } },
      { adaptiveP: { target: 0.4, decay: 0.9 }, samplers: [] },
    ],
    ["nothing of it elsewhere", {}, { adaptiveP: { target: 0.4 } }, { adaptiveP: undefined }],
    [
      "a dynamic temperature of the model",
      { dynamicTemperature: { exponent: 2 } },
      { dynamicTemperature: { range: 0.5 } },
      { dynamicTemperature: { range: 0.5, exponent: 2 } },
    ],
    [
      "none if its range is turned off",
      { dynamicTemperature: { range: 0 } },
      { dynamicTemperature: { range: 0.5 } },
      { dynamicTemperature: undefined },
    ],
  ])("takes %s", (_, sampling, recommended, expected) => {
    expect(resolve(sampling, { recommended })).toMatchObject(expected);
  });

  test.each<[SamplingParameters, Partial<SamplingOptions>]>([
    [
      {
        samplers: [],
        ...{ temperature: 0, repetitionPenalty: 2, presencePenalty: 1, frequencyPenalty: 1 },
        ...{ dry: { multiplier: 1 }, xtc: { probability: 1 }, typicalP: 0.5, topNSigma: 1 },
        ...{ dynamicTemperature: { range: 0.5 }, adaptiveP: { target: 0.5 } },
      },
      {
        ...{ temperature: 1, topK: 0, topP: 1, minP: 0, typicalP: 1, topNSigma: 0, samplers: [] },
        ...{ penalties: undefined, dry: undefined, xtc: undefined, adaptiveP: undefined },
        dynamicTemperature: undefined,
      },
    ],
    [
      { samplers: ["top_k"], temperature: 0.5, mirostat: { version: 2 } },
      { temperature: 0.5, topK: 40, topP: 1 },
    ],
  ])("turns samplers off that are not named: %j", (sampling, expected) => {
    expect(resolve(sampling)).toMatchObject(expected);
  });

  test("has llama.cpp's values as defaults", () => {
    expect(DEFAULT_SAMPLING).toEqual({ temperature: 0.8, topK: 40, topP: 0.95, minP: 0.05 });
  });

  test("takes the request's seed, 0 included, otherwise the fallback, and normalises it", () => {
    expect(resolve({ seed: 0 }).seed).toBe(0);
    expect(resolve({ seed: -1 }).seed).toBe(0xffff_fffe);
    expect(resolve({}, { fallbackSeed: 0xffff_ffff }).seed).toBe(0xffff_fffe);
  });

  const off = { repetition: 1, presence: 0, frequency: 0 };

  test.each<[SamplingParameters, ReturnType<typeof resolve>["penalties"]]>([
    [{}, undefined],
    [{ repetitionPenalty: 1, presencePenalty: 0, frequencyPenalty: 0 }, undefined],
    [{ repetitionPenalty: 1.1 }, { ...off, repetition: 1.1, window: 64 }],
    [{ presencePenalty: -0.5 }, { ...off, presence: -0.5, window: "generated" }],
    [{ frequencyPenalty: 2 }, { ...off, frequency: 2, window: "generated" }],
    [
      { frequencyPenalty: 2, penaltyWindow: 5 },
      { ...off, frequency: 2, window: 5 },
    ],
    [
      { repetitionPenalty: 2, penaltyWindow: 5 },
      { ...off, repetition: 2, window: 5 },
    ],
    [{ repetitionPenalty: 2, presencePenalty: 1, penaltyWindow: 0 }, undefined],
    [{ penaltyWindow: 5 }, undefined],
  ])("turns the penalties %j into %j", (sampling, penalties) => {
    expect(resolve(sampling).penalties).toEqual(penalties);
  });

  const breakersOf = (texts: string) =>
    new Map([...texts].map((text) => [text.charCodeAt(0), [[]]]));

  test.each<[DryParameters, ReturnType<typeof resolve>["dry"]]>([
    [
      { multiplier: 0.8 },
      { multiplier: 0.8, base: 1.75, allowedLength: 2, window: 64, breakers: breakersOf('\n:"*') },
    ],
    [
      { multiplier: 1, base: undefined, window: undefined },
      { multiplier: 1, base: 1.75, allowedLength: 2, window: 64, breakers: breakersOf('\n:"*') },
    ],
    [
      { multiplier: 1, base: 2, allowedLength: 0, window: 9, sequenceBreakers: ["a"] },
      { multiplier: 1, base: 2, allowedLength: 0, window: 9, breakers: breakersOf("a") },
    ],
    [{ multiplier: 0 }, undefined],
    [{ multiplier: 1, window: 0 }, undefined],
  ])("completes DRY's parameters %j with llama.cpp's defaults", (dry, expected) => {
    expect(resolve({ dry }).dry).toEqual(expected);
  });

  test.each<[XtcParameters, ReturnType<typeof resolve>["xtc"]]>([
    [{ probability: 0.5 }, { probability: 0.5, threshold: 0.1 }],
    [
      { probability: 0.5, threshold: 0.5 },
      { probability: 0.5, threshold: 0.5 },
    ],
    [{ probability: 0.5, threshold: 0.51 }, undefined],
    [{ probability: 0 }, undefined],
  ])("turns XTC's parameters %j into %j", (xtc, expected) => {
    expect(resolve({ xtc }).xtc).toEqual(expected);
  });
});
