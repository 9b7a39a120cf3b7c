import { f32, i32s, type Metadata, u32 } from "../gguf/metadata.js";
import { attentionWeights, feedForwardWeights } from "./decoder-layer.js";
import { recurrenceMetadata, recurrenceWeights } from "./mamba-model.js";
import type { JambaShape } from "./shapes.js";
import { tokenEmbedding } from "./token-embedding.js";
import { ones, type Weight } from "./weights.js";

/** The `jamba.*` keys of a shape. A layer with zero key and value heads is recurrent. */
export function jambaMetadata(shape: JambaShape): Metadata {
  const { layers, keyValueHeads } = shape;
  const heads = Array.from({ length: layers }, (_, layer) => (attends(layer) ? keyValueHeads : 0));
  return new Map([
    ["jamba.context_length", u32(shape.contextLength)],
    ["jamba.embedding_length", u32(shape.width)],
    ["jamba.block_count", u32(layers)],
    ["jamba.feed_forward_length", u32(shape.feedForward)],
    ["jamba.attention.head_count", u32(shape.heads)],
    ["jamba.attention.head_count_kv", i32s(heads)],
    ["jamba.attention.layer_norm_rms_epsilon", f32(1e-5)],
    ...recurrenceMetadata(shape, "jamba"),
  ]);
}

/** The weights of a shape, named and laid out as llama.cpp's `jamba` architecture loads them. */
export function jambaWeights(shape: JambaShape, tokenTypes: readonly number[]): Weight[] {
  const { width, layers } = shape;
  return [
    tokenEmbedding(width, tokenTypes),
    ...Array.from({ length: layers }, (_, layer) => layerWeights(shape, layer)).flat(),
    ones("output_norm.weight", width),
  ];
}

function layerWeights(shape: JambaShape, layer: number): Weight[] {
  const { width, stateSize, timeStepRank } = shape;
  const name = (part: string) => `blk.${layer}.${part}.weight`;
  const mixingWeights = attends(layer)
    ? attentionWeights(shape, layer)
    : [
        ...recurrenceWeights(shape, layer),
        ones(name("ssm_dt_norm"), timeStepRank),
        ones(name("ssm_b_norm"), stateSize),
        ones(name("ssm_c_norm"), stateSize),
      ];
  return [
    ones(name("attn_norm"), width),
    ...mixingWeights,
    ones(name("ffn_norm"), width),
    ...feedForwardWeights(shape, layer),
  ];
}

function attends(layer: number): boolean {
  return layer % 2 === 1;
}
