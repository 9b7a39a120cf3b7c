import { describe, expect, test } from "vitest";
import type { Companion } from "../../../src/engine/native/companion/attach-companion.js";
import {
  type RopeSettings,
  ropeParamsOf,
  scaledContextSize,
} from "../../../src/engine/native/rope.js";

const attached = { state: "attached" } as Companion;

describe("RoPE", () => {
  test.each<[RopeSettings, object]>([
    [{}, {}],
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
  ])("of %j is %j of a context", (settings, params) => {
    expect(ropeParamsOf(settings, attached)).toEqual(params);
  });

  test("needs the companion, where anything is said of it", () => {
    const absent = { state: "absent", reason: "there is none" } as const;
    expect(ropeParamsOf({ scaling: undefined }, absent)).toEqual({});
    expect(() => ropeParamsOf({ scale: 2, yarnOrigCtx: 3 }, absent)).toThrow(
      "--rope-scale, --yarn-orig-ctx: expected the native companion, which is not used: there is none",
    );
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
  ])("%j makes a model of 4096 tokens, 2048 at first, good for %d", (settings, tokens) => {
    const trained = { trainTokens: 4096, originalTokens: 2048 };
    expect(scaledContextSize(settings, trained)).toBe(tokens);
  });

  test("has YaRN's factor be of the context of a file that tells no other", () => {
    const trained = { trainTokens: 100, originalTokens: undefined };
    expect(scaledContextSize({ scaling: "yarn", scale: 4 }, trained)).toBe(400);
  });
});
