import { describe, expect, it } from "vitest";
import { SAMPLERS } from "../../../src/core/samplers.js";
import { describeSampler } from "../../../src/engine/native/sampler-stages.js";
import {
  greedySampling,
  type SamplingOptions,
} from "../../../src/engine/sampling/sampling-options.js";

const limits = { maxTokens: 5000, vocabulary: 2000 };
const usual = { ...greedySampling, temperature: 0.8, topK: 40, topP: 0.95, minP: 0.05, seed: 5 };

const kindOf = (options: Partial<SamplingOptions>, promptTokens: readonly number[] = []) =>
  describeSampler({ options: { ...usual, ...options }, promptTokens, generated: [] }, limits)
    .onDevice;

const penalties = { repetition: 1.1, presence: 0, frequency: 0.2, window: 64 } as const;
const endless = [{ tokens: new Set([2, 3]), until: Number.POSITIVE_INFINITY }];
const biasesOf = (count: number, bias = 1) =>
  new Map(Array.from({ length: count }, (_, token) => [token, bias]));

describe("samplers supported on a device", () => {
  it.each<[string, Partial<SamplingOptions>]>([
    ["the default samplers", {}],
    ["greedy sampling", { temperature: 0 }],
    ["top_k alone", { topP: 1, minP: 0, temperature: 1 }],
    ["a constant temperature", { dynatempRange: -1 }],
    ["an adaptive-p target without the sampler", { adaptiveTarget: 0.5 }],
    ["another order", { samplers: ["temperature", "top_k", "min_p", "top_p"] }],
    ["penalties", { penalties }],
    ["biases", { logitBias: biasesOf(500) }],
    ["a token with a bias of minus infinity", { logitBias: biasesOf(1, Number.NEGATIVE_INFINITY) }],
    ["tokens that are always forbidden", { forbidden: endless }],
    ["the maximum number of candidates", { topK: 1024 }],
    ["a minimum of one candidate", { minKeep: 1 }],
  ])("include %s", (_, options) => {
    expect(kindOf(options, [1, 2, 3])).toBeTypeOf("string");
  });

  it("are compared by everything except their seed and accepted tokens", () => {
    const kinds = [
      {},
      { temperature: 0.7 },
      { topK: 41 },
      { topP: 0.9 },
      { minP: 0.06 },
      { penalties },
      { penalties: { ...penalties, window: 65 } },
      { penalties: { ...penalties, repetition: 1.2 } },
      { logitBias: biasesOf(1) },
      { logitBias: biasesOf(1, 2) },
      { forbidden: endless },
      { temperature: 0 },
      { samplers: ["temperature", "top_k", "top_p", "min_p"] },
    ] satisfies Partial<SamplingOptions>[];
    expect(new Set(kinds.map((options) => kindOf(options))).size).toBe(kinds.length);
    expect(kindOf({ seed: 6 })).toBe(kindOf({}));
    expect(kindOf({ penalties }, [1, 2, 3])).toBe(kindOf({ penalties }));
  });
});

describe("samplers not supported on a device", () => {
  it.each<[string, Partial<SamplingOptions>, (readonly number[])?]>([
    ["top_n_sigma, which llama.cpp supports on the CPU only", { topNSigma: 1 }],
    ["typical_p", { typicalP: 0.9 }],
    ["XTC", { xtcProbability: 0.5, xtcThreshold: 0.1 }],
    ["mirostat", { mirostat: 2, mirostatEnt: 5, mirostatLr: 0.1 }],
    ["adaptive-p", { samplers: [...SAMPLERS, "adaptive_p"], adaptiveTarget: 0.5 }],
    [
      "DRY",
      {
        dryMultiplier: 1,
        dryBase: 2,
        dryAllowedLength: 1,
        dryPenaltyLastN: 9,
        breakers: new Map(),
      },
    ],
    ["a dynamic temperature", { dynatempRange: 0.5, dynatempExp: 1 }],
    ["a temperature that overflows", { temperature: 1e-20 }],
    ["no top_k", { topK: 0 }],
    ["top_p before top_k", { samplers: ["top_p", "top_k", "temperature"] }],
    ["more candidates than the maximum", { topK: 1025 }],
    ["more candidates than tokens", { topK: 2001 }],
    ["a minimum of several candidates", { minKeep: 2 }],
    ["min_p that may exclude all tokens", { minP: 1 }],
    ["penalties with a long window", { penalties: { ...penalties, window: 1025 } }],
    ["penalties of invalid tokens", { penalties }, [5, -1]],
    [
      "tokens that are forbidden at the beginning",
      { forbidden: [{ tokens: new Set([2]), until: 3 }] },
    ],
    ["biases for too many tokens", { logitBias: biasesOf(1001) }],
    ["an infinite bias", { logitBias: biasesOf(1, Number.POSITIVE_INFINITY) }],
  ])("include %s", (_, options, promptTokens) => {
    expect(kindOf(options, promptTokens)).toBeUndefined();
  });
});
