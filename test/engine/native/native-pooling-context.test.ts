import type { Llama } from "node-llama-cpp";
import { beforeAll, describe, expect, it } from "vitest";
import { attachCompanion } from "../../../src/engine/native/companion/attach-companion.js";
import type { NativeCompanion } from "../../../src/engine/native/companion/native-companion.js";
import { withContextParams } from "../../../src/engine/native/companion/native-params.js";
import { NativePoolingContext } from "../../../src/engine/native/native-pooling-context.js";
import { nativeLibrary } from "../../support/native-library.js";
import { tinyModel } from "../../support/random-models.js";

const sequences = [
  [5, 6, 7, 8],
  [9, 10],
  [11, 12, 13],
];

let llama: Llama;
let companion: NativeCompanion;
beforeAll(async () => {
  llama = await nativeLibrary();
  companion = await attachCompanion(llama, process.env.GGUFD_TEST_COMPANION);
});

async function withContext<Result>(
  shape: "embed-tiny" | "rerank-tiny" | "embed-qwen3-tiny",
  use: (context: NativePoolingContext) => Promise<Result>,
): Promise<Result> {
  const model = await llama.loadModel({ modelPath: tinyModel("f32", shape) });
  const options = {
    sequences: sequences.length,
    contextSize: 256,
    batchSize: 63,
    ...{ _embeddings: true, _ranking: shape === "rerank-tiny" },
  };
  const context = await withContextParams({ kvUnified: true }, () => model.createContext(options));
  try {
    return await use(new NativePoolingContext(context, companion));
  } finally {
    await context.dispose();
    await model.dispose();
  }
}

describe.each(["embed-tiny", "rerank-tiny", "embed-qwen3-tiny"] as const)(
  "a pooling context of %s",
  (shape) => {
    it("gives the same result for inputs pooled together and alone", async () => {
      const { together, alone } = await withContext(shape, async (context) => {
        expect(context.sequences).toBe(sequences.length);
        const vectors: Float32Array[] = [];
        for (const one of sequences) vectors.push(...(await context.pool([one], 2)));
        return { together: await context.pool(sequences, 2), alone: vectors };
      });
      expect(alone).toHaveLength(sequences.length);
      for (const [index, vector] of alone.entries()) {
        const other = together[index];
        expect(vector).toHaveLength(other?.length ?? Number.NaN);
        for (const [place, value] of vector.entries()) {
          expect(other?.[place]).toBeCloseTo(value, 3);
        }
      }
    });

    it("rejects inputs that do not fit", async () => {
      await withContext(shape, async (context) => {
        await expect(context.pool([...sequences, [1]], 2)).rejects.toThrow("more sequences");
        await expect(context.pool([Array(64).fill(5)], 2)).rejects.toThrow("more tokens");
        await expect(context.pool([[]], 2)).rejects.toThrow("no token");
        expect(await context.pool([[5]], 2)).toHaveLength(1);
      });
    });
  },
);
