import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Llama, LlamaContext, LlamaModel } from "node-llama-cpp";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { StartupError } from "../../../../src/core/startup-error.js";
import { attachCompanion } from "../../../../src/engine/native/companion/attach-companion.js";
import type {
  ContextParams,
  NativeCompanion,
} from "../../../../src/engine/native/companion/native-companion.js";
import {
  type Bindings,
  withContextParams,
} from "../../../../src/engine/native/companion/native-params.js";
import { nativeLibrary } from "../../../support/native-library.js";
import { tinyModel } from "../../../support/random-models.js";

/** Members of the binding's context that the tests use directly. */
interface AddonContext {
  initBatch(tokens: number): void;
  addToBatch(
    sequenceId: number,
    position: number,
    tokens: Uint32Array,
    logitIndexes: Uint32Array,
  ): Uint32Array;
  decodeBatch(): Promise<void>;
  sampleToken(row: number, sampler: object, ...options: unknown[]): Promise<unknown>;
  disposeSequence(sequenceId: number): void;
  getSequenceKvCacheMaxPosition(sequenceId: number): number;
}

let llama: Llama;
let model: LlamaModel;
let native: NativeCompanion;
let bindings: Bindings;
beforeAll(async () => {
  llama = await nativeLibrary();
  model = await llama.loadModel({ modelPath: tinyModel() });
  native = await attachCompanion(llama, process.env.GGUFD_TEST_COMPANION);
  bindings = (llama as unknown as { readonly _bindings: Bindings })._bindings;
});
afterAll(async () => {
  await model.dispose();
});

const sizes = { sequences: 4, contextSize: 256, batchSize: 256 };

async function open(params: ContextParams, options: Partial<typeof sizes> = {}, of = model) {
  const context = await withContextParams(params, () => of.createContext({ ...sizes, ...options }));
  onTestFinished(async () => context.dispose());
  return addonOf(context);
}

function modelObject(): object {
  return (model as unknown as { readonly _model: object })._model;
}

function addonOf(context: LlamaContext): AddonContext {
  return (context as unknown as { readonly _ctx: AddonContext })._ctx;
}

const text = (seed: number, count: number) =>
  Uint32Array.from({ length: count }, (_, index) => 32 + ((seed * 31 + index * 7) % 90));

/** Evaluates one text in one sequence. @returns the row of its last token */
async function evaluate(context: AddonContext, tokens: Uint32Array, sequenceId = 0, position = 0) {
  context.initBatch(tokens.length);
  const [row] = context.addToBatch(sequenceId, position, tokens, Uint32Array.of(tokens.length - 1));
  await context.decodeBatch();
  if (row === undefined) throw new Error("no row");
  return row;
}

/** All logits of a row, read through the binding. */
async function logitsOf(context: AddonContext, row: number): Promise<number[]> {
  const { _bindings } = llama as unknown as {
    readonly _bindings: {
      readonly AddonSampler: new (
        model: object,
      ) => {
        applyConfig(config: object): void;
        dispose(): void;
      };
    };
  };
  const sampler = new _bindings.AddonSampler(
    (model as unknown as { readonly _model: object })._model,
  );
  sampler.applyConfig({ temperature: 0 });
  const [, , , pairs] = (await context.sampleToken(row, sampler, false, false, true)) as [
    number,
    unknown,
    unknown,
    number[],
  ];
  sampler.dispose();
  const logits: number[] = [];
  for (let index = 0; index < pairs.length; index += 2) {
    logits[pairs[index] as number] = pairs[index + 1] as number;
  }
  return logits;
}

function logSoftmax(logits: readonly number[]): number[] {
  const max = Math.max(...logits);
  const sum = Math.log(logits.reduce((total, logit) => total + Math.exp(logit - max), 0));
  return logits.map((logit) => logit - max - sum);
}

describe("attaching the native companion", () => {
  it("finds the prebuilt file of this platform", async () => {
    expect((await attachCompanion(llama)).facts).toEqual(native.facts);
  });

  const folder = fileURLToPath(
    new URL("../../../../src/engine/native/companion/", import.meta.url),
  );
  const sourcesOf = (room: string, besides: readonly string[] = []) => {
    const names = readdirSync(join(folder, room)).toSorted();
    const files = [".cpp", ".h"].flatMap((ending) => names.filter((name) => name.endsWith(ending)));
    const hash = createHash("sha256");
    for (const file of [...files, ...besides, "build.sh"]) {
      hash.update(readFileSync(join(folder, room, file)));
    }
    return hash.digest("hex").slice(0, 16);
  };

  it.each([
    [".node", sourcesOf("native"), 420_000],
    [".media.node", sourcesOf("media", ["../native/arguments.h"]), 1_900_000],
    [
      ".decoder.node",
      sourcesOf("decoder", [
        ...["../media/atexit.cpp", "../media/background_work.h", "../native/arguments.h"],
      ]),
      500_000,
    ],
    [
      ".rpc.node",
      sourcesOf("rpc", ["../media/background_work.h", "../native/arguments.h"]),
      400_000,
    ],
  ])(
    "requires prebuilt *%s files of the current sources for every platform",
    (ending, sources, maxBytes) => {
      const files = ["linux-arm64", "linux-x64"].map((platform) => `${platform}${ending}`);
      for (const file of files) {
        const bytes = readFileSync(join(folder, "prebuilt", file));
        expect(bytes.includes(sources), `${file}: npm run build:companion renews it`).toBe(true);
        expect(bytes.length, file).toBeLessThan(maxBytes);
      }
    },
  );

  it.each([
    ["a missing file", undefined, /does not exist/],
    ["a file that is not an addon", "not a module", /./],
    [
      "an addon built for another version",
      'exports.facts = { builtFor: "node-llama-cpp 1.2.3" };',
      /built for node-llama-cpp 1\.2\.3, but node-llama-cpp \d/,
    ],
    [
      "an addon built with other structures",
      `exports.facts = { builtFor: VERSION, contextParamsBytes: 8, modelParamsBytes: 8 };
       exports.attach = () => {};
       exports.measureStructures = () => ({ contextParamsBytes: 9, modelParamsBytes: 8 });`,
      /contextParamsBytes of 8, but the library has 16/,
    ],
    [
      "an addon that does not find llama.cpp's functions",
      'exports.facts = { builtFor: VERSION }; exports.attach = () => { throw new Error("no llama_x"); };',
      /no llama_x/,
    ],
  ])("rejects %s with the reason", async (_, source, reason) => {
    const folder = mkdtempSync(join(tmpdir(), "ggufd-companion-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "companion.cjs");
    if (source !== undefined) {
      writeFileSync(file, source.replace("VERSION", JSON.stringify(native.facts.builtFor)));
    }
    const attaching = attachCompanion(llama, file);
    await expect(attaching).rejects.toThrow(StartupError);
    await expect(attaching).rejects.toThrow("the native companion cannot be used: ");
    await expect(attaching).rejects.toThrow(reason);
  });
});

describe("context parameters", () => {
  it("match the requested ones", async () => {
    const context = await open({
      kvUnified: true,
      microBatchTokens: 64,
      maxOutputs: 8,
      prefillThreads: 2,
    });
    expect(native.readContext(context)).toMatchObject({
      ...{ contextSize: 1024, batchSize: 256, sequences: 4, threads: 1 },
      ...{ kvUnified: true, microBatchTokens: 64, maxOutputs: 8, prefillThreads: 2 },
    });
  });

  it("set position scaling independently of each other", async () => {
    const rope = {
      ...{ ropeScaling: 2, ropeFreqBase: 5000, ropeFreqScale: 0.25, yarnOriginalContext: 64 },
      ...{ yarnExtFactor: 0.5, yarnAttnFactor: 1.5, yarnBetaSlow: 2, yarnBetaFast: 16 },
    };
    expect(native.readContext(await open(rope))).toMatchObject(rope);
    const { ropeScaling, ...unchanged } = native.readContext(await open({ ropeFreqBase: 5000 }));
    expect(ropeScaling).toBe(-1);
    expect(unchanged).toMatchObject({ ropeFreqBase: 5000, ropeFreqScale: 0, yarnExtFactor: -1 });
  });

  it("default to the binding's values, also after a context with other values", async () => {
    const plain = { kvUnified: false, microBatchTokens: 256, prefillThreads: 1 };
    expect(native.readContext(await open({}))).toMatchObject(plain);
    await open({ kvUnified: true });
    const context = await model.createContext(sizes);
    onTestFinished(async () => context.dispose());
    expect(native.readContext(addonOf(context))).toMatchObject(plain);
  });

  it("allow a sequence to fill all cells of a unified cache", async () => {
    const context = await open({ kvUnified: true });
    for (let position = 0; position < 1024; position += 256) {
      await evaluate(context, text(position, 256), 0, position);
    }
    expect(context.getSequenceKvCacheMaxPosition(0)).toBe(1023);
    await expect(evaluate(context, text(9, 1), 1)).rejects.toThrow("could not find a KV slot");
  });

  it("are rejected if unknown or out of range", async () => {
    const context = new bindings.AddonContext(modelObject(), {});
    onTestFinished(() => context.dispose());
    const configure = (params: object) => () => native.configureContext(context, params);
    expect(configure({ kvUnifed: true })).toThrow("parameters.kvUnifed: expected no such field");
    expect(configure({ maxOutputs: 0 })).toThrow(
      "parameters.maxOutputs: expected an integer from 1",
    );
    expect(configure({ ropeFreqBase: "1" })).toThrow("parameters.ropeFreqBase: expected a number");
    expect(configure({ kvUnified: 1 })).toThrow("parameters.kvUnified: expected a boolean");
  });

  it("cannot be changed after the context was opened or closed", async () => {
    const context = await open({});
    expect(() => native.configureContext(context, {})).toThrow("opened or closed already");
  });
});

describe("objects of the binding", () => {
  it.each([{}, null, 1, "context"])("are rejected if they are of another type: %j", (value) => {
    const refusal = "context: expected an object of an attached binding";
    expect(() => native.readContext(value as object)).toThrow(refusal);
    expect(() => native.clearCache(value as object)).toThrow(refusal);
    expect(() => new native.Pooler(value as object)).toThrow(refusal);
  });

  it("are rejected if they are of another class of the binding", () => {
    expect(() => native.readContext(modelObject())).toThrow("expected an object of an attached");
  });

  it("are accepted after another engine has attached the companion", async () => {
    const context = await open({});
    await attachCompanion(llama, process.env.GGUFD_TEST_COMPANION);
    expect(native.readContext(context).sequences).toBe(sizes.sequences);
  });

  it("are rejected after they were closed, even twice", async () => {
    const context = await model.createContext(sizes);
    const addon = addonOf(context);
    const row = await evaluate(addon, text(1, 4));
    await context.dispose();
    await context.dispose();
    const refusal = "the context is closed";
    expect(() => new native.Stepper(addon, true, 1, 0)).toThrow(refusal);
    expect(() => native.clearCache(addon)).toThrow(refusal);
    expect(() => new native.Pooler(addon)).toThrow(refusal);
    await expect(
      native.logProbabilities(addon, Int32Array.of(row), Int32Array.of(0), 1),
    ).rejects.toThrow(refusal);
  });

  it("can be closed during a call without a crash", async () => {
    const context = await model.createContext(sizes);
    const addon = addonOf(context);
    const row = await evaluate(addon, text(1, 4));
    const rows = new Int32Array(200).fill(row);
    const calls = [1, 2, 3].map(() =>
      native.logProbabilities(addon, rows, new Int32Array(200), 20),
    );
    const [results] = await Promise.all([Promise.allSettled(calls), context.dispose()]);
    for (const result of results) {
      if (result.status === "rejected") expect(String(result.reason)).toContain("closed");
    }
  });
});

describe("native log-probabilities", () => {
  it("are correct for a token and the most probable tokens", async () => {
    const context = await open({});
    const row = await evaluate(context, text(3, 20));
    const expected = logSoftmax(await logitsOf(context, row));
    const order = expected
      .map((_, token) => token)
      .toSorted((a, b) => (expected[b] ?? 0) - (expected[a] ?? 0) || a - b);
    const { ofTokens, topTokens, ofTop } = await native.logProbabilities(
      context,
      Int32Array.of(row, row),
      Int32Array.of(65, 66),
      5,
    );
    expect(ofTokens[0]).toBeCloseTo(expected[65] ?? 0, 5);
    expect(ofTokens[1]).toBeCloseTo(expected[66] ?? 0, 5);
    expect([...topTokens]).toEqual([...order.slice(0, 5), ...order.slice(0, 5)]);
    for (const [index, token] of topTokens.entries()) {
      expect(ofTop[index]).toBeCloseTo(expected[token] ?? 0, 5);
    }
  });

  it("sum to one over the whole vocabulary", async () => {
    const context = await open({});
    const row = await evaluate(context, text(3, 20));
    const vocabulary = (await logitsOf(context, row)).length;
    const { ofTop } = await native.logProbabilities(
      context,
      Int32Array.of(row),
      Int32Array.of(0),
      1024,
    );
    expect(ofTop.length).toBe(Math.min(1024, vocabulary));
    const sum = ofTop.reduce((total, value) => total + Math.exp(value), 0);
    expect(sum).toBeCloseTo(1, 4);
  });

  it("are rejected for missing rows and tokens", async () => {
    const context = await open({});
    const row = await evaluate(context, text(3, 20));
    const of = (rows: number[], tokens: number[], top = 1) =>
      native.logProbabilities(context, Int32Array.from(rows), Int32Array.from(tokens), top);
    await expect(of([row - 1], [1])).rejects.toThrow(`row ${row - 1}: there are no such logits`);
    await expect(of([100_000], [1])).rejects.toThrow("row 100000");
    await expect(of([row], [1_000_000])).rejects.toThrow("token 1000000");
    await expect(of([row], [-1])).rejects.toThrow("token -1");
    expect(() => of([row], [1, 2])).toThrow("expected one for each row");
    expect(() => of([row], [1], 5000)).toThrow("top: expected an integer from 0 to 1024");
  });
});

describe("clearing the cache", () => {
  it("empties all sequences", async () => {
    const context = await open({});
    const expected = await logitsOf(context, await evaluate(context, text(1, 20)));
    await evaluate(context, text(2, 20), 1);
    native.clearCache(context);
    expect([0, 1].map((id) => context.getSequenceKvCacheMaxPosition(id))).toEqual([-1, -1]);
    expect(await logitsOf(context, await evaluate(context, text(1, 20)))).toEqual(expected);
  });
});

describe("aborting a batch", () => {
  it("ends the current batch, and its sequences can continue afterwards", async () => {
    const context = await open({ abortable: true });
    const prompt = text(5, 200);
    const expected = await logitsOf(context, await evaluate(context, prompt));
    context.disposeSequence(0);
    native.setAborted(context, true);
    await expect(evaluate(context, prompt)).rejects.toThrow("Eval has failed");
    native.setAborted(context, false);
    context.disposeSequence(0);
    expect(await logitsOf(context, await evaluate(context, prompt))).toEqual(expected);
  });

  it("is rejected for contexts not configured as abortable", async () => {
    const context = await open({});
    expect(() => native.setAborted(context, true)).toThrow("not configured as abortable");
  });
});
