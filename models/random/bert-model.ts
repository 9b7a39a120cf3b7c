import { bool, f32, type Metadata, u32 } from "../gguf/metadata.js";
import { poolingTypes } from "./pooling-types.js";
import type { BertShape } from "./shapes.js";
import { tokenEmbedding } from "./token-embedding.js";
import { matrix, ones, table, type Weight, zeros } from "./weights.js";

/** The keys that make llama.cpp load a shape as a BERT encoder. */
export function bertMetadata(shape: BertShape): Metadata {
  return new Map([
    ["bert.context_length", u32(shape.contextLength)],
    ["bert.embedding_length", u32(shape.width)],
    ["bert.block_count", u32(shape.layers)],
    ["bert.feed_forward_length", u32(shape.feedForward)],
    ["bert.attention.head_count", u32(shape.heads)],
    ["bert.attention.layer_norm_epsilon", f32(1e-12)],
    ["bert.attention.causal", bool(false)],
    ["bert.pooling_type", u32(shape.purpose === "embed" ? poolingTypes.mean : poolingTypes.rank)],
    ["tokenizer.ggml.token_type_count", u32(1)],
  ]);
}

/** The weights of a shape, named and laid out as llama.cpp's `bert` architecture loads them. */
export function bertWeights(shape: BertShape, tokenTypes: readonly number[]): Weight[] {
  const { width, layers, contextLength } = shape;
  return [
    tokenEmbedding(width, tokenTypes),
    table("position_embd.weight", width, contextLength, () => 1 / Math.sqrt(width)),
    ones("token_embd_norm.weight", width),
    zeros("token_embd_norm.bias", width),
    ...Array.from({ length: layers }, (_, layer) => layerWeights(shape, layer)).flat(),
    ...(shape.purpose === "rerank" ? scoreWeights(width) : []),
  ];
}

function layerWeights({ width, feedForward }: BertShape, layer: number): Weight[] {
  const name = (part: string) => `blk.${layer}.${part}`;
  return [
    matrix(name("attn_q.weight"), width, width),
    matrix(name("attn_k.weight"), width, width),
    matrix(name("attn_v.weight"), width, width),
    matrix(name("attn_output.weight"), width, width),
    ones(name("attn_output_norm.weight"), width),
    zeros(name("attn_output_norm.bias"), width),
    matrix(name("ffn_up.weight"), width, feedForward),
    matrix(name("ffn_down.weight"), feedForward, width),
    ones(name("layer_output_norm.weight"), width),
    zeros(name("layer_output_norm.bias"), width),
  ];
}

/** The head that maps the first position to a score with a standard deviation of about 2.5. */
function scoreWeights(width: number): Weight[] {
  return [
    matrix("cls.weight", width, width),
    zeros("cls.bias", width),
    matrix("cls.output.weight", width, 1, 4),
    zeros("cls.output.bias", 1),
  ];
}
