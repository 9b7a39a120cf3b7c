import { f32, type Metadata, u32 } from "../gguf/metadata.js";
import {
  attentionGain,
  attentionWeights,
  feedForwardWeights,
  residualGain,
} from "./decoder-layer.js";
import type { Gemma3Shape } from "./shapes.js";
import { tokenEmbedding } from "./token-embedding.js";
import { constant, ones, type Weight } from "./weights.js";

/**
 * Standard deviation of a token in the residual stream, where the architecture multiplies its
 * embedding by √width. Embeddings of other inputs, e.g. of an image part, are not multiplied.
 */
export const gemma3TokenDeviation = 4;

/** Keys of a shape. */
export function gemma3Metadata(shape: Gemma3Shape): Metadata {
  const headSize = shape.width / shape.heads;
  return new Map([
    ["gemma3.context_length", u32(shape.contextLength)],
    ["gemma3.embedding_length", u32(shape.width)],
    ["gemma3.block_count", u32(shape.layers)],
    ["gemma3.feed_forward_length", u32(shape.feedForward)],
    ["gemma3.attention.head_count", u32(shape.heads)],
    ["gemma3.attention.head_count_kv", u32(shape.keyValueHeads)],
    ["gemma3.attention.key_length", u32(headSize)],
    ["gemma3.attention.value_length", u32(headSize)],
    ["gemma3.attention.layer_norm_rms_epsilon", f32(1e-6)],
    ["gemma3.attention.sliding_window", u32(shape.slidingWindow)],
    ["gemma3.attention.sliding_window_pattern", u32(shape.windowPattern)],
    ["gemma3.rope.freq_base", f32(shape.ropeBase)],
  ]);
}

/** The weights of a shape, named and laid out as llama.cpp's `gemma3` architecture loads them. */
export function gemma3Weights(shape: Gemma3Shape, tokenTypes: readonly number[]): Weight[] {
  const { width, layers } = shape;
  return [
    tokenEmbedding(width, tokenTypes),
    ...Array.from({ length: layers }, (_, layer) => layerWeights(shape, layer)).flat(),
    ones("output_norm.weight", width),
  ];
}

/**
 * Weights of a layer. The gains belong to the normalisations after the matrices, which cancel any
 * other.
 */
function layerWeights(shape: Gemma3Shape, layer: number): Weight[] {
  const headSize = shape.width / shape.heads;
  const name = (part: string) => `blk.${layer}.${part}.weight`;
  const contribution = residualGain * gemma3TokenDeviation;
  return [
    ones(name("attn_norm"), shape.width),
    constant(name("attn_q_norm"), [headSize], attentionGain),
    constant(name("attn_k_norm"), [headSize], attentionGain),
    ...attentionWeights(shape, layer),
    constant(name("post_attention_norm"), [shape.width], contribution),
    ones(name("ffn_norm"), shape.width),
    ...feedForwardWeights(shape, layer),
    constant(name("post_ffw_norm"), [shape.width], contribution),
  ];
}
