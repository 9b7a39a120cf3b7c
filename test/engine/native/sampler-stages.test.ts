import { describe, expect, it } from "vitest";
import { SAMPLERS } from "../../../src/core/samplers.js";
import { describeSampler } from "../../../src/engine/native/sampler-stages.js";
import {
  greedySampling,
  type SamplingOptions,
} from "../../../src/engine/sampling/sampling-options.js";

const MAX_TOKENS = 1000;
const hot = { ...greedySampling, temperature: 0.7, seed: 5 };

const describeOf = (options: Partial<SamplingOptions>, promptTokens: readonly number[] = []) =>
  describeSampler(
    { options: { ...hot, ...options }, promptTokens, generated: [] },
    { maxTokens: MAX_TOKENS, vocabulary: 512 },
  );
const stagesOf = (options: Partial<SamplingOptions>) =>
  describeOf(options).stages.map(({ type }) => type);

const everything: Partial<SamplingOptions> = {
  penalties: { repetition: 1.1, presence: 0, frequency: 0, window: 64 },
  dryMultiplier: 1,
  dryBase: 2,
  dryAllowedLength: 1,
  dryPenaltyLastN: 64,
  breakers: new Map(),
  topNSigma: 2,
  topK: 40,
  typicalP: 0.9,
  topP: 0.9,
  minP: 0.1,
  xtcProbability: 0.5,
  xtcThreshold: 0.1,
};

describe("the stages of a sampler chain", () => {
  it("default to llama.cpp's stages and order, and end with the stage that selects a token", () => {
    expect(stagesOf(everything)).toEqual([
      ...["penalties", "dry", "top-n-sigma", "top-k", "typical-p", "top-p", "min-p", "xtc"],
      ...["temperature", "distribution"],
    ]);
    expect(stagesOf({})).toEqual(["temperature", "distribution"]);
  });

  it("are the requested samplers, in the requested order", () => {
    const samplers = ["temperature", "min_p", "penalties"] as const;
    expect(stagesOf({ ...everything, samplers })).toEqual([
      ...["temperature", "min-p", "penalties", "distribution"],
    ]);
    expect(stagesOf({ ...everything, samplers: [] })).toEqual(["distribution"]);
  });

  it.each<readonly [string, Partial<SamplingOptions>]>([
    ["penalties", { penalties: undefined }],
    ["dry", { breakers: undefined }],
    ["top-n-sigma", { topNSigma: 0 }],
    ["top-n-sigma", { topNSigma: -1 }],
    ["top-k", { topK: 0 }],
    ["top-k", { topK: -1 }],
    ["typical-p", { typicalP: 1 }],
    ["typical-p", { typicalP: 2 }],
    ["top-p", { topP: 1 }],
    ["min-p", { minP: 0 }],
    ["xtc", { xtcProbability: 0 }],
    ["xtc", { xtcThreshold: 0.51 }],
  ])("omit %s if it has no effect: %j", (type, off) => {
    const stages = stagesOf(everything);
    expect(stages).toContain(type);
    expect(stagesOf({ ...everything, ...off })).toEqual(stages.filter((one) => one !== type));
  });

  it("include XTC up to a threshold of 0.5", () => {
    const { stages } = describeOf({ xtcProbability: 0.5, xtcThreshold: 0.5, minKeep: 2 });
    expect(stages[0]).toEqual({
      type: "xtc",
      probability: 0.5,
      threshold: 0.5,
      minKeep: 2,
      seed: 5,
    });
  });

  it("include dynamic temperature only if the requested samplers include temperature", () => {
    const dynamic = { dynatempRange: 0.5, dynatempExp: 2 };
    expect(describeOf(dynamic).stages[0]).toEqual({
      type: "temperature",
      ...{ temperature: 0.7, range: 0.5, exponent: 2 },
    });
    expect(stagesOf({ ...dynamic, samplers: ["top_k"] })).toEqual(["distribution"]);
  });

  it("end with a greedy stage if only the most probable token can be sampled", () => {
    const cold = { ...everything, temperature: 0, xtcProbability: 0, typicalP: 1 };
    expect(stagesOf(cold)).toEqual(["penalties", "dry", "greedy"]);
  });

  it.each<readonly [string, Partial<SamplingOptions>]>([
    ["XTC", { xtcProbability: 0.5, xtcThreshold: 0.1 }],
    ["typical-p", { typicalP: 0.5 }],
    ["dynamic temperature", { dynatempRange: 0.5, dynatempExp: 1 }],
    ["adaptive-p", { samplers: [...SAMPLERS, "adaptive_p"], adaptiveTarget: 0.5 }],
    [
      "penalties after the temperature",
      { ...everything, xtcProbability: 0, typicalP: 1, samplers: ["temperature", "penalties"] },
    ],
    ["no temperature stage", { samplers: ["top_k"] }],
  ])("are not reduced to the greedy stage at temperature 0 with %s", (_, options) => {
    expect(stagesOf({ ...options, temperature: 0 })).not.toContain("greedy");
  });

  it("consist of the temperature and mirostat if mirostat is enabled", () => {
    const mirostat = { ...everything, mirostat: 2, mirostatEnt: 4, mirostatLr: 0.2 } as const;
    const dynamic = { dynatempRange: 0.5, samplers: [] };
    expect(describeOf({ ...mirostat, ...dynamic }).stages).toEqual(describeOf(mirostat).stages);
    expect(describeOf(mirostat).stages).toEqual([
      { type: "temperature", temperature: 0.7, range: 0, exponent: 1 },
      { type: "mirostat-2", tau: 4, eta: 0.2, seed: 5 },
    ]);
    const first = describeOf({ ...mirostat, mirostat: 1 }).stages;
    expect(first.at(-1)).toMatchObject({ type: "mirostat" });
  });

  it("end with adaptive-p if it is enabled", () => {
    const adaptive = { adaptiveTarget: 0.3, adaptiveDecay: 0.8 };
    const samplers = ["adaptive_p", "top_k"] as const;
    expect(describeOf({ ...adaptive, topK: 40, samplers }).stages).toEqual([
      { type: "top-k", k: 40 },
      { type: "adaptive-p", target: 0.3, decay: 0.8, seed: 5 },
    ]);
    expect(stagesOf({ ...adaptive, topK: 40 })).toEqual(["top-k", "temperature", "distribution"]);
  });

  it("receive as many of the last prompt tokens as the penalties need", () => {
    const prompt = Array.from({ length: 100 }, (_, token) => token);
    const [penalties, dry] = describeOf(everything, prompt).stages;
    for (const stage of [penalties, dry]) {
      expect(stage).toMatchObject({ window: 64, history: Int32Array.from(prompt.slice(-64)) });
    }
    const generated = { repetition: 1, presence: 1, frequency: 0, window: "generated" } as const;
    const [own] = describeOf({ penalties: generated }, prompt).stages;
    expect(own).toMatchObject({ window: MAX_TOKENS, history: new Int32Array() });
  });

  it("clamp numbers to the range of llama.cpp's integers", () => {
    const huge = 2 ** 40;
    const { stages, biasTokens, forbidden } = describeOf({
      ...everything,
      topK: huge,
      minKeep: huge,
      dryMultiplier: 1,
      dryBase: 2,
      dryAllowedLength: huge,
      dryPenaltyLastN: -1,
      breakers: new Map(),
      logitBias: new Map([
        [huge + 5, 1],
        [6, 1],
      ]),
      forbidden: [{ tokens: new Set([huge + 7, 8]), until: Number.POSITIVE_INFINITY }],
    });
    expect(stages).toContainEqual({ type: "top-k", k: 2 ** 31 - 1 });
    expect(stages).toContainEqual({ type: "top-p", p: 0.9, minKeep: 2 ** 31 - 1 });
    expect(stages).toContainEqual(
      expect.objectContaining({ type: "dry", allowedLength: 2 ** 31 - 1, window: MAX_TOKENS }),
    );
    expect([...biasTokens]).toEqual([6]);
    expect(forbidden).toEqual([{ tokens: Int32Array.of(8), until: MAX_TOKENS }]);
  });
});
