import { f32, type Metadata, type MetadataValue, u32 } from "../gguf/metadata.js";
import { attentionWeights, expertWeights, feedForwardWeights } from "./decoder-layer.js";
import type { Experts, LlamaShape } from "./shapes.js";
import { outputMatrix, tokenEmbedding } from "./token-embedding.js";
import { ones, type Weight } from "./weights.js";

/** The `llama.*` keys of a shape. */
export function llamaMetadata(shape: LlamaShape, vocabularySize: number): Metadata {
  const { experts } = shape;
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
    ...(experts === undefined ? [] : expertEntries(experts)),
  ]);
}

/** The weights of a shape, named and laid out as llama.cpp's `llama` architecture loads them. */
export function llamaWeights(shape: LlamaShape, tokenTypes: readonly number[]): Weight[] {
  const { width, layers, experts, hasOwnOutput = false } = shape;
  return [
    tokenEmbedding(width, tokenTypes),
    ...Array.from({ length: layers }, (_, layer) => [
      ones(`blk.${layer}.attn_norm.weight`, width),
      ...attentionWeights(shape, layer),
      ones(`blk.${layer}.ffn_norm.weight`, width),
      ...(experts === undefined
        ? feedForwardWeights(shape, layer)
        : expertWeights(shape, experts, layer)),
    ]).flat(),
    ones("output_norm.weight", width),
    ...(hasOwnOutput ? [outputMatrix(width, tokenTypes)] : []),
  ];
}

function expertEntries({ count, used }: Experts): [string, MetadataValue][] {
  return [
    ["llama.expert_count", u32(count)],
    ["llama.expert_used_count", u32(used)],
  ];
}
