import { describe, expect, test } from "vitest";
import {
  buildRopeParams,
  computeScaledContextSize,
  type RopeSettings,
} from "../../../src/engine/native/rope.js";

describe("RoPE settings", () => {
  test.each<[RopeSettings, object]>([
    [{}, {}],
    [{ scaling: undefined }, {}],
    [{ scaling: "none" }, { ropeScaling: 0 }],
    [
      { scaling: "linear", scale: 4 },
      { ropeScaling: 1, ropeFreqScale: 0.25 },
    ],
    [
      { freqScale: 0.5, freqBase: 10_000 },
      { ropeFreqScale: 0.5, ropeFreqBase: 10_000 },
    ],
    [
      {
        ...{ scaling: "yarn", yarnOrigCtx: 4096, yarnExtFactor: 0 },
        ...{ yarnAttnFactor: 1, yarnBetaSlow: 2, yarnBetaFast: 32 },
      },
      {
        ...{ ropeScaling: 2, yarnOriginalContext: 4096, yarnExtFactor: 0 },
        ...{ yarnAttnFactor: 1, yarnBetaSlow: 2, yarnBetaFast: 32 },
      },
    ],
  ])("%j map to the context parameters %j", (settings, params) => {
    expect(buildRopeParams(settings)).toEqual(params);
  });

  test.each<[RopeSettings, number]>([
    [{}, 4096],
    [{ scale: 2 }, 8192],
    [{ freqScale: 0.5 }, 8192],
    [{ scaling: "linear", scale: 1.5 }, 6144],
    [{ scaling: "none", scale: 2 }, 4096],
    [{ scaling: "yarn", scale: 4 }, 8192],
    [{ scaling: "yarn", scale: 4, yarnOrigCtx: 1000 }, 4000],
    [{ scale: 1e-9 }, 1],
    [{ scale: 1e300 }, Number.MAX_SAFE_INTEGER],
  ])("%j extend a model of 4096 tokens (originally 2048) to %d tokens", (settings, tokens) => {
    const trained = { trainTokens: 4096, originalTokens: 2048 };
    expect(computeScaledContextSize(settings, trained)).toBe(tokens);
  });

  test("scale the model's context length with YaRN if its metadata has no original context length", () => {
    const trained = { trainTokens: 100, originalTokens: undefined };
    expect(computeScaledContextSize({ scaling: "yarn", scale: 4 }, trained)).toBe(400);
  });
});
