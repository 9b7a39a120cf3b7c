import type { DecoderShape, Experts } from "./shapes.js";
import { f32Matrix, matrix, matrixStack, type Weight } from "./weights.js";

/**
 * The gain of queries and of keys. Attention scores with a standard deviation of 4 select a few
 * positions instead of averaging all of them, so that the next token depends on the whole context.
 */
export const attentionGain = 2;

/**
 * The gain of a layer's contribution to the residual stream. Large enough that the last token's own
 * embedding does not dominate the output: with tied embeddings the model would only repeat that token.
 */
export const residualGain = 4;

/** The attention matrices of one layer, with the names that most llama.cpp architectures use. */
export function attentionWeights(shape: DecoderShape, layer: number): Weight[] {
  const { width, heads, keyValueHeads } = shape;
  const keyValueWidth = (width / heads) * keyValueHeads;
  const name = (part: string) => `blk.${layer}.${part}.weight`;
  return [
    matrix(name("attn_q"), width, width, attentionGain),
    matrix(name("attn_k"), width, keyValueWidth, attentionGain),
    matrix(name("attn_v"), width, keyValueWidth),
    matrix(name("attn_output"), width, width, residualGain),
  ];
}

/** The matrices of one layer's gated feed-forward network. */
export function feedForwardWeights(shape: DecoderShape, layer: number): Weight[] {
  const { width, feedForward } = shape;
  const name = (part: string) => `blk.${layer}.${part}.weight`;
  return [
    matrix(name("ffn_gate"), width, feedForward),
    matrix(name("ffn_up"), width, feedForward),
    matrix(name("ffn_down"), feedForward, width, residualGain),
  ];
}

/**
 * The matrices of one layer's mixture of experts: a router, and for each expert the matrices of a
 * gated feed-forward network, stacked in one tensor.
 *
 * The output is a weighted mean of the `used` experts, which are independent: the gain √`used` gives
 * it about the standard deviation of a single feed-forward network's.
 */
export function expertWeights(
  { width, feedForward }: DecoderShape,
  { count, used }: Experts,
  layer: number,
): Weight[] {
  const name = (part: string) => `blk.${layer}.${part}.weight`;
  return [
    f32Matrix(name("ffn_gate_inp"), width, count),
    matrixStack(name("ffn_gate_exps"), width, feedForward, count),
    matrixStack(name("ffn_up_exps"), width, feedForward, count),
    matrixStack(name("ffn_down_exps"), feedForward, width, count, residualGain * Math.sqrt(used)),
  ];
}
