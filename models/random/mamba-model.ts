import { f32, type Metadata, u32 } from "../gguf/metadata.js";
import { residualGain } from "./decoder-layer.js";
import type { MambaShape, RecurrentShape } from "./shapes.js";
import { tokenEmbedding } from "./token-embedding.js";
import { constant, f32Matrix, matrix, ones, type Weight, zeros } from "./weights.js";

/** Channels per embedding element; llama.cpp supports no other value. */
const expansion = 2;

/** The `mamba.*` keys of a shape. */
export function mambaMetadata(shape: MambaShape): Metadata {
  return new Map([
    ["mamba.context_length", u32(shape.contextLength)],
    ["mamba.embedding_length", u32(shape.width)],
    ["mamba.feed_forward_length", u32(0)],
    ["mamba.attention.head_count", u32(0)],
    ["mamba.block_count", u32(shape.layers)],
    ["mamba.attention.layer_norm_rms_epsilon", f32(1e-5)],
    ...recurrenceMetadata(shape, "mamba"),
  ]);
}

/** The keys that describe the recurrent layers. */
export function recurrenceMetadata(shape: RecurrentShape, architecture: string): Metadata {
  return new Map([
    [`${architecture}.ssm.conv_kernel`, u32(shape.convKernelSize)],
    [`${architecture}.ssm.inner_size`, u32(shape.width * expansion)],
    [`${architecture}.ssm.state_size`, u32(shape.stateSize)],
    [`${architecture}.ssm.time_step_rank`, u32(shape.timeStepRank)],
  ]);
}

/**
 * The time step before softplus, which maps it to 0.02: the influence of a token on the state decays
 * over about fifty tokens.
 */
const timeStepBias = -4;

/** The gain of the state's inputs and outputs; without it, a layer depends on one token only. */
const stateGain = 3;

/** The weights of a shape, named and laid out as llama.cpp's `mamba` architecture loads them. */
export function mambaWeights(shape: MambaShape, tokenTypes: readonly number[]): Weight[] {
  const { width, layers } = shape;
  return [
    tokenEmbedding(width, tokenTypes),
    ...Array.from({ length: layers }, (_, layer) => [
      ones(`blk.${layer}.attn_norm.weight`, width),
      ...recurrenceWeights(shape, layer),
    ]).flat(),
    ones("output_norm.weight", width),
  ];
}

/** The recurrent weights of one layer, without its normalisation. */
export function recurrenceWeights(shape: RecurrentShape, layer: number): Weight[] {
  const { width, stateSize, convKernelSize, timeStepRank } = shape;
  const channels = width * expansion;
  const name = (part: string) => `blk.${layer}.${part}`;
  return [
    matrix(name("ssm_in.weight"), width, 2 * channels),
    f32Matrix(name("ssm_conv1d.weight"), convKernelSize, channels),
    zeros(name("ssm_conv1d.bias"), channels),
    matrix(name("ssm_x.weight"), channels, timeStepRank + 2 * stateSize, stateGain),
    // Multiplies a part of each row of `ssm_x`'s product: llama.cpp's repacked q8_0 kernels assume
    // contiguous rows and read beyond the last one.
    f32Matrix(name("ssm_dt.weight"), timeStepRank, channels),
    constant(name("ssm_dt.bias"), [channels], timeStepBias),
    constant(name("ssm_a"), [stateSize, channels], -1),
    zeros(name("ssm_d"), channels),
    matrix(name("ssm_out.weight"), channels, width, residualGain),
  ];
}
