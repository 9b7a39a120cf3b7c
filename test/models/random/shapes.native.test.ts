import { describe, expect, it } from "vitest";
import { type GgufContent, parameterCount } from "../../../models/gguf/content.js";
import { bool, text, u32 } from "../../../models/gguf/metadata.js";
import { randomModelContent } from "../../../models/random/generate.js";
import type { ShapeName } from "../../../models/random/shapes.js";

/** Content of a model file whose matrices have not been generated. */
function contentOf(shape: ShapeName): GgufContent {
  return randomModelContent({ shape, type: "q8_0", seed: 1 });
}

function tensorShapes({ tensors }: GgufContent): Map<string, readonly number[]> {
  return new Map(tensors.map(({ name, shape }) => [name, shape]));
}

describe("a shape with the size of a well-known model", () => {
  it.each<[ShapeName, model: string, millions: number]>([
    ["15m", "the TinyStories Llama", 15],
    ["135m", "SmolLM", 135],
    ["500m", "Qwen2.5 0.5B", 494],
    ["1b", "Llama 3.2 1B", 1236],
    ["3b", "Llama 3.2 3B", 3213],
    ["8b", "Llama 3.1 8B", 8030],
    ["moe-3b", "Granite 3.1 3B A800M", 3300],
    ["swa-4b", "half of the layers of Command R7B", (8028 + 1049) / 2],
    ["embed-22m", "all-MiniLM-L6", 22.7],
    ["rerank-22m", "a cross-encoder of the same size", 22.7],
  ])("%s: has as many parameters as %s", (shape, _, millions) => {
    const ratio = parameterCount(contentOf(shape).tensors) / (millions * 1e6);
    expect(ratio).toBeGreaterThan(0.97);
    expect(ratio).toBeLessThan(1.03);
  });

  it.each<[ShapeName, headSize: number]>([
    ["1b", 64],
    ["3b", 128],
    ["8b", 128],
    ["moe-3b", 64],
  ])("%s: has heads of %d elements", (shape, headSize) => {
    const content = contentOf(shape);
    expect(content.metadata.get("llama.rope.dimension_count")).toEqual(u32(headSize));
    expect(tensorShapes(content).get("blk.0.attn_k.weight")?.[1]).toBe(8 * headSize);
  });

  it("has its size in billions of parameters as its size label", () => {
    expect(contentOf("8b").metadata.get("general.size_label")).toEqual(text("8.0B"));
  });

  it("generates its matrices in small chunks of rows", () => {
    for (const { rows } of contentOf("8b").tensors) {
      const [first] = rows();
      expect(first?.byteLength).toBeLessThanOrEqual(1 << 18);
    }
  });
});

describe("the output matrix", () => {
  it("is tied to the token embeddings unless the shape has a separate output matrix", () => {
    expect(tensorShapes(contentOf("3b")).has("output.weight")).toBe(false);
    expect(tensorShapes(contentOf("8b")).get("output.weight")).toEqual([4096, 128_256]);
  });
});

describe("a pooling model", () => {
  const keys = (shape: ShapeName) => contentOf(shape).metadata;
  const scoreTensors = (shape: ShapeName) =>
    [...tensorShapes(contentOf(shape))].filter(([name]) => name.startsWith("cls"));

  it.each<[ShapeName, key: string, llamaCppType: number]>([
    ["embed-tiny", "bert.pooling_type", 1],
    ["rerank-tiny", "bert.pooling_type", 4],
    ["embed-qwen3-tiny", "qwen3.pooling_type", 3],
    ["rerank-qwen3-tiny", "qwen3.pooling_type", 4],
  ])("%s: has the expected pooling type", (shape, key, type) => {
    expect(keys(shape).get(key)).toEqual(u32(type));
  });

  it("has a classification head only for reranking, with one row per label", () => {
    expect(scoreTensors("embed-tiny")).toEqual([]);
    expect(scoreTensors("embed-qwen3-tiny")).toEqual([]);
    expect(scoreTensors("rerank-tiny")).toContainEqual(["cls.output.weight", [64, 1]]);
    expect(scoreTensors("rerank-qwen3-tiny")).toEqual([["cls.output.weight", [64, 2]]]);
  });

  it("adds an EOS token to its inputs, unless a chat template in the file builds the prompt", () => {
    const isEnded = (shape: ShapeName) => keys(shape).get("tokenizer.ggml.add_eos_token");
    expect(isEnded("embed-tiny")).toEqual(bool(true));
    expect(isEnded("embed-qwen3-tiny")).toEqual(bool(true));
    expect(isEnded("rerank-qwen3-tiny")).toEqual(bool(false));
    expect(keys("rerank-qwen3-tiny").get("tokenizer.chat_template.rerank")).toEqual(
      text(expect.stringMatching(/\{query\}.*\{document\}/s)),
    );
  });
});

describe("a mixture of experts", () => {
  it("stacks the expert matrices of a layer, and has a router in f32", () => {
    const { metadata, tensors } = contentOf("moe-tiny");
    expect(metadata.get("llama.expert_count")).toEqual(u32(8));
    expect(metadata.get("llama.expert_used_count")).toEqual(u32(2));
    const layer = tensors.filter(({ name }) => name.startsWith("blk.1.ffn_"));
    expect(layer.map(({ name, shape, type }) => [name, type, ...shape])).toEqual([
      ["blk.1.ffn_norm.weight", "f32", 64],
      ["blk.1.ffn_gate_inp.weight", "f32", 64, 8],
      ["blk.1.ffn_gate_exps.weight", "q8_0", 64, 64, 8],
      ["blk.1.ffn_up_exps.weight", "q8_0", 64, 64, 8],
      ["blk.1.ffn_down_exps.weight", "q8_0", 64, 64, 8],
    ]);
  });

  it("has different weights for each expert", () => {
    const down = contentOf("moe-tiny").tensors.find(({ name }) => name.includes("ffn_down_exps"));
    const values = Array.from(down?.rows() ?? [], (rows) => [...rows]).flat();
    const experts = Array.from({ length: 8 }, (_, index) => values[index * 64 * 64]);
    expect(new Set(experts).size).toBe(8);
  });

  it("is not used by a shape without experts", () => {
    expect(contentOf("tiny").metadata.has("llama.expert_count")).toBe(false);
  });
});
