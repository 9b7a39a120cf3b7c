import { readFileSync } from "node:fs";
import type { LlamaModel } from "node-llama-cpp";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { attachCompanion } from "../../../src/engine/native/companion/attach-companion.js";
import { withContextParams } from "../../../src/engine/native/companion/native-params.js";
import { NativeContext } from "../../../src/engine/native/native-context.js";
import { nativeLibrary } from "../../support/native-library.js";
import { tinyModel } from "../../support/random-models.js";

const MIB = 2 ** 20;
/**
 * 8 slots of 131,072 tokens of the tiny model: two layers with keys and values of 64 16-bit
 * numbers.
 */
const SLOTS = 8;
const CONTEXT_SIZE = 131_072;

let model: LlamaModel;
beforeAll(async () => {
  model = await (await nativeLibrary()).loadModel({ modelPath: tinyModel() });
});
afterAll(() => model.dispose());

async function open(contextSize: number, sequences: number): Promise<NativeContext> {
  const companion = await attachCompanion(await nativeLibrary(), process.env.GGUFD_TEST_COMPANION);
  const sizes = { sequences, contextSize, batchSize: 64 };
  const context = await withContextParams({ abortable: true }, () => model.createContext(sizes));
  onTestFinished(() => context.dispose());
  return new NativeContext(context, { layout: "split", streamBytes: 0 }, companion);
}

/** Anonymous memory that this process has committed, in MiB. */
function committedMiB(): number {
  const status = readFileSync("/proc/self/status", "utf8");
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

/** Bytes of the cache: keys and values of each layer. */
function cacheMiB(): number {
  const { attention, embedding_length: width } = model.fileInfo.metadata.llama ?? {};
  const heads = Number(attention?.head_count);
  const keyHeads = Number(attention?.head_count_kv ?? heads);
  const layers = Number(model.fileInfo.metadata.llama?.block_count);
  const perToken = 2 * 2 * layers * (Number(width) / heads) * keyHeads;
  return (perToken * SLOTS * CONTEXT_SIZE) / MIB;
}

describe.runIf(process.platform === "linux")("a large cache on the CPU", () => {
  it("is committed to memory only when used", async () => {
    expect(cacheMiB()).toBeGreaterThan(200);
    const before = committedMiB();
    await open(CONTEXT_SIZE, SLOTS);
    expect(committedMiB() - before).toBeLessThan(cacheMiB() / 2);
  });

  it("gives the same results as a small cache", async () => {
    const tokens = Array.from({ length: 40 }, (_, index) => (index * 7) % 512);
    const part = { sequenceId: 0, position: 0, tokens, logitsFrom: tokens.length - 1 };
    const probabilities = async (native: NativeContext) => {
      const [rows] = await native.evaluate([part], "undecided");
      const logits = rows?.[0];
      expect(logits).toBeDefined();
      return logits === undefined ? undefined : native.logProbabilities([{ logits, token: 5 }], 5);
    };
    const large = await open(CONTEXT_SIZE, SLOTS);
    const first = await probabilities(large);
    expect(first).toEqual(await probabilities(await open(256, SLOTS)));
    large.clear();
    expect(await probabilities(large)).toEqual(first);
  });
});
