import type { Llama, LlamaContext, LlamaModel } from "node-llama-cpp";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SamplingParameters } from "../../../src/core/generation-request.js";
import { attachCompanion } from "../../../src/engine/native/companion/attach-companion.js";
import { NativeContext } from "../../../src/engine/native/native-context.js";
import type {
  Logits,
  SamplingContext,
  TokenConstraint,
} from "../../../src/engine/native/token-context.js";
import { resolveSampling } from "../../../src/engine/sampling/sampling-options.js";
import { nativeLibrary } from "../../support/native-library.js";
import { modelWithTokenizer } from "../../support/random-models.js";

let llama: Llama;
let model: LlamaModel;
let context: LlamaContext;
let native: NativeContext;
/** Not a multiple of 32: the last word of a mask has unused bits. */
const VOCABULARY = 50_257;

beforeAll(async () => {
  llama = await nativeLibrary();
  const companion = await attachCompanion(llama, process.env.GGUFD_TEST_COMPANION);
  model = await llama.loadModel({ modelPath: modelWithTokenizer("gpt-2") });
  context = await model.createContext({ sequences: 2, contextSize: 256, batchSize: 64 });
  native = new NativeContext(context, { layout: "split", streamBytes: 0 }, companion);
});
afterAll(async () => {
  await context.dispose();
  await model.dispose();
});
beforeEach(() => {
  for (const id of [0, 1]) native.truncate(id, 0);
});

const prompt = [464, 3139, 286, 4881, 318];

/** Logits after a text, one row per sequence. */
async function evaluate(
  text: readonly number[],
  { position = 0, sequences = 1 } = {},
): Promise<readonly Logits[]> {
  const rows = await native.evaluate(
    Array.from({ length: sequences }, (_, sequenceId) => ({
      sequenceId,
      position,
      tokens: text,
      logitsFrom: text.length - 1,
    })),
  );
  return rows.flat();
}

/** Allows some tokens, and counts the requested masks. */
function allowing(isAllowed: (token: number) => boolean): TokenConstraint & { masks: number } {
  return {
    masks: 0,
    allows: isAllowed,
    allowedTokens() {
      this.masks++;
      const mask = new Uint32Array(Math.ceil(VOCABULARY / 32));
      for (let token = 0; token < VOCABULARY; token++) {
        const word = token >>> 5;
        if (isAllowed(token)) mask[word] = (mask[word] ?? 0) | (1 << (token & 31));
      }
      return mask;
    },
  };
}

const only = (...tokens: number[]) => allowing((token) => tokens.includes(token));

function samplerOf(sampling: SamplingParameters, parts: Pick<SamplingContext, "constraint"> = {}) {
  const generated: number[] = [];
  const options = resolveSampling({
    sampling,
    stopping: { minTokens: 0, stop: [], ignoreEos: false },
    defaults: {},
    endOfGeneration: new Set(),
    fallbackSeed: 1,
    breakersIn: () => new Map(),
  });
  const sampler = native.createSampler({ options, promptTokens: [], generated, ...parts });
  const sample = (logits: Logits) => sampler.sample(logits);
  return { sample, dispose: () => sampler.dispose(), generated };
}

async function drawOnce(
  sampling: SamplingParameters,
  constraint?: TokenConstraint,
): Promise<number> {
  native.truncate(0, 0);
  const [logits] = await evaluate(prompt);
  const { sample, dispose } = samplerOf(sampling, { constraint });
  const token = await sample(logits as Logits);
  dispose();
  return token;
}

const greedy = { temperature: 0 };
const hot = { temperature: 1, topK: 0, topP: 1, minP: 0, seed: 5 };

/** Draws that depend on earlier ones, with other allowed tokens for each draw. */
async function drawSeveral(sampling: SamplingParameters, draws: number) {
  native.truncate(0, 0);
  let position = 0;
  let text: readonly number[] = prompt;
  let remainder = 0;
  const constraint = allowing((token) => token % 7 === remainder);
  const { sample, dispose, generated } = samplerOf(sampling, { constraint });
  for (let draw = 0; draw < draws; draw++) {
    remainder = draw % 7;
    const [logits] = await evaluate(text, { position });
    const token = await sample(logits as Logits);
    expect(token % 7).toBe(remainder);
    generated.push(token);
    position += text.length;
    text = [token];
  }
  dispose();
  return generated;
}

describe("a constraint", () => {
  it("does not change an allowed draw, and requires no mask for it", async () => {
    const free = await drawOnce(hot);
    const constraint = only(free);
    expect(await drawOnce(hot, constraint)).toBe(free);
    expect(constraint.masks).toBe(0);
  });

  it("causes the most likely allowed token to be drawn", async () => {
    const likeliest = await drawOnce(greedy);
    const banned = new Map([[likeliest, Number.NEGATIVE_INFINITY]]);
    const second = await drawOnce({ ...greedy, logitBias: banned });
    const constraint = allowing((token) => token !== likeliest);
    expect(await drawOnce(greedy, constraint)).toBe(second);
    expect(constraint.masks).toBe(1);
  });

  it.each([0, 31, 32, 777, VOCABULARY - 1])(
    "that allows one token determines the draw: %j",
    async (token) => {
      for (const sampling of [greedy, hot, { ...hot, topK: 1 }, { ...hot, minP: 1 }]) {
        expect(await drawOnce(sampling, only(token))).toBe(token);
      }
    },
  );

  it("preserves the effect of biases and penalties on allowed tokens", async () => {
    const logitBias = new Map([
      [10, Number.NEGATIVE_INFINITY],
      [30, 50],
    ]);
    expect(await drawOnce({ ...greedy, logitBias }, only(10, 20))).toBe(20);
    expect(await drawOnce({ ...greedy, logitBias }, only(10, 20, 30))).toBe(30);
  });

  it("does not change draws of other sequences", async () => {
    const free = await drawOnce(greedy);
    native.truncate(0, 0);
    const [first, second] = await evaluate(prompt, { sequences: 2 });
    const constrained = samplerOf(greedy, { constraint: only(free + 1) });
    const unconstrained = samplerOf(greedy);
    expect(await constrained.sample(first as Logits)).toBe(free + 1);
    expect(await unconstrained.sample(second as Logits)).toBe(free);
    constrained.dispose();
    unconstrained.dispose();
  });

  it("is evaluated for each batch separately", async () => {
    let allowed: number | "any" = 777;
    const constraint = allowing((token) => allowed === "any" || token === allowed);
    const { sample, dispose } = samplerOf(greedy, { constraint });
    const [first] = await evaluate(prompt);
    expect(await sample(first as Logits)).toBe(777);
    allowed = "any";
    native.truncate(0, 0);
    const [again] = await evaluate(prompt);
    const drawn = await sample(again as Logits);
    dispose();
    expect(drawn).toBe(await drawOnce(greedy));
  });

  it("does not change the logits", async () => {
    const [logits] = await evaluate(prompt);
    const tokens = [{ logits: logits as Logits, token: 1 }];
    const before = await native.logProbabilities(tokens, 5);
    const { sample, dispose } = samplerOf(greedy, { constraint: only(777) });
    expect(await sample(logits as Logits)).toBe(777);
    expect(await native.logProbabilities(tokens, 5)).toEqual(before);
    dispose();
  });

  it.each([
    ["greedy", greedy],
    ["at a high temperature", hot],
    ["with penalties", { ...hot, repeatPenalty: 1.5, frequencyPenalty: 0.5 }],
    ["with few candidates", { ...hot, topK: 40, topP: 0.9 }],
  ])("gives reproducible draws: %s", async (_, sampling) => {
    const drawn = await drawSeveral(sampling, 20);
    expect(await drawSeveral(sampling, 20)).toEqual(drawn);
  });
});

describe("a constrained and an unconstrained draw", () => {
  it("use their own rows in either order", async () => {
    const free = await drawOnce(greedy);
    for (let round = 0; round < 20; round++) {
      for (const id of [0, 1]) native.truncate(id, 0);
      const [first, second] = await evaluate(prompt, { sequences: 2 });
      const constrained = samplerOf(greedy, { constraint: only(11) });
      const unconstrained = samplerOf(greedy);
      const draws = [
        () => constrained.sample(first as Logits),
        () => unconstrained.sample(second as Logits),
      ];
      const inTurn = round % 2 === 0 ? draws : draws.toReversed();
      const tokens = await Promise.all(inTurn.map((draw) => draw()));
      expect(new Set(tokens)).toEqual(new Set([11, free]));
      constrained.dispose();
      unconstrained.dispose();
    }
  });
});
