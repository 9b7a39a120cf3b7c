import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { Llama, LlamaModel } from "node-llama-cpp";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { SamplingParameters } from "../../../src/core/generation-request.js";
import { attachCompanion } from "../../../src/engine/native/companion/attach-companion.js";
import { withContextParams } from "../../../src/engine/native/companion/native-params.js";
import { NativeContext } from "../../../src/engine/native/native-context.js";
import {
  BatchAborted,
  type BatchPart,
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

const VOCABULARY = 512;

async function open(of = model): Promise<NativeContext> {
  const companion = await attachCompanion(llama, process.env.GGUFD_TEST_COMPANION);
  const sizes = { sequences: 4, contextSize: 256, batchSize: 64 };
  const context = await withContextParams({ abortable: true }, () => of.createContext(sizes));
  onTestFinished(() => context.dispose());
  const native = new NativeContext(context, { layout: "split", streamBytes: 0 }, companion);
  contexts.set(native, (context as unknown as { readonly _ctx: AddonContext })._ctx);
  return native;
}

interface AddonContext {
  getSequenceKvCacheMaxPosition(sequenceId: number): number;
}
const contexts = new WeakMap<NativeContext, AddonContext>();

/** Settles when the next token of a text has been evaluated ahead. */
function begun(native: NativeContext, { sequenceId, prompt, generated }: Running): Promise<void> {
  const context = contexts.get(native);
  return eventually(() =>
    expect(context?.getSequenceKvCacheMaxPosition(sequenceId)).toBe(
      prompt.length + generated.length - 1,
    ),
  );
}

const hot: SamplingParameters = { temperature: 1, topK: 0, topP: 1, minP: 0, seed: 5 };
const samplings: readonly (readonly [string, SamplingParameters])[] = [
  ["greedy", { temperature: 0 }],
  ["hot", hot],
  ["with few candidates", { ...hot, topK: 20, topP: 0.8, minP: 0.02 }],
  ["with penalties", { ...hot, repeatPenalty: 1.4, frequencyPenalty: 0.5, repeatLastN: 20 }],
  ["with penalties of generated tokens", { ...hot, presencePenalty: 1.5 }],
  ["with XTC", { ...hot, xtcProbability: 0.5, xtcThreshold: 0.01 }],
  ["with DRY", { ...hot, dryMultiplier: 3, dryAllowedLength: 1, dryPenaltyLastN: 50 }],
  [
    "with biases",
    {
      ...hot,
      logitBias: new Map([
        [70, 9],
        [71, -9],
      ]),
    },
  ],
];

interface Running {
  readonly sequenceId: number;
  readonly prompt: readonly number[];
  readonly generated: number[];
  readonly sampler: TokenSampler;
  /** Number of tokens of the prompt that an aborted batch has evaluated. */
  keptTokens: number;
}

const promptOf = (seed: number) =>
  Array.from({ length: 12 }, (_, index) => 32 + ((seed * 31 + index * 7) % 90));

function begin(
  native: NativeContext,
  sequenceId: number,
  sampling: SamplingParameters = hot,
  constraint?: TokenConstraint,
): Running {
  const prompt = promptOf(sequenceId);
  const generated: number[] = [];
  const options = resolveSampling({
    sampling,
    stopping: { minTokens: 3, stop: [], ignoreEos: false },
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

const drawing = (sampler: TokenSampler, parts: Partial<PartDraws> = {}): PartDraws => ({
  sampler,
  replayedTokens: [],
  mayFollow: true,
  ...parts,
});

/** Batch part with the rest of the prompt or the last token. */
function nextPart({ sequenceId, prompt, generated, keptTokens }: Running): BatchPart {
  const tokens = generated.length === 0 ? prompt.slice(keptTokens) : generated.slice(-1);
  const position = generated.length === 0 ? keptTokens : prompt.length + generated.length - 1;
  return { sequenceId, position, tokens, logitsFrom: tokens.length - 1 };
}

type Way = "with the batch" | "row by row";

/** Generates one token of each text. */
async function advance(
  native: NativeContext,
  all: readonly Running[],
  { way = "with the batch", next = "undecided" }: { way?: Way; next?: NextBatch } = {},
): Promise<void> {
  const parts = all.map((one) => ({
    ...nextPart(one),
    ...(way === "with the batch" && { draws: drawing(one.sampler) }),
  }));
  const rows = await native.evaluate(parts, next);
  for (const [index, { sampler, generated }] of all.entries()) {
    generated.push(await sampler.sample(rows[index]?.[0] as Logits));
  }
}

async function texts(
  native: NativeContext,
  sampling: SamplingParameters,
  options: { way?: Way; next?: NextBatch } = {},
  steps = 20,
): Promise<readonly (readonly number[])[]> {
  const all = [0, 1, 2].map((id) => begin(native, id, sampling));
  for (let step = 0; step < steps; step++) await advance(native, all, options);
  native.hold();
  return all.map(({ generated }) => generated);
}

describe.each(samplings)("tokens %s", (_, sampling) => {
  it("are the same drawn with their batch, row by row, or in batches started ahead", async () => {
    const native = await open();
    const expected = await texts(native, sampling, { way: "row by row" });
    expect(await texts(native, sampling)).toEqual(expected);
    expect(native.earlyBatches).toBe(0);
    expect(await texts(native, sampling, { next: "alike" })).toEqual(expected);
    expect(new Set(expected.flat()).size).toBeGreaterThan(3);
  });
});

/** Many tokens, so that the most likely token is often one of them. */
const againstEvenTokens = Array.from(
  { length: VOCABULARY / 2 },
  (_, index) => [2 * index, -3] as const,
);

describe.each<readonly [string, SamplingParameters]>([
  ["no other sampler", {}],
  ["a repetition penalty", { repeatPenalty: 1.4, repeatLastN: 20 }],
  ["a frequency penalty", { frequencyPenalty: 1.5 }],
  ["DRY", { dryMultiplier: 3, dryAllowedLength: 1, dryPenaltyLastN: 50 }],
  ["biases", { logitBias: new Map(againstEvenTokens) }],
  ["biases and a penalty", { presencePenalty: 1, logitBias: new Map([[70, 2]]) }],
])("tokens at temperature 0 with %s", (_, sampling) => {
  it("equal those drawn from only the most likely candidate", async () => {
    const native = await open();
    const expected = await texts(native, { ...hot, topK: 1, ...sampling }, { way: "row by row" });
    expect(await texts(native, { temperature: 0, ...sampling })).toEqual(expected);
  });
});

it.runIf(process.platform === "linux")("compute threads have a distinct name", async () => {
  const native = await open();
  await advance(native, [begin(native, 0)]);
  const names = readdirSync("/proc/self/task").map((thread) =>
    readFileSync(`/proc/self/task/${thread}/comm`, "utf8").trim(),
  );
  expect(names).toContain("ggufd step");
});

describe.runIf(process.platform === "linux")("compute threads on all cores", () => {
  const cores = availableParallelism();
  /**
   * Returns the cores that each compute thread of this process may use, by thread id, in the
   * kernel's notation: `0-3`, or `2`.
   */
  const stepThreads = () =>
    new Map(
      readdirSync("/proc/self/task").flatMap((thread): [string, string][] => {
        const status = readFileSync(`/proc/self/task/${thread}/status`, "utf8");
        if (/^Name:\t(.*)$/m.exec(status)?.[1] !== "ggufd step") return [];
        return [[thread, /^Cpus_allowed_list:\t(.*)$/m.exec(status)?.[1] ?? ""]];
      }),
    );
  const allowed = () =>
    /^Cpus_allowed_list:\t(.*)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];

  it("are each bound to a different core, unlike other threads", async () => {
    const before = allowed();
    const native = await open();
    native.setThreads({ decode: cores, prefill: cores });
    await advance(native, [begin(native, 0)]);
    const bound = [...stepThreads().values()].filter((place) => /^\d+$/.test(place));
    expect(new Set(bound).size).toBe(cores);
    expect(allowed()).toBe(before);
  });

  it.runIf(cores > 1)("are released to the scheduler when a step uses fewer threads", async () => {
    // Threads of contexts closed by earlier tests may exit at any time.
    const others = stepThreads();
    const native = await open();
    native.setThreads({ decode: cores, prefill: cores });
    const one = begin(native, 0);
    await advance(native, [one]);
    native.setThreads({ decode: 1, prefill: 1 });
    await advance(native, [one]);
    const own = [...stepThreads()].filter(([thread]) => !others.has(thread));
    expect(own.map(([, place]) => place)).toContain(allowed());
  });
});

describe("a batch started ahead", () => {
  it("is continued if it equals the requested one", async () => {
    const native = await open();
    const expected = await texts(native, hot, {}, 10);
    const all = [0, 1, 2].map((id) => begin(native, id));
    for (let step = 0; step < 10; step++) {
      await advance(native, all, { next: "alike" });
      for (const one of all) await begun(native, one);
    }
    expect(native.earlyBatches).toBe(9);
    expect(all.map(({ generated }) => generated)).toEqual(expected);
    native.hold();
  });

  it("is rolled back without visible effect if another batch is requested", async () => {
    const native = await open();
    const alone = await texts(native, hot, {}, 24);
    const all = [0, 1, 2].map((id) => begin(native, id));
    const [first, second, third] = all as [Running, Running, Running];
    const groups = [all, all, [first], [first, third], [second], all, [third], all, all];
    for (let round = 0; round < 2; round++) {
      for (const group of groups) await advance(native, group, { next: "alike" });
    }
    for (const [index, { generated }] of all.entries()) {
      expect(generated).toEqual(alone[index]?.slice(0, generated.length));
      expect(generated.length).toBeGreaterThan(9);
    }
  });

  it("is rolled back before a sequence is changed", async () => {
    const native = await open();
    const expected = (await texts(native, hot, {}, 8))[1];
    const all = [0, 1].map((id) => begin(native, id));
    for (let step = 0; step < 3; step++) await advance(native, all, { next: "alike" });
    // Waits for the thread, and returns to the requested state.
    native.truncate(0, 0);
    const [, second] = all as [Running, Running];
    for (let step = 0; step < 5; step++) await advance(native, [second], { next: "alike" });
    expect(second.generated).toEqual(expected);
    native.hold();
  });

  it("is not started after the end or the last token of a text", async () => {
    const native = await open();
    const [end = 0] = readVocabulary(model).endOfGeneration;
    const one = begin(native, 0, { temperature: 0, logitBias: new Map([[end, 1000]]) });
    const step = async (mayFollow: boolean) => {
      const draws = drawing(one.sampler, { mayFollow });
      const [[row] = []] = await native.evaluate([{ ...nextPart(one), draws }], "alike");
      one.generated.push(await one.sampler.sample(row as Logits));
    };
    await step(false);
    await step(false);
    expect(native.earlyBatches).toBe(0);
    await step(true);
    await begun(native, one);
    // The fourth token may end the text.
    await step(true);
    expect(one.generated.at(-1)).toBe(end);
    expect(native.earlyBatches).toBe(1);
    await step(true);
    expect(native.earlyBatches).toBe(1);
  });

  /**
   * Draws one token of each text unless the batch is aborted; the caller then requests this or
   * another batch.
   */
  async function disturbed(native: NativeContext, group: readonly Running[], disturbance: number) {
    if (disturbance === 1) native.hold();
    if (disturbance === 2) native.truncate(3, 0);
    const advancing = advance(native, group, { next: "alike" });
    for (let turn = 3; turn < disturbance; turn++) await new Promise(setImmediate);
    if (disturbance >= 3) native.abort();
    await advancing.catch((error) => {
      if (!(error instanceof BatchAborted)) throw error;
      for (const [index, one] of group.entries()) one.keptTokens += error.keptTokens[index] ?? 0;
    });
  }

  it("does not change the result of a text, with any additions and ends", async () => {
    const native = await open();
    const alone = await texts(native, hot, {}, 40);
    const rounds = fc.tuple(fc.subarray([0, 1, 2], { minLength: 1 }), fc.nat(6));
    await fc.assert(
      fc.asyncProperty(fc.array(rounds, { maxLength: 25 }), async (list) => {
        const all = [0, 1, 2].map((id) => begin(native, id));
        for (const [ids, disturbance] of list) {
          const group = ids.map((id) => all[id] as Running);
          await disturbed(native, group, disturbance);
        }
        for (const { sequenceId, generated } of all) {
          expect(generated).toEqual(alone[sequenceId]?.slice(0, generated.length));
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("draft tokens", () => {
  // Draws depend on all previous tokens, including accepted ones of the draft.
  const penalised = {
    temperature: 0,
    frequencyPenalty: 5,
    repeatLastN: 30,
    logitBias: new Map([70, 71, 72].map((token) => [token, 20])),
  };

  async function verify(draft: (text: readonly number[]) => readonly number[]) {
    const native = await open();
    const text = (await texts(native, penalised, {}, 12))[0] ?? [];
    const one = begin(native, 0, penalised);
    await advance(native, [one]);
    const proposed = draft(text.slice(1));
    const part = nextPart(one);
    const tokens = [...part.tokens, ...proposed];
    const [rows = []] = await native.evaluate([
      { ...part, tokens, logitsFrom: 0, draws: drawing(one.sampler) },
    ]);
    let accepted = 0;
    for (const row of rows) {
      const token = await one.sampler.sample(row);
      one.generated.push(token);
      if (token !== proposed[accepted]) break;
      accepted++;
    }
    native.truncate(0, one.prompt.length + one.generated.length - 1);
    while (one.generated.length < text.length) await advance(native, [one]);
    expect(one.generated).toEqual(text);
    return accepted;
  }

  it("are accepted as long as the same tokens are drawn, without changing the text", async () => {
    expect(await verify((text) => text.slice(0, 6))).toBe(6);
    expect(await verify((text) => [...text.slice(0, 3), 5, 5])).toBe(3);
    expect(await verify(() => [5, 6, 7])).toBe(0);
  });
});

describe("given tokens", () => {
  it("replace the first draws without changing later ones", async () => {
    const native = await open();
    const text = (await texts(native, hot, {}, 6))[0] ?? [];
    const one = begin(native, 0);
    for (let step = 0; step < 6; step++) {
      const draws = drawing(one.sampler, { replayedTokens: text.slice(step, 3) });
      const [[row] = []] = await native.evaluate([{ ...nextPart(one), draws }]);
      one.generated.push(await one.sampler.sample(row as Logits));
    }
    expect(one.generated).toEqual(text);
  });
});

describe("a constraint", () => {
  const only = (isAllowed: (token: number) => boolean): TokenConstraint & { masks: number } => ({
    masks: 0,
    allows: isAllowed,
    allowedTokens() {
      this.masks++;
      const mask = new Uint32Array(VOCABULARY / 32);
      for (let token = 0; token < VOCABULARY; token++) {
        if (isAllowed(token)) mask[token >>> 5] = (mask[token >>> 5] ?? 0) | (1 << (token & 31));
      }
      return mask;
    },
  });

  it("is applied with the batch or row by row, without effect on other texts", async () => {
    const native = await open();
    const expected = await texts(native, hot);
    const even = only((token) => token % 2 === 0 && token > 40);
    const constrained = begin(native, 3, hot, even);
    const all = [...[0, 1, 2].map((id) => begin(native, id)), constrained];
    for (let step = 0; step < 20; step++) await advance(native, all, { next: "alike" });
    expect(all.slice(0, 3).map(({ generated }) => generated)).toEqual(expected);
    expect(constrained.generated.every((token) => token % 2 === 0 && token > 40)).toBe(true);
    expect(native.earlyBatches).toBe(0);

    const again = begin(native, 3, hot, even);
    for (let step = 0; step < 20; step++) await advance(native, [again], { way: "row by row" });
    expect(again.generated).toEqual(constrained.generated);
  });

  it.each<readonly [string, () => Uint32Array, string]>([
    ["cannot be computed", () => expect.fail("too ambiguous"), "too ambiguous"],
    ["has another length", () => new Uint32Array(1), "mask: expected 16 words, got 1"],
  ])("whose mask %s fails only its own text", async (_, allowedTokens, message) => {
    const native = await open();
    let isFailing = false;
    const rare = only((token) => token === 300);
    const failing: TokenConstraint = {
      allows: rare.allows,
      allowedTokens: () => (isFailing ? allowedTokens() : rare.allowedTokens()),
    };
    const constrained = begin(native, 3, hot, failing);
    // A constraint that rejects draws repeatedly is masked with the batch.
    for (let step = 0; step < 6; step++) await advance(native, [constrained]);
    isFailing = true;
    const free = begin(native, 0);
    const parts = [free, constrained].map((one) => ({
      ...nextPart(one),
      draws: drawing(one.sampler),
    }));
    const [first = [], second = []] = await native.evaluate(parts);
    await expect(constrained.sampler.sample(second[0] as Logits)).rejects.toThrow(message);
    expect(await free.sampler.sample(first[0] as Logits)).toBe(
      (await texts(native, hot, {}, 1))[0]?.[0],
    );
  });
});

describe("probabilities computed with the batch", () => {
  it.each(["model", "sampling"] as const)("of the %s equal those requested later", async (of) => {
    const native = await open();
    const sampling = { ...hot, temperature: 0.7, topK: 15 };
    const later = begin(native, 0, sampling);
    const [[row] = []] = await native.evaluate([nextPart(later)]);
    const asked = async () => {
      if (of === "sampling") return later.sampler.sampleScored(row as Logits, 4);
      const token = await later.sampler.sample(row as Logits);
      const [probabilities] = await native.logProbabilities([{ logits: row as Logits, token }], 4);
      return { token, probabilities };
    };
    const expected = await asked();

    const one = begin(native, 0, sampling);
    const draws = drawing(one.sampler, { scores: { origin: of, top: 4 } });
    const [[same] = []] = await native.evaluate([{ ...nextPart(one), draws }]);
    const logits = same as Logits;
    if (of === "sampling") expect(await one.sampler.sampleScored(logits, 4)).toEqual(expected);
    const token = of === "sampling" ? expected.token : await one.sampler.sample(logits);
    if (of === "model") {
      const [probabilities] = await native.logProbabilities([{ logits, token }], 4);
      expect({ token, probabilities }).toEqual(expected);
    }
    expect(expected.probabilities?.top).toHaveLength(4);
  });
});

describe("logits that are not finite", () => {
  it("fail only the text whose row contains them", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { path, token } = brokenTokenModel(folder, "~");
    const broken = await llama.loadModel({ modelPath: path });
    onTestFinished(() => broken.dispose());
    const native = await open(broken);
    const [bad, good] = [begin(native, 0), begin(native, 1)];
    const parts = [bad, good].map((one) => ({ ...nextPart(one), draws: drawing(one.sampler) }));
    const [first = [], second = []] = await native.evaluate(
      parts.map((part, index) =>
        index === 0 ? { ...part, tokens: [token], logitsFrom: 0 } : part,
      ),
      "alike",
    );
    await expect(bad.sampler.sample(first[0] as Logits)).rejects.toThrow(NotFiniteLogits);
    expect(await good.sampler.sample(second[0] as Logits)).toBeGreaterThanOrEqual(0);
  });
});
