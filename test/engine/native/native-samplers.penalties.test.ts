import fc from "fast-check";
import type { Llama, LlamaContext, LlamaModel } from "node-llama-cpp";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { StoppingParameters } from "../../../src/core/generation-request.js";
import { attachCompanion } from "../../../src/engine/native/companion/attach-companion.js";
import { NativeContext } from "../../../src/engine/native/native-context.js";
import type { Logits } from "../../../src/engine/native/token-context.js";
import {
  greedySampling,
  resolveSampling,
  type SamplingOptions,
} from "../../../src/engine/sampling/sampling-options.js";
import { nativeLibrary } from "../../support/native-library.js";
import { tinyModel } from "../../support/random-models.js";

const VOCABULARY = 512;
/** A token that occurs in no text. */
const UNTOUCHED = 500;

let llama: Llama;
let model: LlamaModel;
let context: LlamaContext;
let native: NativeContext;
let logits: Logits;
let unchanged: ReadonlyMap<number, number>;
beforeAll(async () => {
  llama = await nativeLibrary();
  const companion = await attachCompanion(llama, process.env.GGUFD_TEST_COMPANION);
  model = await llama.loadModel({ modelPath: tinyModel() });
  context = await model.createContext({ sequences: 1, contextSize: 256, batchSize: 64 });
  native = new NativeContext(context, { layout: "split", streamBytes: 0 }, companion);
});
afterAll(async () => {
  await context.dispose();
  await model.dispose();
});
beforeEach(async () => {
  native.truncate(0, 0);
  const part = { sequenceId: 0, position: 0, tokens: [40, 41, 42], logitsFrom: 2 };
  const [[row] = []] = await native.evaluate([part]);
  if (row === undefined) throw new Error("no logits");
  logits = row;
  unchanged = await logProbabilities({});
});

/** Log-probabilities after the samplers, by token; absent for forbidden tokens. */
async function logProbabilities(
  options: Partial<SamplingOptions>,
  promptTokens: readonly number[] = [],
  generated: readonly number[] = [],
): Promise<ReadonlyMap<number, number>> {
  const all = { ...greedySampling, temperature: 1, ...options };
  const sampler = native.createSampler({ options: all, promptTokens, generated });
  const { probabilities } = await sampler.sampleScored(logits, VOCABULARY);
  sampler.dispose();
  return new Map(probabilities.top.map(({ token, logProbability }) => [token, logProbability]));
}

/** Penalties, by token, that the samplers subtract from the logits. */
async function penaltiesOf(...sampling: Parameters<typeof logProbabilities>) {
  const changed = await logProbabilities(...sampling);
  const lossOf = (token: number) =>
    (unchanged.get(token) ?? 0) - (changed.get(token) ?? Number.NEGATIVE_INFINITY);
  const penalties = [...unchanged.keys()].map(
    (token) => [token, Math.round(1000 * (lossOf(token) - lossOf(UNTOUCHED))) / 1000] as const,
  );
  return new Map(
    penalties.filter(([, penalty]) => penalty !== 0).toSorted(([one], [other]) => one - other),
  );
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index);

describe("the DRY penalty", () => {
  const [A, B, C, X, Y] = [1, 2, 3, 8, 9];

  const dry = (fields: Partial<SamplingOptions> = {}): Partial<SamplingOptions> => ({
    dryMultiplier: 10,
    dryBase: 2,
    dryAllowedLength: 2,
    dryPenaltyLastN: -1,
    breakers: new Map(),
    ...fields,
  });

  test.each<[string, number[], Partial<SamplingOptions>, [number, number][]]>([
    ["absent without tokens", [], {}, []],
    ["absent without a repetition", [A, B, C, X], {}, []],
    ["absent for a repetition below the allowed length", [A, B, C, X, C], {}, []],
    ["the multiplier at the allowed length", [B, C, A, X, B, C], {}, [[A, 10]]],
    ["multiplied by the base for each further token", [A, B, C, X, A, B, C], {}, [[X, 20]]],
    [
      "applied to each continuation, by its longest repetition",
      [A, B, C, X, B, C, Y, A, B, C],
      {},
      [
        [X, 20],
        [Y, 10],
      ],
    ],
    ["applied to a token that repeats itself", [X, A, A, A], {}, [[A, 10]]],
    ["limited to the window", [A, B, C, X, A, B, C], { dryPenaltyLastN: 6 }, [[X, 10]]],
    [
      "absent if the window excludes the repetition",
      [A, B, C, X, A, B, C],
      { dryPenaltyLastN: 5 },
      [],
    ],
    [
      "applied to every earlier token if the allowed length is 0",
      [A, B, C],
      { dryAllowedLength: 0 },
      [
        [B, 10],
        [C, 10],
      ],
    ],
    ["the same for every length with base 1", [A, B, C, X, A, B, C], { dryBase: 1 }, [[X, 10]]],
  ])("is %s", async (_, tokens, fields, expected) => {
    for (const cut of [0, 3, tokens.length]) {
      const penalties = await penaltiesOf(dry(fields), tokens.slice(0, cut), tokens.slice(cut));
      expect([...penalties]).toEqual(expected);
    }
  });

  test("is finite for the longest repetition supported by single precision", async () => {
    const loop = Array<number>(200).fill(A);
    const penaltyOf = async (multiplier: number) =>
      (await penaltiesOf(dry({ dryMultiplier: multiplier, dryBase: 3 }), loop)).get(A);
    expect(await penaltyOf(1)).toBeCloseTo(3 ** 80, -35);
    expect(await penaltyOf(10)).toBe(Number.POSITIVE_INFINITY);
  });

  test.each<[string, [number, number[][]][], [number, number][]]>([
    ["ends at a breaker", [[A, [[]]]], [[X, 10]]],
    [
      "ends at the last of several breakers",
      [
        [A, [[]]],
        [B, [[]]],
      ],
      [],
    ],
    ["continues where a breaker only begins", [[A, [[Y]]]], [[X, 20]]],
    ["begins after a breaker of several tokens", [[A, [[B]]]], []],
    ["begins after the longest breaker", [[A, [[], [B]]]], []],
    ["continues at an incomplete breaker", [[C, [[X]]]], [[X, 20]]],
    ["is not continued by a token that contains a breaker", [[X, [[Y], []]]], []],
    ["is continued by a token in which a breaker begins", [[X, [[Y]]]], [[X, 20]]],
  ])("applies to a repetition that %s", async (_, breakers, expected) => {
    const options = dry({ breakers: new Map(breakers) });
    expect([...(await penaltiesOf(options, [A, B, C, X, A, B, C]))]).toEqual(expected);
  });

  test("equals that found by a search through all earlier tokens", async () => {
    const token = fc.integer({ min: 0, max: 2 });
    const arbitrary = fc.record({
      tokens: fc.array(token, { maxLength: 40 }),
      allowedLength: fc.integer({ min: 0, max: 4 }),
      window: fc.integer({ min: 1, max: 50 }),
    });
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ tokens, allowedLength, window }) => {
        const recent = tokens.slice(-window);
        const lengths = new Map<number, number>();
        for (let end = 1; end < recent.length && recent.length > allowedLength; end++) {
          let length = 0;
          while (length < end && recent[end - 1 - length] === recent.at(-1 - length)) length++;
          const next = recent[end] ?? 0;
          if (length >= allowedLength)
            lengths.set(next, Math.max(lengths.get(next) ?? 0, length - allowedLength));
        }
        // With base 1.1, single precision also represents the logits of the longest repetition.
        const options = dry({
          dryBase: 1.1,
          dryAllowedLength: allowedLength,
          dryPenaltyLastN: window,
        });
        const penalties = await penaltiesOf(options, tokens);
        expect([...penalties.keys()]).toEqual([...lengths.keys()].toSorted());
        for (const [token, length] of lengths)
          expect(penalties.get(token)).toBeCloseTo(10 * 1.1 ** length, 2);
      }),
    );
  });
});

describe("the tokens to which penalties apply", () => {
  const prompt = range(0, 100);
  const strengths = { repetition: 1, presence: 1, frequency: 0 };
  const ofAnswer = { ...strengths, window: "generated" } as const;
  const ofLast64 = { ...strengths, window: 64 };
  const ofAll = { ...strengths, window: Number.POSITIVE_INFINITY };

  test.each([
    ["no tokens before the first one is generated", ofAnswer, [], []],
    ["all generated tokens", ofAnswer, range(200, 300), range(200, 300)],
    ["the last 64 prompt tokens", ofLast64, [], range(36, 100)],
    [
      "the last 64 tokens of prompt and answer",
      ofLast64,
      [200, 201],
      [...range(38, 100), 200, 201],
    ],
    [
      "the last prompt token and all generated tokens",
      ofLast64,
      range(200, 263),
      [99, ...range(200, 263)],
    ],
    ["64 generated tokens without the prompt", ofLast64, range(200, 264), range(200, 264)],
    ["the last 64 generated tokens", ofLast64, range(200, 300), range(236, 300)],
    ["all tokens of prompt and answer", ofAll, range(200, 300), [...prompt, ...range(200, 300)]],
  ])("are %s", async (_, penalties, generated, expected) => {
    const found = await penaltiesOf({ penalties }, prompt, generated);
    expect([...found.keys()]).toEqual(expected);
    expect(new Set(found.values())).toEqual(new Set(expected.length === 0 ? [] : [1]));
  });

  test("count once for presence, and for each occurrence for frequency", async () => {
    const penalties = { repetition: 1, presence: 2, frequency: 0.5, window: 64 };
    const found = await penaltiesOf({ penalties }, [1, 2], [2, 3, 2]);
    expect([...found]).toEqual([
      [1, 2.5],
      [2, 3.5],
      [3, 2.5],
    ]);
  });
});

describe("forbidden tokens", () => {
  const END_TOKENS = [7, 8];

  const optionsOf = (stopping: Partial<StoppingParameters>, logitBias?: Map<number, number>) =>
    resolveSampling({
      sampling: { temperature: 1, topK: 0, topP: 1, minP: 0, ...(logitBias && { logitBias }) },
      stopping: { minTokens: 0, stop: [], ignoreEos: false, ...stopping },
      defaults: {},
      endOfGeneration: new Set(END_TOKENS),
      fallbackSeed: 5,
      breakersIn: () => new Map(),
    });

  const forbidden = async (options: SamplingOptions, count: number) => {
    const possible = await logProbabilities(options, [1, 2], Array<number>(count).fill(0));
    return range(0, VOCABULARY).filter((token) => !possible.has(token));
  };

  test.each<[string, Partial<StoppingParameters>, number, number[]]>([
    ["no tokens by default", {}, 0, []],
    ["end tokens below the minimum number of tokens", { minTokens: 3 }, 2, END_TOKENS],
    ["no tokens from the minimum number on", { minTokens: 3 }, 3, []],
    ["end tokens at any length if they are ignored", { ignoreEos: true }, 200, END_TOKENS],
    [
      "the request's stop tokens below the minimum number of tokens",
      { minTokens: 3, stopTokens: [9] },
      2,
      [...END_TOKENS, 9],
    ],
    [
      "end tokens without the request's stop tokens if end tokens are ignored",
      { ignoreEos: true, stopTokens: [9] },
      0,
      END_TOKENS,
    ],
  ])("are %s", async (_, stopping, count, expected) => {
    expect(await forbidden(optionsOf(stopping), count)).toEqual(expected);
  });

  test("are not allowed by a bias, which applies when they are no longer forbidden", async () => {
    const logitBias = new Map([
      [7, 4],
      [9, -1],
    ]);
    const options = optionsOf({ minTokens: 1 }, logitBias);
    expect(await forbidden(options, 0)).toEqual(END_TOKENS);
    expect([...(await penaltiesOf(options, [], [0]))]).toEqual([
      [7, -4],
      [9, 1],
    ]);
  });
});
