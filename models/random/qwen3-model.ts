import { f32, type Metadata, type MetadataValue, text, texts, u32 } from "../gguf/metadata.js";
import { attentionGain, attentionWeights, feedForwardWeights } from "./decoder-layer.js";
import { poolingTypes } from "./pooling-types.js";
import type { Qwen3Shape } from "./shapes.js";
import { tokenEmbedding } from "./token-embedding.js";
import { constant, matrix, ones, type Weight } from "./weights.js";

/** Labels of the classification; the first one's probability is the score. */
const scoreLabels = ["yes", "no"] as const;

/** Rerank prompt; llama.cpp replaces the two names in braces. */
const scorePrompt =
  "<|im_start|>system\nSays whether the document answers the query: yes or no.<|im_end|>\n" +
  "<|im_start|>user\nQuery: {query}\nDocument: {document}<|im_end|>\n<|im_start|>assistant\n";

/** The keys that make llama.cpp load a shape as a Qwen 3 embedding model, or as a Qwen 3 reranker. */
export function qwen3Metadata(shape: Qwen3Shape): Metadata {
  return new Map([
    ["qwen3.context_length", u32(shape.contextLength)],
    ["qwen3.embedding_length", u32(shape.width)],
    ["qwen3.block_count", u32(shape.layers)],
    ["qwen3.feed_forward_length", u32(shape.feedForward)],
    ["qwen3.attention.head_count", u32(shape.heads)],
    ["qwen3.attention.head_count_kv", u32(shape.keyValueHeads)],
    ["qwen3.attention.key_length", u32(shape.width / shape.heads)],
    ["qwen3.attention.value_length", u32(shape.width / shape.heads)],
    ["qwen3.attention.layer_norm_rms_epsilon", f32(1e-6)],
    ["qwen3.rope.freq_base", f32(shape.ropeBase)],
    ...purposeEntries(shape),
  ]);
}

/** The weights of a shape, named and laid out as llama.cpp's `qwen3` architecture loads them. */
export function qwen3Weights(shape: Qwen3Shape, tokenTypes: readonly number[]): Weight[] {
  const { width, layers, purpose } = shape;
  return [
    tokenEmbedding(width, tokenTypes),
    ...Array.from({ length: layers }, (_, layer) => layerWeights(shape, layer)).flat(),
    ones("output_norm.weight", width),
    ...(purpose === "rerank" ? [matrix("cls.output.weight", width, scoreLabels.length)] : []),
  ];
}

/**
 * Weights of a layer. The gains of queries and keys belong to their normalisations, which cancel
 * any other.
 */
function layerWeights(shape: Qwen3Shape, layer: number): Weight[] {
  const headSize = shape.width / shape.heads;
  const name = (part: string) => `blk.${layer}.${part}.weight`;
  return [
    ones(name("attn_norm"), shape.width),
    constant(name("attn_q_norm"), [headSize], attentionGain),
    constant(name("attn_k_norm"), [headSize], attentionGain),
    ...attentionWeights(shape, layer),
    ones(name("ffn_norm"), shape.width),
    ...feedForwardWeights(shape, layer),
  ];
}

function purposeEntries({ purpose }: Qwen3Shape): [string, MetadataValue][] {
  switch (purpose) {
    case "embed":
      return [["qwen3.pooling_type", u32(poolingTypes.last)]];
    case "rerank":
      return [
        ["qwen3.pooling_type", u32(poolingTypes.rank)],
        ["qwen3.classifier.output_labels", texts(scoreLabels)],
        ["tokenizer.chat_template.rerank", text(scorePrompt)],
      ];
  }
}
