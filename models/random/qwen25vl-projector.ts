import { bool, type Metadata, u32 } from "../gguf/metadata.js";
import { encoderLayers, patchEmbedding, textWidth, visionMetadata } from "./encoder.js";
import type { Qwen25vlProjectorShape } from "./projector-shapes.js";
import { tokenDeviation } from "./token-embedding.js";
import { matrix, ones, type Weight, zeros } from "./weights.js";

/** Number of encoder positions that are merged into one. */
const joined = 4;

/** Gain that approximately compensates GELU. */
const activationGain = 1.5;

/** Keys of a shape. */
export function qwen25vlProjectorMetadata(shape: Qwen25vlProjectorShape): Metadata {
  return new Map([
    ...visionMetadata(shape),
    ["clip.vision.n_wa_pattern", u32(shape.windowPattern)],
    ["clip.use_silu", bool(true)],
  ]);
}

/**
 * Weights of a shape. An image is treated as a video of two frames, with a convolution for each.
 */
export function qwen25vlProjectorWeights(shape: Qwen25vlProjectorShape): Weight[] {
  const { width } = shape;
  const joinedWidth = joined * width;
  const outputs = textWidth(shape);
  return [
    patchEmbedding(shape, "v.patch_embd.weight"),
    patchEmbedding(shape, "v.patch_embd.weight.1"),
    ...encoderLayers(shape, "vision", { isGated: true, biased: ["attn_q", "attn_k", "attn_v"] }),
    ones("v.post_ln.weight", width),
    matrix("mm.0.weight", joinedWidth, joinedWidth, activationGain),
    zeros("mm.0.bias", joinedWidth),
    matrix("mm.2.weight", joinedWidth, outputs, tokenDeviation(outputs)),
    zeros("mm.2.bias", outputs),
  ];
}
