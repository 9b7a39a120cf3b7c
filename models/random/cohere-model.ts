import { f32, type Metadata, u32 } from "../gguf/metadata.js";
import { attentionWeights, feedForwardWeights } from "./decoder-layer.js";
import type { CohereShape } from "./shapes.js";
import { tokenEmbedding } from "./token-embedding.js";
import { ones, type Weight } from "./weights.js";

/** The `cohere2.*` keys of a shape. */
export function cohereMetadata(shape: CohereShape): Metadata {
  return new Map([
    ["cohere2.context_length", u32(shape.contextLength)],
    ["cohere2.embedding_length", u32(shape.width)],
    ["cohere2.block_count", u32(shape.layers)],
    ["cohere2.feed_forward_length", u32(shape.feedForward)],
    ["cohere2.attention.head_count", u32(shape.heads)],
    ["cohere2.attention.head_count_kv", u32(shape.keyValueHeads)],
    ["cohere2.attention.layer_norm_epsilon", f32(1e-5)],
    ["cohere2.attention.sliding_window", u32(shape.slidingWindow)],
    ["cohere2.attention.sliding_window_pattern", u32(shape.windowPattern)],
    ["cohere2.rope.dimension_count", u32(shape.width / shape.heads)],
    ["cohere2.rope.freq_base", f32(shape.ropeBase)],
    ["cohere2.logit_scale", f32(1)],
  ]);
}

/** The weights of a shape, named and laid out as llama.cpp's `cohere2` architecture loads them. */
export function cohereWeights(shape: CohereShape, tokenTypes: readonly number[]): Weight[] {
  const { width, layers } = shape;
  return [
    tokenEmbedding(width, tokenTypes),
    ...Array.from({ length: layers }, (_, layer) => [
      ones(`blk.${layer}.attn_norm.weight`, width),
      ...attentionWeights(shape, layer),
      ...feedForwardWeights(shape, layer),
    ]).flat(),
    ones("output_norm.weight", width),
  ];
}
