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
let contexts: readonly LlamaContext[];
let natives: Readonly<Record<"present" | "absent", NativeContext>>;
/** Not a multiple of 32: the last word of a mask has bits of no token. */
const VOCABULARY = 50_257;

beforeAll(async () => {
  llama = await nativeLibrary();
  const companion = await attachCompanion(llama, process.env.GGUFD_TEST_COMPANION);
  expect(companion).toMatchObject({ state: "attached" });
  model = await llama.loadModel({ modelPath: modelWithTokenizer("gpt-2") });
  const options = { sequences: 2, contextSize: 256, batchSize: 64 };
  const opened = [await model.createContext(options), await model.createContext(options)] as const;
  const absent = { state: "absent", reason: "not wanted" } as const;
  contexts = opened;
  natives = {
    present: new NativeContext(opened[0], { layout: "split", streamBytes: 0 }, companion),
    absent: new NativeContext(opened[1], { layout: "split", streamBytes: 0 }, absent),
  };
});
afterAll(async () => {
  for (const context of contexts) await context.dispose();
  await model.dispose();
});
beforeEach(() => {
  for (const native of Object.values(natives)) for (const id of [0, 1]) native.truncate(id, 0);
});

const prompt = [464, 3139, 286, 4881, 318];

/** The logits behind a text, once for each sequence. */
async function evaluate(
  native: NativeContext,
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

/** Allows some tokens; counts how often it is asked for all of them. */
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

function samplerOf(
  native: NativeContext,
  sampling: SamplingParameters,
  parts: Pick<SamplingContext, "constraint"> = {},
) {
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
  native: NativeContext,
  sampling: SamplingParameters,
  constraint?: TokenConstraint,
): Promise<number> {
  native.truncate(0, 0);
  const [logits] = await evaluate(native, prompt);
  const { sample, dispose } = samplerOf(native, sampling, { constraint });
  const token = await sample(logits as Logits);
  dispose();
  return token;
}

const greedy = { temperature: 0 };
const hot = { temperature: 1, topK: 0, topP: 1, minP: 0, seed: 5 };

/** Draws that depend on each other, with different tokens allowed for each. */
async function drawSeveral(native: NativeContext, sampling: SamplingParameters, draws: number) {
  native.truncate(0, 0);
  let position = 0;
  let text: readonly number[] = prompt;
  let remainder = 0;
  const constraint = allowing((token) => token % 7 === remainder);
  const { sample, dispose, generated } = samplerOf(native, sampling, { constraint });
  for (let draw = 0; draw < draws; draw++) {
    remainder = draw % 7;
    const [logits] = await evaluate(native, text, { position });
    const token = await sample(logits as Logits);
    expect(token % 7).toBe(remainder);
    generated.push(token);
    position += text.length;
    text = [token];
  }
  dispose();
  return generated;
}

describe.each(["present", "absent"] as const)(
  "a constraint, with the companion %s",
  (companion) => {
    it("does not change what is drawn where that is allowed, and needs no mask", async () => {
      const native = natives[companion];
      const free = await drawOnce(native, hot);
      const constraint = only(free);
      expect(await drawOnce(native, hot, constraint)).toBe(free);
      expect(constraint.masks).toBe(0);
    });

    it("has the most likely token drawn that it allows", async () => {
      const native = natives[companion];
      const likeliest = await drawOnce(native, greedy);
      const banned = new Map([[likeliest, Number.NEGATIVE_INFINITY]]);
      const second = await drawOnce(native, { ...greedy, logitBias: banned });
      const constraint = allowing((token) => token !== likeliest);
      expect(await drawOnce(native, greedy, constraint)).toBe(second);
      expect(constraint.masks).toBe(1);
    });

    it.each([0, 31, 32, 777, VOCABULARY - 1])(
      "holds where it allows one token: %j",
      async (token) => {
        const native = natives[companion];
        for (const sampling of [greedy, hot, { ...hot, topK: 1 }, { ...hot, minP: 1 }]) {
          expect(await drawOnce(native, sampling, only(token))).toBe(token);
        }
      },
    );

    it("leaves the choice between what it allows to the request's biases and penalties", async () => {
      const native = natives[companion];
      const logitBias = new Map([
        [10, Number.NEGATIVE_INFINITY],
        [30, 50],
      ]);
      expect(await drawOnce(native, { ...greedy, logitBias }, only(10, 20))).toBe(20);
      expect(await drawOnce(native, { ...greedy, logitBias }, only(10, 20, 30))).toBe(30);
    });

    it("does not touch the logits of other sequences", async () => {
      const native = natives[companion];
      const free = await drawOnce(native, greedy);
      native.truncate(0, 0);
      const [first, second] = await evaluate(native, prompt, { sequences: 2 });
      const constrained = samplerOf(native, greedy, { constraint: only(free + 1) });
      const unconstrained = samplerOf(native, greedy);
      expect(await constrained.sample(first as Logits)).toBe(free + 1);
      expect(await unconstrained.sample(second as Logits)).toBe(free);
      constrained.dispose();
      unconstrained.dispose();
    });

    it("is gone with the next batch, and from the sampler", async () => {
      const native = natives[companion];
      let allowed: number | "any" = 777;
      const constraint = allowing((token) => allowed === "any" || token === allowed);
      const { sample, dispose } = samplerOf(native, greedy, { constraint });
      const [first] = await evaluate(native, prompt);
      expect(await sample(first as Logits)).toBe(777);
      allowed = "any";
      native.truncate(0, 0);
      const [again] = await evaluate(native, prompt);
      const drawn = await sample(again as Logits);
      dispose();
      expect(drawn).toBe(await drawOnce(native, greedy));
    });

    it("leaves the logits as they are", async () => {
      const native = natives[companion];
      const [logits] = await evaluate(native, prompt);
      const tokens = [{ logits: logits as Logits, token: 1 }];
      const before = await native.logProbabilities(tokens, 5);
      const { sample, dispose } = samplerOf(native, greedy, { constraint: only(777) });
      expect(await sample(logits as Logits)).toBe(777);
      expect(await native.logProbabilities(tokens, 5)).toEqual(before);
      dispose();
    });
  },
);

describe("a constraint", () => {
  it.each([
    ["greedy", greedy],
    ["hot", hot],
    ["with penalties", { ...hot, repetitionPenalty: 1.5, frequencyPenalty: 0.5 }],
    ["with few candidates", { ...hot, topK: 40, topP: 0.9 }],
  ])("has the same tokens drawn with and without the companion: %s", async (_, sampling) => {
    const drawn = await drawSeveral(natives.present, sampling, 20);
    expect(await drawSeveral(natives.absent, sampling, 20)).toEqual(drawn);
    expect(await drawSeveral(natives.present, sampling, 20)).toEqual(drawn);
  });
});

describe("a constrained draw beside a free one", () => {
  it.each(["present", "absent"] as const)(
    "takes its token from its own row, whichever comes first, with the companion %s",
    async (companion) => {
      const native = natives[companion];
      const free = await drawOnce(native, greedy);
      for (let round = 0; round < 20; round++) {
        for (const id of [0, 1]) native.truncate(id, 0);
        const [first, second] = await evaluate(native, prompt, { sequences: 2 });
        const constrained = samplerOf(native, greedy, { constraint: only(11) });
        const unconstrained = samplerOf(native, greedy);
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
    },
  );
});
