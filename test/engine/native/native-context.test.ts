import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Llama, LlamaContext, LlamaModel } from "node-llama-cpp";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { buildCompanionParams } from "../../../src/engine/memory/context-options.js";
import { attachCompanion } from "../../../src/engine/native/companion/attach-companion.js";
import type { NativeCompanion } from "../../../src/engine/native/companion/native-companion.js";
import { withContextParams } from "../../../src/engine/native/companion/native-params.js";
import { NativeContext } from "../../../src/engine/native/native-context.js";
import {
  BatchAborted,
  type BatchPart,
  type Logits,
  NotFiniteLogits,
} from "../../../src/engine/native/token-context.js";
import { resolveSampling } from "../../../src/engine/sampling/sampling-options.js";
import { nativeLibrary } from "../../support/native-library.js";
import { tinyModel } from "../../support/random-models.js";

const subject = {
  attention: { queryHeads: 4, kvHeads: [2], keyLength: 64, valueLength: 64 },
  processor: { kind: "cpu", build: "prebuilt", vectorLength: 32 },
  batches: "divisible",
  largestMatrix: 2 ** 12,
} as const;
const splitCache = { layout: "split", streamBytes: 0 } as const;

let llama: Llama;
let companion: NativeCompanion;
let model: LlamaModel;
let context: LlamaContext;
let native: NativeContext;
beforeAll(async () => {
  llama = await nativeLibrary();
  companion = await attachCompanion(llama, process.env.GGUFD_TEST_COMPANION);
  model = await llama.loadModel({ modelPath: tinyModel() });
  context = await model.createContext({ sequences: 4, contextSize: 256, batchSize: 64 });
  native = new NativeContext(context, splitCache, companion);
});
afterAll(async () => {
  await context.dispose();
  await model.dispose();
});
beforeEach(() => {
  for (let id = 0; id < native.sequences; id++) native.truncate(id, 0);
});

const tokens = (seed: number, count: number) =>
  Array.from({ length: count }, (_, index) => 32 + ((seed * 31 + index * 7) % 90));

/** A batch part that requests the logits of its last token. */
const partOf = (sequenceId: number, position: number, text: readonly number[]): BatchPart => ({
  sequenceId,
  position,
  tokens: text,
  logitsFrom: text.length - 1,
});

function sampler(
  fields: Partial<Parameters<typeof resolveSampling>[0]["sampling"]> = {},
  owner = native,
) {
  const generated: number[] = [];
  const options = resolveSampling({
    sampling: { temperature: 0, ...fields },
    stopping: { minTokens: 0, stop: [], ignoreEos: false },
    defaults: {},
    endOfGeneration: new Set(),
    fallbackSeed: 1,
    breakersIn: () => new Map(),
  });
  const made = owner.createSampler({ options, promptTokens: [], generated });
  const sample = (logits: Logits) => made.sample(logits);
  return { sample, dispose: () => made.dispose(), generated };
}

/** The greedy continuation of a sequence after its last batch part. */
async function continuation(part: BatchPart, count: number, context = native): Promise<number[]> {
  const { sample, generated, dispose } = sampler({}, context);
  let next = part;
  for (let index = 0; index < count; index++) {
    const [[logits] = []] = await context.evaluate([next]);
    if (logits === undefined) throw new Error("no logits");
    const token = await sample(logits);
    generated.push(token);
    next = partOf(part.sequenceId, next.position + next.tokens.length, [token]);
  }
  dispose();
  return generated;
}

describe("behaviour that node-llama-cpp does not guarantee", () => {
  it("exposes the number of sequences and the batch size", () => {
    expect(native).toMatchObject({ sequences: 4, batchSize: 64, partialTruncation: "supported" });
  });

  it("evaluates several sequences in one batch, independently of each other", async () => {
    const prompts = [0, 1, 2, 3].map((id) => tokens(id, 5 + 3 * id));
    const alone: number[][] = [];
    for (const prompt of prompts) {
      alone.push(await continuation(partOf(0, 0, prompt), 1));
      native.truncate(0, 0);
    }
    const logits = await native.evaluate(prompts.map((prompt, id) => partOf(id, 0, prompt)));
    const { sample, dispose } = sampler();
    for (const [id, [handle]] of logits.entries()) {
      if (handle === undefined) throw new Error("no logits");
      expect([await sample(handle)]).toEqual(alone[id]);
    }
    dispose();
  });

  it("returns only the requested logits", async () => {
    const prompt = tokens(5, 12);
    const [noLogits, lastLogits, threeLogits] = await native.evaluate([
      { ...partOf(0, 0, prompt), logitsFrom: prompt.length },
      partOf(1, 0, prompt),
      { ...partOf(2, 0, prompt), logitsFrom: prompt.length - 3 },
    ]);
    expect([noLogits?.length, lastLogits?.length, threeLogits?.length]).toEqual([0, 1, 3]);
    const { sample, dispose } = sampler();
    const sampled = await Promise.all(
      [lastLogits?.[0], threeLogits?.[2]].map((handle) => handle && sample(handle)),
    );
    expect(sampled[0]).toBe(sampled[1]);
    dispose();
  });

  it("continues after a truncation as if removed tokens had never been evaluated", async () => {
    const prompt = tokens(6, 20);
    const reference = await continuation(partOf(0, 0, prompt), 8);
    await continuation(partOf(1, 0, [...prompt.slice(0, 11), ...tokens(9, 20)]), 1);
    native.truncate(1, 11);
    expect(await continuation(partOf(1, 11, prompt.slice(11)), 8)).toEqual(reference);
  });

  it("continues a copy like the original, which does not change", async () => {
    const prompt = tokens(7, 30);
    const reference = await continuation(partOf(0, 0, prompt), 8);
    native.truncate(0, 0);
    await native.evaluate([{ ...partOf(0, 0, prompt.slice(0, 20)), logitsFrom: 20 }]);
    await continuation(partOf(2, 0, tokens(1, 9)), 3);
    await native.copy(0, 2);
    expect(await continuation(partOf(2, 20, prompt.slice(20)), 8)).toEqual(reference);
    expect(await continuation(partOf(0, 20, prompt.slice(20)), 8)).toEqual(reference);
  });

  it("executes several copies in order before the next batch", async () => {
    const [first, second] = [tokens(11, 20), tokens(12, 20)];
    const references = [await continuation(partOf(0, 0, first), 4)];
    native.truncate(0, 0);
    references.push(await continuation(partOf(0, 0, second), 4));
    native.truncate(0, 0);
    await native.evaluate([
      { ...partOf(0, 0, first.slice(0, 19)), logitsFrom: 19 },
      { ...partOf(1, 0, second.slice(0, 19)), logitsFrom: 19 },
    ]);
    await native.copy(0, 2);
    await native.copy(1, 0);
    expect(await continuation(partOf(2, 19, first.slice(19)), 4)).toEqual(references[0]);
    expect(await continuation(partOf(0, 19, second.slice(19)), 4)).toEqual(references[1]);
  });

  it("executes a copy after an intermediate restore into its source", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "a.state");
    const [source, restored] = [tokens(7, 30), tokens(8, 30)];
    const reference = await continuation(partOf(0, 0, source), 8);
    await native.evaluate([{ ...partOf(1, 0, restored.slice(0, 29)), logitsFrom: 29 }]);
    await native.save(1, restored.slice(0, 29), path);
    native.truncate(0, 29);
    await native.copy(0, 2);
    await native.restore(0, path);
    expect(await continuation(partOf(2, 29, source.slice(29)), 8)).not.toEqual(reference);
  });

  it("restores a saved state into another sequence with any content", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "a.state");
    const prompt = tokens(8, 25);
    const reference = await continuation(partOf(0, 0, prompt), 6);
    native.truncate(0, 0);
    await native.evaluate([{ ...partOf(0, 0, prompt.slice(0, 20)), logitsFrom: 20 }]);
    expect(await native.save(0, prompt.slice(0, 20), path)).toBe(statSync(path).size);
    await continuation(partOf(3, 0, tokens(2, 40)), 2);
    expect(await native.restore(3, path)).toEqual(prompt.slice(0, 20));
    // Placeholder for the cells of media, which have no token.
    const withMedia = [...prompt.slice(0, 10), ...new Array(10).fill(-1)];
    await native.save(0, withMedia, path);
    expect(await native.restore(3, path)).toEqual(withMedia);
    expect(await continuation(partOf(3, 20, prompt.slice(20)), 6)).toEqual(reference);
    await expect(native.restore(3, join(folder, "none"))).rejects.toThrow();
    await expect(native.save(0, prompt, join(folder, "no", "folder"))).rejects.toThrow();
  });

  it("applies logit biases, including those of end-of-generation tokens", async () => {
    const prompt = tokens(3, 9);
    const sampleWith = async (fields: Parameters<typeof sampler>[0]) => {
      native.truncate(0, 0);
      const [[logits] = []] = await native.evaluate([partOf(0, 0, prompt)]);
      if (logits === undefined) throw new Error("no logits");
      const { sample, dispose } = sampler(fields);
      const token = await sample(logits);
      dispose();
      return token;
    };
    const end = 511;
    expect(model.isEogToken(end as never)).toBe(true);
    expect(await sampleWith({ logitBias: new Map([[end, 1000]]) })).toBe(end);
    const likeliest = await sampleWith({});
    const forbidden = new Map([[likeliest, Number.NEGATIVE_INFINITY]]);
    expect(await sampleWith({ logitBias: forbidden })).not.toBe(likeliest);
  });

  it("rejects a batch that exceeds the batch size", async () => {
    await expect(native.evaluate([partOf(0, 0, tokens(1, 65))])).rejects.toThrow(/batch/i);
  });
});

describe.each(["mamba-tiny", "jamba-tiny", "cohere2-tiny"] as const)(
  "the state of %s without partial truncation",
  (shape) => {
    let wholeStateModel: LlamaModel;
    let wholeStateContext: LlamaContext;
    let wholeStateNative: NativeContext;
    beforeAll(async () => {
      wholeStateModel = await llama.loadModel({ modelPath: tinyModel("f32", shape) });
      wholeStateContext = await wholeStateModel.createContext({
        sequences: 3,
        contextSize: 512,
        batchSize: 48,
      });
      wholeStateNative = new NativeContext(wholeStateContext, splitCache, companion);
    });
    afterAll(async () => {
      await wholeStateContext.dispose();
      await wholeStateModel.dispose();
    });

    const evaluate = async (sequenceId: number, position: number, text: readonly number[]) => {
      for (let from = 0; from < text.length; from += 40) {
        const slice = text.slice(from, from + 40);
        await wholeStateNative.evaluate([
          { ...partOf(sequenceId, position + from, slice), logitsFrom: slice.length },
        ]);
      }
    };

    it("can be restored in the middle of a prompt into any sequence", async () => {
      const folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const path = join(folder, "checkpoint.state");
      const prompt = tokens(4, 200);
      const last = partOf(0, 199, prompt.slice(199));
      await evaluate(0, 0, prompt.slice(0, 150));
      await wholeStateNative.save(0, prompt.slice(0, 150), path);
      await evaluate(0, 150, prompt.slice(150, 199));
      const reference = await continuation(last, 8, wholeStateNative);
      await evaluate(2, 0, tokens(5, 300));
      for (const sequenceId of [0, 1, 2]) {
        await wholeStateNative.restore(sequenceId, path);
        await evaluate(sequenceId, 150, prompt.slice(150, 199));
        expect(await continuation({ ...last, sequenceId }, 8, wholeStateNative)).toEqual(reference);
      }
    });

    it.runIf(shape === "cohere2-tiny")(
      "is cut where its window is still in the cache",
      async () => {
        const prompt = tokens(8, 500);
        const cutAt = async (sequenceId: number, cut: number) => {
          wholeStateNative.truncate(sequenceId, 0);
          await evaluate(sequenceId, 0, prompt);
          const lowest = wholeStateNative.lowestCut(sequenceId);
          wholeStateNative.truncate(sequenceId, cut);
          const next = partOf(sequenceId, cut, prompt.slice(cut, cut + 1));
          return { lowest, answer: await continuation(next, 8, wholeStateNative) };
        };
        const anew = async (cut: number) => {
          wholeStateNative.truncate(1, 0);
          await evaluate(1, 0, prompt.slice(0, cut));
          return continuation(partOf(1, cut, prompt.slice(cut, cut + 1)), 8, wholeStateNative);
        };
        wholeStateNative.truncate(0, 0);
        expect(wholeStateNative.lowestCut(0)).toBe(0);
        await evaluate(0, 0, prompt.slice(0, 100));
        expect(wholeStateNative.lowestCut(0)).toBe(0);
        const { lowest } = await cutAt(0, 499);
        expect(lowest).toBeGreaterThan(32);
        expect(lowest).toBeLessThan(499);
        for (const cut of [lowest, lowest + 7, 498]) {
          expect((await cutAt(0, cut)).answer, `cut at ${cut}`).toEqual(await anew(cut));
        }
      },
    );

    it.skipIf(shape === "cohere2-tiny")("cannot be cut", async () => {
      wholeStateNative.truncate(0, 0);
      await evaluate(0, 0, tokens(6, 20));
      expect(wholeStateNative.lowestCut(0)).toBe(Number.POSITIVE_INFINITY);
    });

    it("is reported as not truncatable", () => {
      expect(wholeStateNative).toMatchObject({
        partialTruncation: "unsupported",
        retraction: shape === "cohere2-tiny" ? "truncate" : "rewind",
      });
    });

    /**
     * Evaluates a text and further tokens in one batch, and removes the further tokens.
     * @returns the tokens that the sequence then holds
     */
    const evaluateAndReject = async (
      sequenceId: number,
      position: number,
      text: readonly number[],
    ): Promise<number> => {
      const part = { sequenceId, position, tokens: [...text, ...tokens(77, 5)], logitsFrom: 0 };
      if (wholeStateNative.retraction === "truncate") {
        await wholeStateNative.evaluate([part]);
        wholeStateNative.truncate(sequenceId, position + text.length);
        return position + text.length;
      }
      const mark = await wholeStateNative.mark(sequenceId);
      await wholeStateNative.evaluate([part]);
      await mark.rewind();
      mark.dispose();
      return position;
    };

    it("continues after rejected tokens as if they had never been evaluated", async () => {
      for (const id of [0, 1]) wholeStateNative.truncate(id, 0);
      // More tokens than the cells of a sliding window, so that cells are reused.
      const prompt = tokens(6, 400);
      const last = partOf(0, 399, prompt.slice(399));
      await evaluate(0, 0, prompt.slice(0, 399));
      const reference = await continuation(last, 8, wholeStateNative);
      await evaluate(1, 0, prompt.slice(0, 3));
      for (let held = 3; held < 399; held += 3) {
        const kept = await evaluateAndReject(1, held, prompt.slice(held, held + 2));
        await evaluate(1, kept, prompt.slice(kept, held + 3));
      }
      const next = { ...last, sequenceId: 1 };
      expect(await continuation(next, 8, wholeStateNative)).toEqual(reference);
    });

    it.skipIf(shape === "cohere2-tiny")("cannot be rewound to a freed mark", async () => {
      wholeStateNative.truncate(0, 0);
      await evaluate(0, 0, tokens(6, 20));
      const mark = await wholeStateNative.mark(0);
      mark.dispose();
      await expect(mark.rewind()).rejects.toThrow("Checkpoint is disposed");
    });
  },
);

describe("a batch", () => {
  let opened: LlamaContext;
  let limited: NativeContext;
  beforeAll(async () => {
    const options = { slots: 2, batchSize: 256, layout: "split" } as const;
    const params = { ...buildCompanionParams(subject, options), microBatchTokens: 32 };
    opened = await withContextParams(params, () =>
      model.createContext({ sequences: 2, contextSize: 256, batchSize: 256 }),
    );
    limited = new NativeContext(opened, splitCache, companion);
  });
  afterAll(() => opened.dispose());
  beforeEach(() => {
    for (const id of [0, 1]) limited.truncate(id, 0);
  });

  it("continues after the passes that were completed before an abort", async () => {
    const prompt = tokens(3, 150);
    const reference = await continuation(partOf(0, 0, prompt), 5, limited);
    limited.truncate(0, 0);
    await limited.evaluate([partOf(0, 0, prompt.slice(0, 20))]);
    // An abort may come before the first pass or after the last one.
    let kept: readonly number[] = [];
    for (let turns = 0; kept.every((count) => count === 0); turns = (turns + 1) % 40) {
      limited.truncate(0, 20);
      limited.truncate(1, 0);
      const evaluated = limited.evaluate([
        partOf(0, 20, prompt.slice(20, 120)),
        partOf(1, 0, tokens(4, 130)),
      ]);
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
      limited.abort();
      kept = await evaluated.then(
        () => [0, 0],
        (error: unknown) => {
          expect(error).toBeInstanceOf(BatchAborted);
          return (error as BatchAborted).keptTokens;
        },
      );
    }
    // Tokens whose logits are requested are evaluated again.
    expect(kept[0]).toBeLessThan(100);
    expect(kept[1]).toBeLessThan(130);
    const begin = 20 + (kept[0] ?? 0);
    expect(await continuation(partOf(0, begin, prompt.slice(begin)), 5, limited)).toEqual(
      reference,
    );
  });

  it("is unaffected by an abort before or after it", async () => {
    const prompt = tokens(3, 20);
    limited.abort();
    const reference = await continuation(partOf(0, 0, prompt), 5, limited);
    limited.abort();
    expect(await continuation(partOf(1, 0, prompt), 5, limited)).toEqual(reference);
  });

  it("is rejected if it has more rows than llama.cpp supports", async () => {
    expect(limited.maxOutputs).toBe(64);
    const all = { ...partOf(0, 0, tokens(5, 65)), logitsFrom: 0 };
    await expect(limited.evaluate([all])).rejects.toThrow("more rows of logits");
    const [handles] = await limited.evaluate([{ ...all, logitsFrom: 1 }]);
    expect(handles).toHaveLength(64);
  });
});

describe.each(["split", "unified"] as const)("a state with NaN in a %s cache", (layout) => {
  const prompt = tokens(8, 60);
  /** Does not overwrite the last cells of the damaged state. */
  const short = tokens(9, 20);
  let opened: LlamaContext;
  let damaged: NativeContext;
  let reference: readonly number[];
  beforeAll(async () => {
    const options = { slots: 2, batchSize: 64, layout } as const;
    // Without flash attention, cells of other sequences are read and multiplied by 0.
    opened = await withContextParams(buildCompanionParams(subject, options), () =>
      model.createContext({
        sequences: 2,
        contextSize: 256,
        batchSize: 64,
        flashAttention: false,
      }),
    );
    damaged = new NativeContext(opened, { layout, streamBytes: 0 }, companion);
    reference = await continuation(partOf(1, 0, short), 4, damaged);
    damaged.truncate(1, 0);
  });
  afterAll(() => opened.dispose());
  beforeEach(async () => {
    const folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "a.state");
    damaged.truncate(0, 0);
    await damaged.evaluate([partOf(0, 0, prompt)]);
    await damaged.save(0, prompt, path);
    const state = readFileSync(path);
    writeFileSync(path, state.fill(0xff, state.length - 2000, state.length - 16));
    await damaged.restore(0, path);
  });

  const next = async () => {
    const [[logits] = []] = await damaged.evaluate([partOf(0, 60, tokens(3, 2))]);
    if (logits === undefined) throw new Error("no logits");
    return logits;
  };

  it("gives logits that are rejected for sampling and log-probabilities", async () => {
    const logits = await next();
    const { sample, dispose } = sampler({}, damaged);
    onTestFinished(dispose);
    await expect(sample(logits)).rejects.toThrow(NotFiniteLogits);
    const question = [{ logits, token: 40 }];
    await expect(damaged.logProbabilities(question, 0)).rejects.toThrow(NotFiniteLogits);
  });

  it("is removed when the cache is cleared", async () => {
    await next();
    damaged.clear();
    for (const id of [1, 0]) {
      expect(await continuation(partOf(id, 0, short), 4, damaged)).toEqual(reference);
      damaged.truncate(id, 0);
    }
  });
});

describe("a context with a unified cache", () => {
  const CELLS = 1024;
  let opened: LlamaContext;
  let unified: NativeContext;
  beforeAll(async () => {
    const options = { slots: 4, batchSize: 256, layout: "unified" } as const;
    opened = await withContextParams(buildCompanionParams(subject, options), () =>
      model.createContext({ sequences: 4, contextSize: CELLS / 4, batchSize: 256 }),
    );
    unified = new NativeContext(opened, { layout: "unified", streamBytes: 0 }, companion);
  });
  afterAll(() => opened.dispose());
  beforeEach(() => {
    for (let id = 0; id < unified.sequences; id++) unified.truncate(id, 0);
  });

  const fill = async (sequenceId: number, count: number, from = 0) => {
    for (let position = from; position < from + count; position += 256) {
      const length = Math.min(256, from + count - position);
      await unified.evaluate([partOf(sequenceId, position, tokens(position, length))]);
    }
  };

  it("reports its cells, and a copy cost of zero", () => {
    expect(unified).toMatchObject({ layout: { kind: "unified", cells: CELLS }, copyMs: 0 });
  });

  it("copies immediately, using the same cells", async () => {
    const prefix = CELLS - 40;
    await fill(0, prefix);
    for (const id of [1, 2, 3]) await unified.copy(0, id);
    const next = [0, 1, 2, 3].map((id) => partOf(id, prefix, tokens(7, 10)));
    const [first, ...others] = await unified.evaluate(next);
    const { sample, dispose } = sampler({}, unified);
    const token = first?.[0] && (await sample(first[0]));
    for (const [handle] of others) expect(handle && (await sample(handle))).toBe(token);
    dispose();
    await expect(fill(0, 1, prefix + 10)).rejects.toThrow();
  });

  it("keeps a copy when its source is cleared or diverges", async () => {
    const text = tokens(5, 60);
    const reference = await continuation(partOf(0, 0, text), 5, unified);
    unified.truncate(0, 59);
    await unified.copy(0, 1);
    unified.truncate(0, 20);
    await unified.evaluate([partOf(0, 20, tokens(9, 100))]);
    expect(await continuation(partOf(1, 59, text.slice(59)), 5, unified)).toEqual(reference);
    unified.truncate(0, 0);
    unified.truncate(1, 59);
    expect(await continuation(partOf(1, 59, text.slice(59)), 5, unified)).toEqual(reference);
  });

  it("saves a shared state, and restores a state longer than an even share", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    await fill(0, 600);
    await unified.copy(0, 1);
    const held = [0, 256, 512].flatMap((at) => tokens(at, Math.min(256, 600 - at)));
    await unified.save(1, held, join(folder, "state"));
    const end = partOf(0, 600, tokens(3, 4));
    const reference = await continuation(end, 5, unified);
    for (const id of [0, 1]) unified.truncate(id, 0);
    // Makes the free cells non-contiguous.
    await fill(2, 300);
    await fill(3, 100);
    unified.truncate(2, 0);
    await unified.restore(0, join(folder, "state"));
    expect(await continuation(end, 5, unified)).toEqual(reference);
  });
});
