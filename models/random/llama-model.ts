import { f32, type Metadata, u32 } from "../gguf/metadata.js";
import type { LlamaShape } from "./shapes.js";
import { tokenEmbedding } from "./token-embedding.js";
import { matrix, ones, type Weight } from "./weights.js";

/** The `llama.*` keys of a shape. */
export function llamaMetadata(shape: LlamaShape, vocabulary: number): Metadata {
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
    ["llama.vocab_size", u32(vocabulary)],
  ]);
}

/**
 * The gain of queries and of keys. Scores of deviation 4 make attention pick a few positions instead
 * of averaging all of them, so that the next token depends on the whole text before it.
 */
const attentionGain = 2;

/**
 * The gain of what a layer adds. Large enough that the last token's own embedding does not dominate
 * the result: with tied embeddings the model would only repeat that token.
 */
const residualGain = 4;

/** The weights of a shape, named and laid out as llama.cpp's `llama` architecture loads them. */
export function llamaWeights(shape: LlamaShape, tokenTypes: readonly number[]): Weight[] {
  const { width, layers } = shape;
  return [
    tokenEmbedding(width, tokenTypes),
    ...Array.from({ length: layers }, (_, layer) => layerWeights(shape, layer)).flat(),
    ones("output_norm.weight", width),
  ];
}

function layerWeights(shape: LlamaShape, layer: number): Weight[] {
  const { width, feedForward, heads, keyValueHeads } = shape;
  const keyValueWidth = (width / heads) * keyValueHeads;
  const name = (part: string) => `blk.${layer}.${part}.weight`;
  return [
    ones(name("attn_norm"), width),
    matrix(name("attn_q"), width, width, attentionGain),
    matrix(name("attn_k"), width, keyValueWidth, attentionGain),
    matrix(name("attn_v"), width, keyValueWidth),
    matrix(name("attn_output"), width, width, residualGain),
    ones(name("ffn_norm"), width),
    matrix(name("ffn_gate"), width, feedForward),
    matrix(name("ffn_up"), width, feedForward),
    matrix(name("ffn_down"), feedForward, width, residualGain),
  ];
}
