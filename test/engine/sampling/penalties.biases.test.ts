import { describe, expect, test } from "vitest";
import type {
  SamplingParameters,
  StoppingParameters,
} from "../../../src/core/generation-request.js";
import { activeBiases } from "../../../src/engine/sampling/penalties.js";
import { resolveSampling } from "../../../src/engine/sampling/sampling-options.js";

const END_TOKENS = new Set([7, 8]);

function resolve(sampling: SamplingParameters, stopping: Partial<StoppingParameters>) {
  return resolveSampling({
    sampling,
    stopping: { minTokens: 0, stop: [], ignoreEos: false, ...stopping },
    defaults: {},
    endOfGeneration: END_TOKENS,
    fallbackSeed: 5,
    breakersIn: () => new Map(),
  });
}

const generated = (count: number) => Array<number>(count).fill(0);

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
    ["end tokens, at any length, when they are ignored", { ignoreEos: true }, 10_000, forbidden],
    [
      "the request's own stop tokens below the minimum number of tokens",
      { minTokens: 3, stopTokens: [9] },
      2,
      [...forbidden, [9, NEVER]],
    ],
    [
      "not the request's own stop tokens when end tokens are ignored",
      { ignoreEos: true, stopTokens: [9] },
      0,
      forbidden,
    ],
  ])("are %s", (_, stopping, count, expected) => {
    const biases = activeBiases(resolve({}, stopping), [], generated(count));
    expect([...biases]).toEqual(expected);
  });

  test("include the request's biases, which cannot permit a forbidden token", () => {
    const logitBias = new Map([
      [7, 100],
      [9, -1],
    ]);
    const options = resolve({ logitBias }, { minTokens: 1 });
    const first = new Map([[9, -1], ...forbidden]);
    expect(activeBiases(options, [], [])).toEqual(first);
    expect(activeBiases(options, [], generated(1))).toEqual(logitBias);
  });

  test("include what DRY subtracts, which the prompt counts for", () => {
    const dry = { multiplier: 2, base: 3, allowedLength: 1, window: 64, sequenceBreakers: [] };
    const options = resolve({ dry, logitBias: new Map([[9, 1]]) }, {});
    expect(activeBiases(options, [5, 9, 4], [5])).toEqual(new Map([[9, 1 - 2]]));
    expect(activeBiases(options, [5, 9, 4], [4])).toEqual(
      new Map([
        [9, 1],
        [4, -2],
      ]),
    );
  });
});
