import type { Llama } from "node-llama-cpp";
import { beforeAll, describe, expect, it } from "vitest";
import {
  attachCompanion,
  type Companion,
} from "../../../src/engine/native/companion/attach-companion.js";
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
let companion: Companion;
beforeAll(async () => {
  llama = await nativeLibrary();
  companion = await attachCompanion(llama);
});

const absent: Companion = { state: "absent", reason: "the test does without" };

async function withContext<Result>(
  shape: "embed-tiny" | "rerank-tiny" | "embed-qwen3-tiny",
  use: (context: NativePoolingContext, companion: Companion) => Promise<Result>,
  chosen: Companion,
): Promise<Result> {
  const model = await llama.loadModel({ modelPath: tinyModel("f32", shape) });
  const isAttached = chosen.state === "attached";
  const options = {
    sequences: isAttached ? sequences.length : 1,
    contextSize: 256,
    batchSize: 63,
    ...{ _embeddings: true, _ranking: shape === "rerank-tiny" },
  };
  const context = await withContextParams(isAttached ? { kvUnified: true } : {}, () =>
    model.createContext(options),
  );
  try {
    return await use(new NativePoolingContext(context, chosen), chosen);
  } finally {
    await context.dispose();
    await model.dispose();
  }
}

describe.each(["embed-tiny", "rerank-tiny", "embed-qwen3-tiny"] as const)(
  "a pooling context of %s",
  (shape) => {
    it("pools the same one by one without the companion as at once with it", async () => {
      expect(companion.state).toBe("attached");
      const together = await withContext(shape, (context) => context.pool(sequences), companion);
      const alone = await withContext(
        shape,
        async (context) => {
          expect(context.sequences).toBe(1);
          const vectors: Float32Array[] = [];
          for (const one of sequences) vectors.push(...(await context.pool([one])));
          return vectors;
        },
        absent,
      );
      expect(alone).toHaveLength(sequences.length);
      for (const [index, vector] of alone.entries()) {
        const other = together[index];
        expect(vector).toHaveLength(other?.length ?? Number.NaN);
        for (const [place, value] of vector.entries()) {
          expect(other?.[place]).toBeCloseTo(value, 3);
        }
      }
    });

    it("refuses what does not fit, rather than have the process end", async () => {
      await withContext(
        shape,
        async (context) => {
          await expect(context.pool([...sequences, [1]])).rejects.toThrow("more sequences");
          await expect(context.pool([Array(64).fill(5)])).rejects.toThrow("more tokens");
          await expect(context.pool([[]])).rejects.toThrow("no token");
          expect(await context.pool([[5]])).toHaveLength(1);
        },
        companion,
      );
    });
  },
);
