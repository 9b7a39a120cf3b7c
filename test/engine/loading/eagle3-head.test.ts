import { describe, expect, test } from "vitest";
import {
  type Eagle3Head,
  type Eagle3Target,
  findEagle3Obstacle,
  findUnknownToken,
} from "../../../src/engine/loading/eagle3-head.js";

const head: Eagle3Head = {
  targetLayers: [2, 14, 29],
  targetWidth: 4096,
  width: 4096,
  blocks: 1,
  ownMatrices: { embeddings: false, output: true },
  tokenMap: { type: "i64", tokens: 32_000, fileOffset: 1000 },
};
const target: Eagle3Target = { architecture: "llama", width: 4096, layers: 32 };

const obstacle = (fields: Partial<Eagle3Head>, of: Partial<Eagle3Target> = {}) =>
  findEagle3Obstacle({ ...head, ...fields }, { ...target, ...of });

describe("an EAGLE-3 head", () => {
  test("is accepted for the model whose hidden states it reads", () => {
    expect(obstacle({})).toBeUndefined();
    expect(obstacle({ targetLayers: [0, 1, 31] })).toBeUndefined();
    expect(obstacle({ targetLayers: [0, 1, 32] }, { architecture: "gpt-oss" })).toBeUndefined();
    const own = { embeddings: true, output: true };
    expect(obstacle({ width: 2048, ownMatrices: own, tokenMap: undefined })).toBeUndefined();
  });

  test.each<[string, Partial<Eagle3Head>, Partial<Eagle3Target>, string]>([
    [
      "for a model whose layers cannot be read",
      {},
      { architecture: "mamba" },
      "an EAGLE-3 head, which llama.cpp does not support for mamba models",
    ],
    ["of several layers", { blocks: 2 }, {}, "expected an EAGLE-3 head of 1 layer, got 2"],
    [
      "that reads another number of layers",
      { targetLayers: [1] },
      {},
      "expected an EAGLE-3 head for 3 layers of the model (target_layers), got 1",
    ],
    [
      "for a model of another size",
      { targetWidth: 5120 },
      {},
      "trained for a model with hidden states of 5120 elements, not 4096",
    ],
    [
      "for a model of more layers",
      {},
      { layers: 28 },
      "trained for a model with more layers: it reads layer 29, but the last readable layer is 27",
    ],
    [
      "that reads the output of the last layer, which cannot be read",
      { targetLayers: [2, 14, 32] },
      {},
      "trained for a model with more layers: it reads layer 32, but the last readable layer is 31",
    ],
    [
      "that uses the model's embeddings, but has another width",
      { width: 2048 },
      {},
      "expected a width of 4096, because the head has no embeddings, got 2048",
    ],
    [
      "whose token map has another number format",
      { tokenMap: { type: "other", tokens: 1, fileOffset: 0 } },
      {},
      "expected i64 numbers in its tensor d2t",
    ],
  ])("%s is rejected", (_, fields, of, reason) => {
    expect(obstacle(fields, of)).toBe(reason);
  });

  test("may only map to tokens of the model", () => {
    const map = (...tokens: bigint[]) => {
      const bytes = Buffer.alloc(tokens.length * 8);
      for (const [index, token] of tokens.entries()) bytes.writeBigInt64LE(token, index * 8);
      return bytes;
    };
    expect(findUnknownToken(map(0n, 511n, 3n), 512)).toBeUndefined();
    expect(findUnknownToken(map(0n, 512n), 512)).toBe(512n);
    expect(findUnknownToken(map(-1n), 512)).toBe(-1n);
  });
});
