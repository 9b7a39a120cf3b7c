import { f32, i32s, type Metadata, u32 } from "../gguf/metadata.js";
import { attentionWeights, feedForwardWeights } from "./decoder-layer.js";
import type { Qwen2vlShape } from "./shapes.js";
import { tokenEmbedding } from "./token-embedding.js";
import { ones, type Weight } from "./weights.js";

/** The keys of a shape. */
export function qwen2vlMetadata(shape: Qwen2vlShape): Metadata {
  return new Map([
    ["qwen2vl.context_length", u32(shape.contextLength)],
    ["qwen2vl.embedding_length", u32(shape.width)],
    ["qwen2vl.block_count", u32(shape.layers)],
    ["qwen2vl.feed_forward_length", u32(shape.feedForward)],
    ["qwen2vl.attention.head_count", u32(shape.heads)],
    ["qwen2vl.attention.head_count_kv", u32(shape.keyValueHeads)],
    ["qwen2vl.attention.layer_norm_rms_epsilon", f32(1e-6)],
    ["qwen2vl.rope.freq_base", f32(shape.ropeBase)],
    ["qwen2vl.rope.dimension_sections", i32s([...shape.ropeSections, 0])],
  ]);
}

/** The weights of a shape, named and laid out as llama.cpp's `qwen2vl` architecture loads them. */
export function qwen2vlWeights(shape: Qwen2vlShape, tokenTypes: readonly number[]): Weight[] {
  const { width, layers } = shape;
  return [
    tokenEmbedding(width, tokenTypes),
    ...Array.from({ length: layers }, (_, layer) => [
      ones(`blk.${layer}.attn_norm.weight`, width),
      ...attentionWeights(shape, layer),
      ones(`blk.${layer}.ffn_norm.weight`, width),
      ...feedForwardWeights(shape, layer),
    ]).flat(),
    ones("output_norm.weight", width),
  ];
}
