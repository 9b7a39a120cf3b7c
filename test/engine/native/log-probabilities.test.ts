import type { Llama, LlamaContext, LlamaModel } from "node-llama-cpp";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { attachCompanion } from "../../../src/engine/native/companion/attach-companion.js";
import { NativeContext } from "../../../src/engine/native/native-context.js";
import type { Logits, LogProbabilities } from "../../../src/engine/native/token-context.js";
import {
  greedySampling,
  type SamplingOptions,
} from "../../../src/engine/sampling/sampling-options.js";
import { readVocabulary, type Vocabulary } from "../../../src/engine/text/vocabulary/vocabulary.js";
import { nativeLibrary } from "../../support/native-library.js";
import { shippedModel } from "../../support/shipped-model.js";

/** Members of the binding that read raw logits. */
interface Internals {
  readonly _ctx: {
    sampleToken(
      row: number,
      sampler: object,
      returnProbabilities: boolean,
      returnConfidence: boolean,
      returnLogits: boolean,
    ): Promise<readonly [number, unknown, unknown, readonly number[]]>;
  };
}

let llama: Llama;
let model: LlamaModel;
let context: LlamaContext;
let vocabulary: Vocabulary;
let native: NativeContext;
beforeAll(async () => {
  llama = await nativeLibrary();
  model = await llama.loadModel({ modelPath: shippedModel });
  context = await model.createContext({ sequences: 1, contextSize: 512, batchSize: 64 });
  vocabulary = readVocabulary(model);
  const cache = { layout: "split", streamBytes: 0 } as const;
  const companion = await attachCompanion(llama, process.env.GGUFD_TEST_COMPANION);
  native = new NativeContext(context, cache, companion);
});
afterAll(async () => {
  await context.dispose();
  await model.dispose();
});
beforeEach(() => native.truncate(0, 0));

/** Rows of logits, one for each token of a text. */
async function rows(): Promise<readonly Logits[]> {
  const tokens = vocabulary.tokenize(
    "One day, the cat saw the old map.\nOne day, the dog",
    "literal",
  );
  const [logits] = await native.evaluate([{ sequenceId: 0, position: 0, tokens, logitsFrom: 0 }]);
  return logits ?? [];
}

/** The log-softmax of a row of raw logits, by token. */
async function expectedOf(row: Logits): Promise<readonly number[]> {
  const { _llama, _model } = model as unknown as {
    readonly _model: object;
    readonly _llama: {
      readonly _bindings: {
        readonly AddonSampler: new (
          model: object,
        ) => { applyConfig(config: object): void; dispose(): void };
      };
    };
  };
  const sampler = new _llama._bindings.AddonSampler(_model);
  sampler.applyConfig({ temperature: 0 });
  const { _ctx } = context as unknown as Internals;
  const [, , , pairs] = await _ctx.sampleToken(row, sampler, false, false, true);
  sampler.dispose();
  const logits: number[] = [];
  for (let index = 0; index < pairs.length; index += 2) {
    logits[pairs[index] ?? 0] = pairs[index + 1] ?? 0;
  }
  const highest = Math.max(...logits);
  const sum = logits.reduce((total, logit) => total + Math.exp(logit - highest), 0);
  return logits.map((logit) => logit - highest - Math.log(sum));
}

/**
 * Log-probabilities that remain after top-k, top-p, min-p and the temperature, in descending order.
 */
function withoutTail(
  logProbabilities: readonly number[],
  {
    topK,
    topP,
    minP,
    temperature,
  }: Pick<SamplingOptions, "topK" | "topP" | "minP" | "temperature">,
) {
  const highest = logProbabilities
    .map((logProbability, token) => ({ token, logProbability }))
    .sort((a, b) => b.logProbability - a.logProbability)
    .slice(0, topK);
  const probabilities = softmax(highest.map(({ logProbability }) => logProbability));
  const sums = probabilities.map((_, index) => sumOf(probabilities.slice(0, index + 1)));
  const nucleus = sums.findIndex((sum) => sum >= topP) + 1;
  const [first = 0] = probabilities;
  const likely = probabilities.filter((probability) => probability >= minP * first).length;
  const left = highest.slice(0, Math.min(nucleus, likely));
  const tempered = softmax(left.map(({ logProbability }) => logProbability / temperature));
  return left.map(({ token }, index) => ({ token, probability: tempered[index] ?? 0 }));
}

function softmax(logits: readonly number[]): readonly number[] {
  const weights = logits.map((logit) => Math.exp(logit - Math.max(...logits)));
  return weights.map((weight) => weight / sumOf(weights));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** Log-probabilities for one token. */
async function askAbout(logits: Logits, token: number, top: number) {
  const [answer] = await native.logProbabilities([{ logits, token }], top);
  if (answer === undefined) throw new Error("no answer");
  return answer;
}

function expectToBe(
  { logProbability, top }: LogProbabilities,
  expected: readonly number[],
  token: number,
): void {
  expect(logProbability).toBeCloseTo(expected[token] ?? 0, 4);
  const highestFirst = expected.toSorted((a, b) => b - a);
  for (const [index, one] of top.entries()) {
    expect(one.logProbability).toBeCloseTo(highestFirst[index] ?? 0, 4);
    expect(one.logProbability).toBeCloseTo(expected[one.token] ?? 0, 4);
  }
  expect(new Set(top.map((one) => one.token)).size).toBe(top.length);
}

describe("log-probabilities", () => {
  it.each([0, 1, 5, 20])(
    "are the log-softmax of the raw logits, with %i alternatives",
    async (top) => {
      for (const row of await rows()) {
        const expected = await expectedOf(row);
        for (const token of [0, 17, expected.indexOf(Math.max(...expected))]) {
          const answer = await askAbout(row, token, top);
          expect(answer.top).toHaveLength(top);
          expectToBe(answer, expected, token);
        }
      }
    },
  );

  it("are those of the model, regardless of the samplers", async () => {
    const [row] = await rows();
    if (row === undefined) throw new Error("no logits");
    const expected = await expectedOf(row);
    const likeliest = expected.indexOf(Math.max(...expected));
    const options = {
      ...greedySampling,
      temperature: 1.7,
      topK: 3,
      logitBias: new Map([[likeliest, Number.NEGATIVE_INFINITY]]),
    };
    const sampler = native.createSampler({ options, promptTokens: [], generated: [] });
    const token = await sampler.sample(row);
    sampler.dispose();
    expect(token).not.toBe(likeliest);
    expectToBe(await askAbout(row, token, 5), expected, token);
  });

  it("after the samplers match the distribution from which the token is drawn", async () => {
    const [row] = await rows();
    if (row === undefined) throw new Error("no logits");
    const own = await expectedOf(row);
    const banned = own.indexOf(Math.max(...own));
    const options = {
      ...greedySampling,
      temperature: 1.7,
      topK: 8,
      topP: 0.9,
      minP: 0.02,
      logitBias: new Map([[banned, Number.NEGATIVE_INFINITY]]),
    };
    const left = withoutTail(own.with(banned, Number.NEGATIVE_INFINITY), options);
    for (let seed = 0; seed < 20; seed++) {
      const context = { options: { ...options, seed }, promptTokens: [], generated: [] };
      const sampler = native.createSampler(context);
      const { token, probabilities } = await sampler.sampleScored(row, 20);
      sampler.dispose();
      const again = native.createSampler(context);
      expect(await again.sample(row)).toBe(token);
      again.dispose();
      expect(probabilities.top.map((one) => one.token)).toEqual(left.map((one) => one.token));
      for (const [index, { probability }] of left.entries()) {
        expect(Math.exp(probabilities.top[index]?.logProbability ?? 0)).toBeCloseTo(probability, 4);
      }
      const drawn = left.find((one) => one.token === token);
      expect(Math.exp(probabilities.logProbability)).toBeCloseTo(drawn?.probability ?? 0, 4);
    }
  });

  it("after the samplers include no alternatives to a certain token", async () => {
    const [row] = await rows();
    if (row === undefined) throw new Error("no logits");
    const own = await expectedOf(row);
    const sampler = native.createSampler({
      options: greedySampling,
      promptTokens: [],
      generated: [],
    });
    const token = own.indexOf(Math.max(...own));
    expect(await sampler.sampleScored(row, 3)).toEqual({
      token,
      probabilities: { logProbability: 0, top: [{ token, logProbability: 0 }] },
    });
    sampler.dispose();
  });

  it("after the samplers exclude tokens that a constraint forbids", async () => {
    const [row] = await rows();
    if (row === undefined) throw new Error("no logits");
    const allowed = new Set([17, 18, 19]);
    const mask = new Uint32Array(Math.ceil(vocabulary.size / 32));
    mask[0] = (1 << 17) | (1 << 18) | (1 << 19);
    const sampler = native.createSampler({
      options: { ...greedySampling, temperature: 1 },
      promptTokens: [],
      generated: [],
      constraint: { allows: (token) => allowed.has(token), allowedTokens: () => mask },
    });
    const { token, probabilities } = await sampler.sampleScored(row, 20);
    sampler.dispose();
    expect(allowed).toContain(token);
    expect(new Set(probabilities.top.map((one) => one.token))).toEqual(allowed);
    const all = probabilities.top.map(({ logProbability }) => Math.exp(logProbability));
    expect(sumOf(all)).toBeCloseTo(1, 4);
  });

  it.each([0, 3])(
    "are correct for each row if one call requests all, with %i alternatives",
    async (top) => {
      const all = await rows();
      const tokens = all.map((logits, index) => ({ logits, token: 17 * index }));
      const answers = await native.logProbabilities(tokens, top);
      expect(answers).toHaveLength(all.length);
      for (const [index, answer] of answers.entries()) {
        const { logits, token } = tokens[index] ?? { logits: 0 as Logits, token: 0 };
        expect(answer.top).toHaveLength(top);
        expectToBe(answer, await expectedOf(logits), token);
      }
    },
  );

  it("are correct for each row if several calls run concurrently", async () => {
    const all = await rows();
    const expected: (readonly number[])[] = [];
    for (const row of all) expected.push(await expectedOf(row));
    for (let round = 0; round < 20; round++) {
      const answers = await Promise.all(all.map((row) => askAbout(row, 17, 20)));
      for (const [index, answer] of answers.entries())
        expectToBe(answer, expected[index] ?? [], 17);
    }
  });
});
