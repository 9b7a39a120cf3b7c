import { describe, expect, test } from "vitest";
import type {
  SamplingParameters,
  StoppingParameters,
} from "../../../src/core/generation-request.js";
import { activeBiases } from "../../../src/engine/sampling/active-biases.js";
import { resolveSampling } from "../../../src/engine/sampling/sampling-options.js";

const END_TOKENS = new Set([7, 8]);

function resolve(sampling: SamplingParameters, stopping: Partial<StoppingParameters>) {
  return resolveSampling({
    sampling,
    stopping: { minTokens: 0, stop: [], ignoreEos: false, ...stopping },
    recommended: {},
    endOfGeneration: END_TOKENS,
    fallbackSeed: 5,
  });
}

describe("activeBiases", () => {
  const NEVER = Number.NEGATIVE_INFINITY;
  const forbidden = [
    [7, NEVER],
    [8, NEVER],
  ] as const;

  test.each([
    ["none by default", {}, 0, []],
    ["end tokens below the minimum number of tokens", { minTokens: 3 }, 2, forbidden],
    ["no end tokens from the minimum number on", { minTokens: 3 }, 3, []],
    ["end tokens, at any length, when they are ignored", { ignoreEos: true }, 1_000_000, forbidden],
  ])("are %s", (_, stopping, generated, expected) => {
    const biases = activeBiases(resolve({}, stopping), generated);
    expect([...biases]).toEqual(expected);
  });

  test("include the request's biases, which cannot permit a forbidden token", () => {
    const logitBias = new Map([
      [7, 100],
      [9, -1],
    ]);
    const options = resolve({ logitBias }, { minTokens: 1 });
    const first = new Map([[9, -1], ...forbidden]);
    expect(activeBiases(options, 0)).toEqual(first);
    expect(activeBiases(options, 1)).toEqual(logitBias);
  });
});
