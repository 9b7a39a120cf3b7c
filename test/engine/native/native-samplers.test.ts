import type { Llama, LlamaContext, LlamaModel } from "node-llama-cpp";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SamplingParameters } from "../../../src/core/generation-request.js";
import { samplingDefaults } from "../../../src/core/sampling-table.js";
import { attachCompanion } from "../../../src/engine/native/companion/attach-companion.js";
import { NativeContext } from "../../../src/engine/native/native-context.js";
import type { Logits } from "../../../src/engine/native/token-context.js";
import { resolveSampling } from "../../../src/engine/sampling/sampling-options.js";
import { createBreakerSearch } from "../../../src/engine/text/vocabulary/sequence-breakers.js";
import { readVocabulary, type Vocabulary } from "../../../src/engine/text/vocabulary/vocabulary.js";
import { nativeLibrary } from "../../support/native-library.js";
import { shippedModel } from "../../support/shipped-model.js";

interface AddonSampler {
  applyConfig(config: object): void;
  dispose(): void;
}

let llama: Llama;
let model: LlamaModel;
let context: LlamaContext;
let native: NativeContext;
let vocabulary: Vocabulary;
let breakersIn: ReturnType<typeof createBreakerSearch>;
beforeAll(async () => {
  llama = await nativeLibrary();
  model = await llama.loadModel({ modelPath: shippedModel });
  context = await model.createContext({ sequences: 1, contextSize: 512, batchSize: 64 });
  const companion = await attachCompanion(llama, process.env.GGUFD_TEST_COMPANION);
  native = new NativeContext(context, { layout: "split", streamBytes: 0 }, companion);
  vocabulary = readVocabulary(model);
  breakersIn = createBreakerSearch(vocabulary);
});
afterAll(async () => {
  await context.dispose();
  await model.dispose();
});
beforeEach(() => native.truncate(0, 0));

const PROMPT = "One day, the cat saw the old map.\nOne day, the dog";

/** Sampling of tokens that the caller appends to `generated`; greedy by default. */
function samplerOf(sampling: SamplingParameters, promptTokens: readonly number[] = []) {
  const generated: number[] = [];
  const options = resolveSampling({
    sampling: { temperature: 0, ...sampling },
    stopping: { minTokens: 0, stop: [], ignoreEos: true },
    defaults: {},
    endOfGeneration: vocabulary.endOfGeneration,
    fallbackSeed: 1,
    breakersIn,
  });
  const made = native.createSampler({ options, promptTokens, generated });
  const sample = (logits: Logits) => made.sample(logits);
  return { sample, dispose: () => made.dispose(), generated };
}

async function evaluate(position: number, tokens: readonly number[]): Promise<Logits> {
  const part = { sequenceId: 0, position, tokens, logitsFrom: tokens.length - 1 };
  const [[logits] = []] = await native.evaluate([part]);
  if (logits === undefined) throw new Error("no logits");
  return logits;
}

/** Continues the prompt with the tokens that `draw` returns. */
async function continuation(count: number, draw: (logits: Logits) => Promise<number>) {
  let next = vocabulary.tokenize(PROMPT, "literal");
  let position = 0;
  const drawn: number[] = [];
  while (drawn.length < count) {
    const token = await draw(await evaluate(position, next));
    drawn.push(token);
    position += next.length;
    next = [token];
  }
  return drawn;
}

async function continuationBy(count: number, sampling: SamplingParameters) {
  const { sample, generated, dispose } = samplerOf(sampling);
  const drawn = await continuation(count, async (logits) => {
    const token = await sample(logits);
    generated.push(token);
    return token;
  });
  dispose();
  return drawn;
}

/** Length of the longest sequence of tokens that occurs twice. */
function longestRepetition(tokens: readonly number[]): number {
  const text = tokens.map((token) => String.fromCharCode(token)).join("");
  let longest = 0;
  for (let start = 0; start + longest < text.length; start++) {
    while (text.includes(text.slice(start, start + longest + 1), start + 1)) {
      if (start + longest + 1 > text.length) break;
      longest++;
    }
  }
  return longest;
}

describe("DRY", () => {
  it.each([
    [{ dryMultiplier: 0.8 }],
    [{ dryMultiplier: 5, dryAllowedLength: 1, dryPenaltyLastN: 1000 }],
    [{ dryMultiplier: 0.5, dryBase: 1, dryAllowedLength: 0, dryPenaltyLastN: 20 }],
    [
      {
        ...{ dryMultiplier: 3, dryBase: 3, dryPenaltyLastN: 1000 },
        drySequenceBreakers: ["the", " o", ". A", "day, the"],
      },
    ],
  ])("with %j draws the same tokens as llama.cpp's own sampler", async (dry) => {
    const internals = model as unknown as {
      readonly _model: object;
      readonly _llama: {
        readonly _bindings: { readonly AddonSampler: new (model: object) => AddonSampler };
      };
    };
    const { _ctx } = context as unknown as {
      readonly _ctx: { sampleToken(logits: Logits, sampler: AddonSampler): Promise<number> };
    };
    const { dryBase, dryAllowedLength, dryPenaltyLastN, drySequenceBreakers } = {
      ...samplingDefaults,
      ...dry,
    };
    const reference = new internals._llama._bindings.AddonSampler(internals._model);
    const ends = [...vocabulary.endOfGeneration];
    reference.applyConfig({
      temperature: 0,
      dryRepeatPenaltyStrength: dry.dryMultiplier,
      dryRepeatPenaltyBase: dryBase,
      dryRepeatPenaltyAllowedLength: dryAllowedLength,
      dryRepeatPenaltyLastTokens: dryPenaltyLastN,
      dryRepeatPenaltySequenceBreakers: drySequenceBreakers,
      tokenBiasKeys: Uint32Array.from(ends),
      tokenBiasValues: Float32Array.from(ends, () => Number.NEGATIVE_INFINITY),
    });
    const { sample, generated, dispose } = samplerOf(dry);
    const expected = await continuation(120, async (logits) => {
      const token = await _ctx.sampleToken(logits, reference);
      generated.push(await sample(logits));
      return token;
    });
    dispose();
    reference.dispose();
    expect(generated).toEqual(expected);
    native.truncate(0, 0);
    expect(expected).not.toEqual(await continuationBy(120, {}));
  });

  it("ends a repetition that greedy sampling would continue", async () => {
    const dry = { dryMultiplier: 5, dryPenaltyLastN: -1, drySequenceBreakers: [] };
    expect(longestRepetition(await continuationBy(150, {}))).toBeGreaterThan(10);
    native.truncate(0, 0);
    expect(longestRepetition(await continuationBy(150, dry))).toBeLessThan(6);
  });

  it("includes repetitions in the prompt", async () => {
    const prompt = vocabulary.tokenize(`${PROMPT}\nOne day, the`, "literal");
    const logits = await evaluate(0, prompt);
    const dry = { dryMultiplier: 100, dryPenaltyLastN: -1 };
    const first = async (sampling: SamplingParameters, promptTokens: readonly number[]) => {
      const { sample, dispose } = samplerOf(sampling, promptTokens);
      const token = await sample(logits);
      dispose();
      return token;
    };
    const [cat, dog] = ["cat", "dog"].map((word) => vocabulary.tokenize(` ${word}`, "literal")[0]);
    expect([cat, dog]).toContain(await first({}, prompt));
    expect([cat, dog]).not.toContain(await first(dry, prompt));
  });
});

describe("XTC", () => {
  /** The first token drawn. */
  const first = async (sampling: SamplingParameters) =>
    (await continuationBy(1, sampling))[0] ?? -1;
  const kept = { topP: 1, minP: 0 };

  /** The most likely tokens, in descending order. */
  async function likeliest(count: number): Promise<number[]> {
    const tokens: number[] = [];
    while (tokens.length < count) {
      native.truncate(0, 0);
      const logitBias = new Map(tokens.map((token) => [token, Number.NEGATIVE_INFINITY]));
      tokens.push(await first({ logitBias }));
    }
    native.truncate(0, 0);
    return tokens;
  }

  it("with probability 1 and threshold 0 draws the least likely remaining token", async () => {
    const tokens = await likeliest(4);
    const xtc = { xtcProbability: 1, xtcThreshold: 0 };
    for (const [index, token] of tokens.entries()) {
      native.truncate(0, 0);
      expect(await first({ ...xtc, topK: index + 1, ...kept })).toBe(token);
      native.truncate(0, 0);
      expect(await first({ ...xtc, topK: index + 1, temperature: 1, ...kept })).toBe(token);
    }
  });

  it.each([
    ["a probability of 0", { xtcProbability: 0, xtcThreshold: 0 }],
    ["a threshold that no two tokens can reach", { xtcProbability: 1, xtcThreshold: 0.51 }],
  ])("with %s has no effect", async (_, xtc) => {
    const [token] = await likeliest(1);
    expect(await first({ ...xtc, topK: 4, ...kept })).toBe(token);
  });
});
