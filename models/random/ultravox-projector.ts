import { type Metadata, u32 } from "../gguf/metadata.js";
import { encoderLayers, encoderMetadata, positionEmbedding, textWidth } from "./encoder.js";
import type { UltravoxProjectorShape } from "./projector-shapes.js";
import { tokenDeviation } from "./token-embedding.js";
import { constant, convolution, matrix, ones, type Weight, zeros } from "./weights.js";

/** Positions in 30 seconds, the minimum that llama.cpp encodes for a recording of any length. */
const positions = 1500;

/** Keys of a shape. */
export function ultravoxProjectorMetadata(shape: UltravoxProjectorShape): Metadata {
  return new Map([
    ...encoderMetadata(shape, "audio"),
    ["clip.audio.num_mel_bins", u32(shape.melBins)],
    ["clip.audio.projector.stack_factor", u32(shape.stackFactor)],
  ]);
}

/** Weights of a shape. Half of the hidden size's outputs are the gates of the other half. */
export function ultravoxProjectorWeights(shape: UltravoxProjectorShape): Weight[] {
  const { width, melBins, stackFactor, hidden } = shape;
  const outputs = textWidth(shape);
  return [
    convolution("a.conv1d.1.weight", [3, melBins], width),
    constant("a.conv1d.1.bias", [1, width], 0),
    convolution("a.conv1d.2.weight", [3, width], width),
    constant("a.conv1d.2.bias", [1, width], 0),
    positionEmbedding(shape, "audio", positions),
    ...encoderLayers(shape, "audio", { biased: ["ln1", "ln2", "attn_q", "attn_v"] }),
    ones("a.post_ln.weight", width),
    zeros("a.post_ln.bias", width),
    ones("mm.a.norm_pre.weight", stackFactor * width),
    matrix("mm.a.mlp.1.weight", stackFactor * width, 2 * hidden),
    ones("mm.a.norm_mid.weight", hidden),
    matrix("mm.a.mlp.2.weight", hidden, outputs, tokenDeviation(outputs)),
  ];
}
