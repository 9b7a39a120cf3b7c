import { f32, type Metadata, u32 } from "../gguf/metadata.js";
import { attentionWeights, feedForwardWeights } from "./decoder-layer.js";
import type { LlamaShape } from "./shapes.js";
import { tokenEmbedding } from "./token-embedding.js";
import { ones, type Weight } from "./weights.js";

/** The `llama.*` keys of a shape. */
export function llamaMetadata(shape: LlamaShape, vocabularySize: number): Metadata {
  return new Map([
    ["llama.context_length", u32(shape.contextLength)],
    ["llama.embedding_length", u32(shape.width)],
    ["llama.block_count", u32(shape.layers)],
    ["llama.feed_forward_length", u32(shape.feedForward)],
    ["llama.attention.head_count", u32(shape.heads)],
    ["llama.attention.head_count_kv", u32(shape.keyValueHeads)],
    ["llama.attention.layer_norm_rms_epsilon", f32(1e-5)],
    ["llama.rope.dimension_count", u32(shape.width / shape.heads)],
    ["llama.rope.freq_base", f32(shape.ropeBase)],
    ["llama.vocab_size", u32(vocabularySize)],
  ]);
}

/** The weights of a shape, named and laid out as llama.cpp's `llama` architecture loads them. */
export function llamaWeights(shape: LlamaShape, tokenTypes: readonly number[]): Weight[] {
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
