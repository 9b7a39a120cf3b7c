import { bool, type Metadata, u32 } from "../gguf/metadata.js";
import {
  encoderLayers,
  patchEmbedding,
  positionEmbedding,
  textWidth,
  visionMetadata,
} from "./encoder.js";
import { gemma3TokenDeviation } from "./gemma3-model.js";
import type { Gemma3ProjectorShape } from "./projector-shapes.js";
import { f32Tensor, ones, type Weight } from "./weights.js";

/** Keys of a shape. */
export function gemma3ProjectorMetadata(shape: Gemma3ProjectorShape): Metadata {
  return new Map([
    ...visionMetadata(shape),
    ["clip.vision.projector.scale_factor", u32(shape.poolSize)],
    ["clip.use_gelu", bool(true)],
  ]);
}

/**
 * Weights of a shape. llama.cpp transposes the last one, which it supports only for f32 and f16.
 */
export function gemma3ProjectorWeights(shape: Gemma3ProjectorShape): Weight[] {
  const { width, imageSize, patchSize } = shape;
  const positions = (imageSize / patchSize) ** 2;
  const projectionDeviation = gemma3TokenDeviation / Math.sqrt(width);
  return [
    patchEmbedding(shape, "v.patch_embd.weight"),
    positionEmbedding(shape, "vision", positions),
    ...encoderLayers(shape, "vision"),
    ones("v.post_ln.weight", width),
    ones("mm.soft_emb_norm.weight", width),
    f32Tensor("mm.input_projection.weight", [textWidth(shape), width], projectionDeviation),
  ];
}
