import { describe, expect, test } from "vitest";
import { samplerConfig, variesBetweenTokens } from "../../../src/engine/native/sampler-config.js";
import { greedy, type SamplingOptions } from "../../../src/engine/sampling/sampling-options.js";

const options = (fields: Partial<SamplingOptions> = {}): SamplingOptions => ({
  ...greedy,
  temperature: 0.5,
  topP: 0.9,
  topK: 30,
  minP: 0.1,
  seed: 7,
  ...fields,
});
const forbiddenUntil = (until: number) => ({ forbidden: [{ tokens: new Set([99]), until }] });
const dry = { multiplier: 1, base: 2, allowedLength: 1, window: 64, breakers: new Map() };
const config = (fields: Partial<SamplingOptions> = {}, generated: number[] = []) =>
  samplerConfig({ options: options(fields), promptTokens: [1, 2, 3], generated });

describe("the native sampler's configuration", () => {
  test("contains only the requested settings", () => {
    expect(config()).toEqual({ temperature: 0.5, topP: 0.9, topK: 30, minP: 0.1, seed: 7 });
  });

  test("contains the logit biases in single precision", () => {
    const logitBias = new Map([
      [5, 1.5],
      [6, Number.NEGATIVE_INFINITY],
    ]);
    expect(config({ logitBias })).toMatchObject({
      tokenBiasKeys: Uint32Array.from([5, 6]),
      tokenBiasValues: Float32Array.from([1.5, Number.NEGATIVE_INFINITY]),
    });
  });

  test("forbids tokens until the minimum number has been generated", () => {
    const fields = forbiddenUntil(2);
    expect(config(fields, [1]).tokenBiasKeys).toEqual(Uint32Array.from([99]));
    expect(config(fields, [1, 1]).tokenBiasKeys).toBeUndefined();
  });

  test("contains the penalised tokens, and a window that covers all of them", () => {
    const penalties = {
      repetition: 1,
      presence: 0.5,
      frequency: 0.25,
      window: "generated",
    } as const;
    expect(config({ penalties }, [8, 9])).toMatchObject({
      repeatPenaltyTokens: Uint32Array.from([8, 9]),
      repeatPenaltyMaxTokens: 64,
      repeatPenalty: 1,
      repeatPenaltyPresencePenalty: 0.5,
      repeatPenaltyFrequencyPenalty: 0.25,
    });
    const long = Array.from({ length: 200 }, (_, index) => index);
    expect(config({ penalties }, long).repeatPenaltyMaxTokens).toBe(256);
  });

  test("keeps the window of the penalties while an answer grows: the sampler is rebuilt when it changes", () => {
    const penalties = { repetition: 1, presence: 0.5, frequency: 0, window: "generated" } as const;
    const windows = Array.from({ length: 1000 }, (_, length) => {
      const generated = Array.from({ length }, (_, index) => index);
      const { repeatPenaltyMaxTokens = 0 } = config({ penalties }, generated);
      expect(repeatPenaltyMaxTokens).toBeGreaterThanOrEqual(length);
      return repeatPenaltyMaxTokens;
    });
    expect([...new Set(windows)]).toEqual([64, 128, 256, 512, 1024]);
  });

  test.each([
    [10, 10],
    [64, 64],
    [100, 64],
    [100, 100],
    [Number.POSITIVE_INFINITY, 128],
  ])("slides a window of %d tokens along instead of rebuilding it", (window, capacity) => {
    const penalties = { repetition: 1.1, presence: 0, frequency: 0, window };
    const generated = Array.from({ length: capacity === 64 ? 50 : 120 }, (_, index) => index);
    expect(config({ penalties }, generated).repeatPenaltyMaxTokens).toBe(capacity);
  });

  test("subtracts DRY's penalties as biases, in addition to the request's", () => {
    const logitBias = new Map([
      [2, 0.5],
      [5, Number.NEGATIVE_INFINITY],
    ]);
    expect(config({ dry, logitBias }, [5, 9, 3, 1])).toMatchObject({
      tokenBiasKeys: Uint32Array.from([2, 5]),
      tokenBiasValues: Float32Array.from([-0.5, Number.NEGATIVE_INFINITY]),
    });
  });

  test("has XTC see what top-k, top-p and min-p leave also in greedy sampling", () => {
    const xtc = { probability: 1, threshold: 0.1 };
    expect(config({ xtc })).toMatchObject({
      temperature: 0.5,
      xtcProbability: 1,
      xtcThreshold: 0.1,
    });
    expect(config({ xtc, temperature: 0 }).temperature).toBeGreaterThan(0);
    expect(config({ temperature: 0 }).temperature).toBe(0);
  });

  test("leaves a top_k without limit out: the native sampler would sort the whole vocabulary", () => {
    expect(config({ topK: 0 })).toEqual({ temperature: 0.5, topP: 0.9, minP: 0.1, seed: 7 });
    expect(config({ topK: -1 })).toEqual({ temperature: 0.5, topP: 0.9, minP: 0.1, seed: 7 });
  });

  test.each<[string, Partial<SamplingOptions>, boolean]>([
    ["the defaults", {}, false],
    ["a bias", { logitBias: new Map([[1, 1]]) }, false],
    ["tokens that are always forbidden", forbiddenUntil(Number.POSITIVE_INFINITY), false],
    ["tokens that are forbidden at first", forbiddenUntil(3), true],
    [
      "penalties",
      { penalties: { repetition: 1, presence: 1, frequency: 0, window: "generated" } },
      true,
    ],
    ["DRY", { dry }, true],
    ["XTC", { xtc: { probability: 1, threshold: 0.1 } }, false],
  ])("with %s varies between tokens: %s", (_, fields, varies) => {
    expect(variesBetweenTokens(options(fields))).toBe(varies);
  });
});
