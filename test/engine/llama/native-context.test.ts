import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getLlama, type Llama, type LlamaContext, type LlamaModel } from "node-llama-cpp";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { NativeContext } from "../../../src/engine/llama/native-context.js";
import type { BatchPart } from "../../../src/engine/llama/token-context.js";
import { resolveSampling } from "../../../src/engine/sampling/sampling-options.js";
import { tinyModel } from "../../support/random-models.js";

let llama: Llama;
let model: LlamaModel;
let context: LlamaContext;
let native: NativeContext;
beforeAll(async () => {
  llama = await getLlama({ gpu: false, build: "never", maxThreads: 1 });
  model = await llama.loadModel({ modelPath: tinyModel() });
  context = await model.createContext({ sequences: 4, contextSize: 256, batchSize: 64 });
  native = new NativeContext(context);
});
afterAll(async () => {
  await context.dispose();
  await model.dispose();
  await llama.dispose();
});
beforeEach(() => {
  for (let id = 0; id < native.sequences; id++) native.truncate(id, 0);
});

const tokens = (seed: number, count: number) =>
  Array.from({ length: count }, (_, index) => 32 + ((seed * 31 + index * 7) % 90));

const all = (sequenceId: number, position: number, text: readonly number[]): BatchPart => ({
  sequenceId,
  position,
  tokens: text,
  logitsFrom: text.length - 1,
});

function sampler(
  fields: Partial<Parameters<typeof resolveSampling>[0]["sampling"]> = {},
  sampled = native,
) {
  const generated: number[] = [];
  const options = resolveSampling({
    sampling: { temperature: 0, ...fields },
    stopping: { minTokens: 0, stop: [], ignoreEos: false },
    recommended: {},
    endOfGeneration: new Set(),
    fallbackSeed: 1,
  });
  return { ...sampled.createSampler({ options, promptTokens: [], generated }), generated };
}

/** The greedy continuation of a sequence after its last batch part. */
async function continuation(part: BatchPart, count: number, on = native): Promise<number[]> {
  const { sample, generated, dispose } = sampler({}, on);
  let next = part;
  for (let index = 0; index < count; index++) {
    const [[logits] = []] = await on.evaluate([next]);
    if (logits === undefined) throw new Error("no logits");
    const token = await sample(logits);
    generated.push(token);
    next = all(part.sequenceId, next.position + next.tokens.length, [token]);
  }
  dispose();
  return generated;
}

describe("what node-llama-cpp does not promise", () => {
  it("tells the sequences and the batch size of the context", () => {
    expect(native).toMatchObject({ sequences: 4, batchSize: 64, partialTruncation: "supported" });
  });

  it("evaluates several sequences in one batch, each for itself", async () => {
    const prompts = [0, 1, 2, 3].map((id) => tokens(id, 5 + 3 * id));
    const alone: number[][] = [];
    for (const prompt of prompts) {
      alone.push(await continuation(all(0, 0, prompt), 1));
      native.truncate(0, 0);
    }
    const logits = await native.evaluate(prompts.map((prompt, id) => all(id, 0, prompt)));
    const { sample, dispose } = sampler();
    for (const [id, [handle]] of logits.entries()) {
      if (handle === undefined) throw new Error("no logits");
      expect([await sample(handle)]).toEqual(alone[id]);
    }
    dispose();
  });

  it("gives logits of the tokens that want them, and of no others", async () => {
    const prompt = tokens(5, 12);
    const [none, last, three] = await native.evaluate([
      { ...all(0, 0, prompt), logitsFrom: prompt.length },
      all(1, 0, prompt),
      { ...all(2, 0, prompt), logitsFrom: prompt.length - 3 },
    ]);
    expect([none?.length, last?.length, three?.length]).toEqual([0, 1, 3]);
    const { sample, dispose } = sampler();
    const drawn = await Promise.all(
      [last?.[0], three?.[2]].map((handle) => handle && sample(handle)),
    );
    expect(drawn[0]).toBe(drawn[1]);
    dispose();
  });

  it("continues after a cut as if the rest had never been there", async () => {
    const prompt = tokens(6, 20);
    const reference = await continuation(all(0, 0, prompt), 8);
    await continuation(all(1, 0, [...prompt.slice(0, 11), ...tokens(9, 20)]), 1);
    native.truncate(1, 11);
    expect(await continuation(all(1, 11, prompt.slice(11)), 8)).toEqual(reference);
  });

  it("continues a copy as it would the original, which is not touched", async () => {
    const prompt = tokens(7, 30);
    const reference = await continuation(all(0, 0, prompt), 8);
    native.truncate(0, 0);
    await native.evaluate([{ ...all(0, 0, prompt.slice(0, 20)), logitsFrom: 20 }]);
    await continuation(all(2, 0, tokens(1, 9)), 3);
    await native.copy(0, 2);
    expect(await continuation(all(2, 20, prompt.slice(20)), 8)).toEqual(reference);
    expect(await continuation(all(0, 20, prompt.slice(20)), 8)).toEqual(reference);
  });

  it("copies several sequences one after the other before the next batch", async () => {
    const [first, second] = [tokens(11, 20), tokens(12, 20)];
    const references = [await continuation(all(0, 0, first), 4)];
    native.truncate(0, 0);
    references.push(await continuation(all(0, 0, second), 4));
    native.truncate(0, 0);
    await native.evaluate([
      { ...all(0, 0, first.slice(0, 19)), logitsFrom: 19 },
      { ...all(1, 0, second.slice(0, 19)), logitsFrom: 19 },
    ]);
    await native.copy(0, 2);
    await native.copy(1, 0);
    expect(await continuation(all(2, 19, first.slice(19)), 4)).toEqual(references[0]);
    expect(await continuation(all(0, 19, second.slice(19)), 4)).toEqual(references[1]);
  });

  it("copies with the next batch: what is read into the source before is what is copied", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "a.state");
    const [copied, read] = [tokens(7, 30), tokens(8, 30)];
    const reference = await continuation(all(0, 0, copied), 8);
    await native.evaluate([{ ...all(1, 0, read.slice(0, 29)), logitsFrom: 29 }]);
    await native.save(1, read.slice(0, 29), path);
    native.truncate(0, 29);
    await native.copy(0, 2);
    await native.restore(0, path);
    expect(await continuation(all(2, 29, copied.slice(29)), 8)).not.toEqual(reference);
  });

  it("restores a saved state into another sequence, whatever that holds", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "a.state");
    const prompt = tokens(8, 25);
    const reference = await continuation(all(0, 0, prompt), 6);
    native.truncate(0, 0);
    await native.evaluate([{ ...all(0, 0, prompt.slice(0, 20)), logitsFrom: 20 }]);
    expect(await native.save(0, prompt.slice(0, 20), path)).toBe(statSync(path).size);
    await continuation(all(3, 0, tokens(2, 40)), 2);
    await native.restore(3, path);
    expect(await continuation(all(3, 20, prompt.slice(20)), 6)).toEqual(reference);
    await expect(native.restore(3, join(folder, "none"))).rejects.toThrow();
    await expect(native.save(0, prompt, join(folder, "no", "folder"))).rejects.toThrow();
  });

  it("applies biases, to end-of-generation tokens too, and penalties", async () => {
    const prompt = tokens(3, 9);
    const draw = async (fields: Parameters<typeof sampler>[0]) => {
      native.truncate(0, 0);
      const [[logits] = []] = await native.evaluate([all(0, 0, prompt)]);
      if (logits === undefined) throw new Error("no logits");
      const { sample, dispose } = sampler(fields);
      const token = await sample(logits);
      dispose();
      return token;
    };
    const end = 511;
    expect(model.isEogToken(end as never)).toBe(true);
    expect(await draw({ logitBias: new Map([[end, 1000]]) })).toBe(end);
    const likeliest = await draw({});
    const forbidden = new Map([[likeliest, Number.NEGATIVE_INFINITY]]);
    expect(await draw({ logitBias: forbidden })).not.toBe(likeliest);
  });

  it("refuses a batch beyond its size with an error", async () => {
    await expect(native.evaluate([all(0, 0, tokens(1, 65))])).rejects.toThrow(/batch/i);
  });
});

describe.each(["mamba-tiny", "jamba-tiny", "cohere2-tiny"] as const)(
  "the state of %s, which cannot be cut",
  (shape) => {
    let uncutModel: LlamaModel;
    let uncutContext: LlamaContext;
    let uncut: NativeContext;
    beforeAll(async () => {
      uncutModel = await llama.loadModel({ modelPath: tinyModel("f32", shape) });
      uncutContext = await uncutModel.createContext({
        sequences: 3,
        contextSize: 512,
        batchSize: 48,
      });
      uncut = new NativeContext(uncutContext);
    });
    afterAll(async () => {
      await uncutContext.dispose();
      await uncutModel.dispose();
    });

    const evaluate = async (sequenceId: number, position: number, text: readonly number[]) => {
      for (let from = 0; from < text.length; from += 40) {
        const slice = text.slice(from, from + 40);
        await uncut.evaluate([
          { ...all(sequenceId, position + from, slice), logitsFrom: slice.length },
        ]);
      }
    };

    it("is what it was in the middle of a prompt, in any sequence, whatever that holds", async () => {
      const folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const path = join(folder, "checkpoint.state");
      const prompt = tokens(4, 200);
      const last = all(0, 199, prompt.slice(199));
      await evaluate(0, 0, prompt.slice(0, 150));
      await uncut.save(0, prompt.slice(0, 150), path);
      await evaluate(0, 150, prompt.slice(150, 199));
      const reference = await continuation(last, 8, uncut);
      await evaluate(2, 0, tokens(5, 300));
      for (const sequenceId of [0, 1, 2]) {
        await uncut.restore(sequenceId, path);
        await evaluate(sequenceId, 150, prompt.slice(150, 199));
        expect(await continuation({ ...last, sequenceId }, 8, uncut)).toEqual(reference);
      }
    });

    it("says so", () => {
      expect(uncut.partialTruncation).toBe("unsupported");
    });
  },
);
