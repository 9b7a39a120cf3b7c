import type { Llama, LlamaContext, LlamaModel } from "node-llama-cpp";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { SamplingParameters } from "../../../src/core/generation-request.js";
import type { AddonContext, ContextInternals } from "../../../src/engine/native/addon.js";
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
import { deferred } from "../../support/scripted-engine.js";

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
  parts: Pick<SamplingContext, "constraint" | "logits"> = {},
) {
  const generated: number[] = [];
  const options = resolveSampling({
    sampling,
    stopping: { minTokens: 0, stop: [], ignoreEos: false },
    recommended: {},
    endOfGeneration: new Set(),
    fallbackSeed: 1,
    breakersIn: () => new Map(),
  });
  const sampler = native.createSampler({ options, promptTokens: [], generated, ...parts });
  return { ...sampler, generated };
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

    it("leaves the logits as they are that are read later", async () => {
      const native = natives[companion];
      const [logits] = await evaluate(native, prompt);
      const tokens = [{ logits: logits as Logits, token: 1 }];
      const before = await native.logProbabilities(tokens, 5);
      const { sample, dispose } = samplerOf(native, greedy, {
        constraint: only(777),
        logits: "read-later",
      });
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

/** Its `sampleToken` and the companion's `maskLogits` tell when they run, and a draw may be held up. */
async function watchedContext() {
  const companion = await attachCompanion(llama, process.env.GGUFD_TEST_COMPANION);
  if (companion.state !== "attached") expect.fail("there is no companion");
  const context = await model.createContext({ sequences: 2, contextSize: 256, batchSize: 64 });
  onTestFinished(() => context.dispose());
  const calls: string[] = [];
  let hold: Promise<void> = Promise.resolve();
  const { _ctx } = context as unknown as ContextInternals;
  const sampleToken = _ctx.sampleToken.bind(_ctx) as (...args: unknown[]) => Promise<number>;
  let drawing = 0;
  let masksBesideDraws = 0;
  vi.spyOn(_ctx, "sampleToken").mockImplementation((async (...args: unknown[]) => {
    drawing++;
    await hold;
    const drawn = await sampleToken(...args);
    drawing--;
    calls.push("draw");
    return drawn;
  }) as AddonContext["sampleToken"]);
  const masking = intercepted(companion.native, "maskLogits", (...args) => {
    calls.push("mask");
    if (drawing > 0) masksBesideDraws++;
    companion.native.maskLogits(...args);
  });
  const cache = { layout: "split", streamBytes: 0 } as const;
  const native = new NativeContext(context, cache, { ...companion, native: masking });
  return {
    native,
    calls,
    get masksBesideDraws() {
      return masksBesideDraws;
    },
    holdDraws: (until: Promise<void>) => {
      hold = until;
    },
  };
}

/** An object with one of its methods replaced; the others are called on the object itself. */
function intercepted<Target extends object, Name extends keyof Target>(
  object: Target,
  method: Name,
  replacement: Target[Name],
): Target {
  // Not a proxy of the object: what is fixed there could not be replaced.
  return new Proxy({} as Target, {
    get(_, name) {
      if (name === method) return replacement;
      const value: unknown = Reflect.get(object, name, object);
      return typeof value === "function" ? value.bind(object) : value;
    },
  });
}

describe("a mask beside the first draw of a batch", () => {
  it("that comes before it is written before it begins: both would put the rows in order", async () => {
    const watched = await watchedContext();
    const { native, calls } = watched;
    const constrained = samplerOf(native, greedy, { constraint: only(11) });
    const free = samplerOf(native, greedy);
    for (let draw = 0; draw < 5; draw++) {
      native.truncate(0, 0);
      const [logits] = await evaluate(native, prompt);
      await constrained.sample(logits as Logits);
    }
    native.truncate(0, 0);
    const rows = await evaluate(native, prompt, { sequences: 2 });
    calls.length = 0;
    const tokens = [constrained.sample(rows[0] as Logits), free.sample(rows[1] as Logits)];
    expect((await Promise.all(tokens))[0]).toBe(11);
    expect(calls[0]).toBe("mask");
    expect(watched.masksBesideDraws).toBe(0);
    free.dispose();
    constrained.dispose();
  });

  it("waits for it, because that draw puts the rows in order", async () => {
    const { native, calls, holdDraws } = await watchedContext();
    const constrained = samplerOf(native, greedy, { constraint: only(11) });
    const free = samplerOf(native, greedy);
    // What misses again and again is masked first.
    for (let draw = 0; draw < 5; draw++) {
      native.truncate(0, 0);
      const [logits] = await evaluate(native, prompt);
      await constrained.sample(logits as Logits);
    }
    native.truncate(0, 0);
    const rows = await evaluate(native, prompt, { sequences: 2 });
    calls.length = 0;
    const { promise, resolve } = deferred();
    holdDraws(promise);
    const tokens = [free.sample(rows[1] as Logits), constrained.sample(rows[0] as Logits)];
    await new Promise(setImmediate);
    expect(calls).toEqual([]);
    resolve();
    expect((await Promise.all(tokens))[1]).toBe(11);
    expect(calls).toEqual(["draw", "mask", "draw"]);
    free.dispose();
    constrained.dispose();
  });
});
