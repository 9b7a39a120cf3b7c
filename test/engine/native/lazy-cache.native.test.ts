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

/** Memory that each mapping of the cache's size has committed, in KiB. */
function committedByCaches(): readonly number[] {
  const maps = readFileSync("/proc/self/smaps", "utf8").split(/^(?=[\da-f]+-[\da-f]+ )/m);
  return maps.flatMap((map) => {
    const kib = (field: string) =>
      Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(map)?.[1]);
    return kib("Size") === cacheMiB() * 1024 ? [kib("Rss")] : [];
  });
}

describe.runIf(process.platform === "linux")("a large cache on the CPU", () => {
  it("is committed to memory only when used", async () => {
    expect(cacheMiB()).toBeGreaterThan(200);
    const before = committedMiB();
    await open(CONTEXT_SIZE, SLOTS);
    expect(committedMiB() - before).toBeLessThan(cacheMiB() / 2);
  });

  it("is committed some pages ahead of the cells in use", async () => {
    const native = await open(CONTEXT_SIZE, SLOTS);
    const [before] = committedByCaches();
    const evaluate = (position: number, count: number) => {
      const tokens = Array.from({ length: count }, () => 5);
      return native.evaluate([{ sequenceId: 3, position, tokens, logitsFrom: count - 1 }]);
    };
    await evaluate(0, 1);
    // Groups of 64, 48, 32 and 16 KiB: keys and values of two layers.
    expect(committedByCaches()).toEqual([(before ?? 0) + 160]);
    await evaluate(1, 60);
    await evaluate(61, 60);
    expect(committedByCaches()).toEqual([(before ?? 0) + 160]);
    for (let position = 121; position < 600; position += 60) await evaluate(position, 60);
    // 601 cells of 64 bytes end in the second groups of the last two.
    expect(committedByCaches()).toEqual([(before ?? 0) + 160 + 2 * 64]);
    native.clear();
    await evaluate(0, 1);
    expect(committedByCaches()).toEqual([160]);
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
