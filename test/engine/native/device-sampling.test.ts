import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { Llama, LlamaContext, LlamaModel } from "node-llama-cpp";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { SamplingParameters } from "../../../src/core/generation-request.js";
import { attachCompanion } from "../../../src/engine/native/companion/attach-companion.js";
import type { ContextParams } from "../../../src/engine/native/companion/native-companion.js";
import { withContextParams } from "../../../src/engine/native/companion/native-params.js";
import { NativeContext } from "../../../src/engine/native/native-context.js";
import {
  BatchAborted,
  type Logits,
  type NextBatch,
  NotFiniteLogits,
  type PartDraws,
  type TokenConstraint,
  type TokenSampler,
} from "../../../src/engine/native/token-context.js";
import { resolveSampling } from "../../../src/engine/sampling/sampling-options.js";
import { readVocabulary } from "../../../src/engine/text/vocabulary/vocabulary.js";
import { brokenTokenModel } from "../../support/broken-token-model.js";
import { eventually } from "../../support/eventually.js";
import { nativeLibrary } from "../../support/native-library.js";
import { tinyModel } from "../../support/random-models.js";

let llama: Llama;
let model: LlamaModel;
beforeAll(async () => {
  llama = await nativeLibrary();
  model = await llama.loadModel({ modelPath: tinyModel() });
});
afterAll(() => model.dispose());

async function openContext(of = model, params: ContextParams = {}): Promise<LlamaContext> {
  const sizes = { sequences: 4, contextSize: 256, batchSize: 64 };
  const all = { abortable: true, maxSampledOutputs: 1, ...params };
  const context = await withContextParams(all, () => of.createContext(sizes));
  onTestFinished(() => context.dispose());
  return context;
}

/** Context on the CPU whose rows are sampled like those of a GPU. */
async function open(
  mode: "on" | "off" | "auto" = "on",
  context?: LlamaContext,
): Promise<NativeContext> {
  const companion = await attachCompanion(llama, process.env.GGUFD_TEST_COMPANION);
  const cache = { layout: "split", streamBytes: 0 } as const;
  return new NativeContext(context ?? (await openContext()), cache, companion, {
    deviceSampling: mode,
  });
}

interface AddonContext {
  getSequenceKvCacheMaxPosition(sequenceId: number): number;
}

interface Running {
  readonly sequenceId: number;
  readonly prompt: readonly number[];
  readonly generated: number[];
  readonly sampler: TokenSampler;
  /** Number of tokens of the prompt that an aborted batch has evaluated. */
  keptTokens: number;
}

interface Extras {
  readonly minTokens?: number;
  readonly ignoreEos?: boolean;
  readonly constraint?: TokenConstraint;
}

function begin(
  native: NativeContext,
  sequenceId: number,
  sampling: SamplingParameters,
  { minTokens = 0, ignoreEos = true, constraint }: Extras = {},
): Running {
  const prompt = Array.from({ length: 12 }, (_, at) => 32 + ((sequenceId * 31 + at * 7) % 90));
  const generated: number[] = [];
  const options = resolveSampling({
    sampling,
    stopping: { minTokens, stop: [], ignoreEos },
    defaults: {},
    endOfGeneration: readVocabulary(model).endOfGeneration,
    fallbackSeed: 1,
    choice: sequenceId,
    breakersIn: () => new Map([[40, [[]]]]),
  });
  native.truncate(sequenceId, 0);
  const sampler = native.createSampler({ options, promptTokens: prompt, generated, constraint });
  onTestFinished(() => sampler.dispose());
  return { sequenceId, prompt, generated, sampler, keptTokens: 0 };
}

interface Way {
  readonly next?: NextBatch;
  readonly draws?: Partial<PartDraws>;
}

/** Generates one token of each text. */
async function advance(
  native: NativeContext,
  all: readonly Running[],
  { next = "undecided", draws = {} }: Way = {},
): Promise<void> {
  const parts = all.map(({ sequenceId, prompt, generated, sampler, keptTokens }) => {
    const tokens = generated.length === 0 ? prompt.slice(keptTokens) : generated.slice(-1);
    const position = generated.length === 0 ? keptTokens : prompt.length + generated.length - 1;
    const drawn = { sampler, replayedTokens: [], mayFollow: true, ...draws };
    return { sequenceId, position, tokens, logitsFrom: tokens.length - 1, draws: drawn };
  });
  const rows = await native.evaluate(parts, next);
  for (const [index, { sampler, generated }] of all.entries()) {
    generated.push(await sampler.sample(rows[index]?.[0] as Logits));
  }
}

async function texts(
  native: NativeContext,
  samplings: readonly SamplingParameters[],
  { steps = 20, ...way }: Way & { readonly steps?: number } = {},
  extras: Extras = {},
): Promise<readonly (readonly number[])[]> {
  const all = samplings.map((sampling, id) => begin(native, id, sampling, extras));
  for (let step = 0; step < steps; step++) await advance(native, all, way);
  native.hold();
  return all.map(({ generated }) => generated);
}

const usual: SamplingParameters = { seed: 5 };
const penalties = { repeatPenalty: 1.4, frequencyPenalty: 0.5, repeatLastN: 20 };
const logitBias = new Map([
  [70, 9],
  [71, -9],
]);
const onDevice: readonly (readonly [string, SamplingParameters])[] = [
  ["greedily", { temperature: 0 }],
  ["greedily, with penalties", { temperature: 0, ...penalties }],
  ["as usual", usual],
  ["of the first candidates alone", { seed: 5, temperature: 1, topK: 30, topP: 1, minP: 0 }],
  ["in another order", { ...usual, samplers: ["temperature", "top_k", "min_p", "top_p"] }],
  ["with penalties", { ...usual, temperature: 1.5, ...penalties }],
  ["with penalties of all that was generated", { ...usual, presencePenalty: 1 }],
  ["with penalties of candidates", { ...usual, ...penalties, samplers: ["top_k", "penalties"] }],
  ["with biases", { ...usual, temperature: 1.5, logitBias }],
];
const onRows: readonly (readonly [string, SamplingParameters, Extras])[] = [
  ["from all of the vocabulary", { ...usual, topK: 0 }, {}],
  ["with more candidates than tokens", { ...usual, topK: 100_000 }, {}],
  ["with DRY", { ...usual, dryMultiplier: 3, dryAllowedLength: 1, dryPenaltyLastN: 50 }, {}],
  ["with XTC", { ...usual, xtcProbability: 0.5, xtcThreshold: 0.01 }, {}],
  ["with mirostat", { ...usual, mirostat: 2 }, {}],
  ["with a dynamic temperature", { ...usual, dynatempRange: 0.5 }, {}],
  ["of several candidates at least", { ...usual, minKeep: 3 }, {}],
  ["by the largest min_p", { ...usual, minP: 1 }, {}],
  ["not before some others", usual, { minTokens: 3, ignoreEos: false }],
];

describe.each(onDevice)("tokens %s", (_, sampling) => {
  it("are sampled on the device with the same result as from rows of logits", async () => {
    const samplings = [sampling, sampling, sampling];
    const rows = await open("off");
    const expected = await texts(rows, samplings);
    expect(rows.deviceDraws).toBe(0);
    const native = await open();
    expect(native.samplingDevice).toBe("CPU");
    expect(await texts(native, samplings)).toEqual(expected);
    expect(native.deviceDraws).toBe(60);
    expect(await texts(native, samplings, { next: "alike" })).toEqual(expected);
    expect(native.deviceDraws).toBe(120);
    expect(new Set(expected.flat()).size).toBeGreaterThan(3);
  });
});

describe.each(onRows)("tokens %s", (_, sampling, extras) => {
  it("are sampled from rows of logits, while the device samples other texts", async () => {
    const samplings = [sampling, usual, sampling];
    const expected = await texts(await open("off"), samplings, {}, extras);
    const native = await open();
    expect(await texts(native, samplings, {}, extras)).toEqual(expected);
    expect(native.deviceDraws).toBe(extras.minTokens === undefined ? 20 : 0);
  });
});

describe("a step with device sampling", () => {
  const even: TokenConstraint = {
    allows: (token) => token % 2 === 0,
    allowedTokens: () => new Uint32Array(16).fill(0x5555_5555),
  };

  it("uses rows of logits for constraints and reported probabilities only", async () => {
    const alone = await texts(await open("off"), [usual, usual, usual]);
    const native = await open();
    const all = [0, 1, 2].map((id) =>
      begin(native, id, usual, id === 1 ? { constraint: even } : {}),
    );
    for (let step = 0; step < 20; step++) await advance(native, all);
    expect([all[0]?.generated, all[2]?.generated]).toEqual([alone[0], alone[2]]);
    expect(all[1]?.generated.every((token) => token % 2 === 0)).toBe(true);
    expect(native.deviceDraws).toBe(40);
    expect(
      await texts(native, [usual], { draws: { scores: { origin: "model", top: 2 } } }),
    ).toEqual(alone.slice(0, 1));
    expect(
      await texts(native, [usual], { draws: { scores: { origin: "sampling", top: 2 } } }),
    ).toEqual(alone.slice(0, 1));
    expect(native.deviceDraws).toBe(40);
  });

  it("can switch between the device and rows of logits within a text", async () => {
    const expected = await texts(await open("off"), [{ ...usual, ...penalties }]);
    const native = await open();
    const one = begin(native, 0, { ...usual, ...penalties });
    for (let step = 0; step < 20; step++) {
      const draws = step % 3 === 0 ? { scores: { origin: "model", top: 1 } as const } : {};
      await advance(native, [one], { draws });
    }
    expect([one.generated]).toEqual(expected);
    expect(native.deviceDraws).toBe(13);
  });

  it("verifies drafts with rows of logits, also for the rest of the text", async () => {
    const [text = []] = await texts(await open("off"), [usual]);
    const native = await open();
    const one = begin(native, 0, usual);
    await advance(native, [one]);
    const tokens = text.slice(0, 5);
    const draws = { sampler: one.sampler, replayedTokens: [], mayFollow: true };
    const position = one.prompt.length;
    const part = { sequenceId: 0, position, tokens, logitsFrom: 0, draws };
    const [rows = []] = await native.evaluate([part]);
    for (const row of rows) one.generated.push(await one.sampler.sample(row));
    while (one.generated.length < text.length) await advance(native, [one]);
    expect(one.generated).toEqual(text);
    expect(native.deviceDraws).toBe(1);
  });

  it("draws random numbers for given tokens, so that later tokens do not change", async () => {
    const [text = []] = await texts(await open("off"), [usual]);
    const native = await open();
    const one = begin(native, 0, usual);
    for (let step = 0; step < text.length; step++) {
      await advance(native, [one], { draws: { replayedTokens: text.slice(step, 3) } });
    }
    expect(one.generated).toEqual(text);
    expect(native.deviceDraws).toBe(text.length);
  });
});

describe("a sequence with device sampling", () => {
  it("supports different samplers in turn, and releases those of ended texts", async () => {
    const samplings = onDevice.map(([, sampling]) => sampling);
    const rows = await open("off");
    const native = await open();
    for (const sampling of [...samplings, ...samplings.toReversed()]) {
      const expected = await texts(rows, [sampling], { steps: 5 });
      const one = begin(native, 0, sampling);
      for (let step = 0; step < 5; step++) await advance(native, [one], { next: "alike" });
      native.hold();
      one.sampler.dispose();
      expect([one.generated]).toEqual(expected);
    }
  });

  it("can continue without the device after its thread has ended", async () => {
    // If batches can be aborted, a thread aborts them when it ends.
    const context = await openContext(model, { abortable: false });
    const first = await open("on", context);
    const [expected] = await texts(first, [usual]);
    first.close();
    const second = await open("off", context);
    expect(await texts(second, [usual])).toEqual([expected]);
  });

  it("can be freed before the thread that sampled it ends", async () => {
    const context = await openContext();
    const native = await open("on", context);
    await texts(native, [usual]);
    await context.dispose();
    native.close();
  });
});

describe("texts sampled on the device and from rows of logits", () => {
  const kinds: readonly SamplingParameters[] = [
    usual,
    { ...usual, ...penalties },
    { ...usual, dryMultiplier: 3, dryAllowedLength: 1, dryPenaltyLastN: 50 },
  ];

  async function disturbed(native: NativeContext, group: readonly Running[], disturbance: number) {
    if (disturbance === 1) native.hold();
    if (disturbance === 2) native.truncate(3, 0);
    const scores = { origin: "model", top: 1 } as const;
    const draws = disturbance === 3 ? { scores } : {};
    const advancing = advance(native, group, { next: "alike", draws });
    for (let turn = 4; turn < disturbance; turn++) await new Promise(setImmediate);
    if (disturbance >= 4) native.abort();
    await advancing.catch((error) => {
      if (!(error instanceof BatchAborted)) throw error;
      for (const [index, one] of group.entries()) one.keptTokens += error.keptTokens[index] ?? 0;
    });
  }

  it("can be started ahead and continued", async () => {
    const context = await openContext();
    const { _ctx } = context as unknown as { readonly _ctx: AddonContext };
    const native = await open("on", context);
    const expected = await texts(await open("off"), [usual], { steps: 10 });
    const one = begin(native, 0, usual);
    for (let step = 0; step < 10; step++) {
      await advance(native, [one], { next: "alike" });
      const position = one.prompt.length + step;
      await eventually(() => expect(_ctx.getSequenceKvCacheMaxPosition(0)).toBe(position));
    }
    native.hold();
    expect([one.generated]).toEqual(expected);
    expect([native.earlyBatches, native.deviceDraws]).toEqual([9, 10]);
  });

  it("equal the same texts generated alone, with any additions, ends and aborts", async () => {
    const alone = await texts(await open("off"), kinds, { steps: 30 });
    const native = await open();
    const rounds = fc.tuple(fc.subarray([0, 1, 2], { minLength: 1 }), fc.nat(7));
    await fc.assert(
      fc.asyncProperty(fc.array(rounds, { maxLength: 25 }), async (list) => {
        const all = kinds.map((sampling, id) => begin(native, id, sampling));
        for (const [ids, disturbance] of list) {
          await disturbed(
            native,
            ids.map((id) => all[id] as Running),
            disturbance,
          );
        }
        for (const { sequenceId, generated } of all) {
          expect(generated).toEqual(alone[sequenceId]?.slice(0, generated.length));
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe("logits that are not finite on the device", () => {
  it("fail only the text whose row contains them", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { path, token } = brokenTokenModel(folder, "~");
    const broken = await llama.loadModel({ modelPath: path });
    onTestFinished(() => broken.dispose());
    const native = await open("on", await openContext(broken));
    for (const sampling of [usual, { temperature: 0 }]) {
      const parts = [0, 1].map((id) => {
        const { sequenceId, prompt, sampler } = begin(native, id, sampling);
        const tokens = id === 0 ? [...prompt, token] : prompt;
        const draws = { sampler, replayedTokens: [], mayFollow: true };
        return { sequenceId, position: 0, tokens, logitsFrom: tokens.length - 1, draws };
      });
      const [[bad] = [], [good] = []] = await native.evaluate(parts, "alike");
      await expect(parts[0]?.draws.sampler.sample(bad as Logits)).rejects.toThrow(NotFiniteLogits);
      expect(await parts[1]?.draws.sampler.sample(good as Logits)).toBeGreaterThanOrEqual(0);
    }
    expect(native.deviceDraws).toBe(2);
  });
});

describe("the sampling device", () => {
  it("is none if the CPU computes the logits, unless device sampling is on", async () => {
    expect((await open("auto")).samplingDevice).toBeUndefined();
    expect((await open("off")).samplingDevice).toBeUndefined();
    expect((await open("on")).samplingDevice).toBe("CPU");
  });

  it("is none if the context allows several rows per sequence", async () => {
    const context = await openContext(model, { maxSampledOutputs: 8 });
    expect((await open("on", context)).samplingDevice).toBeUndefined();
  });
});
