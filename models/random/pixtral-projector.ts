import { bool, type Metadata } from "../gguf/metadata.js";
import { encoderLayers, patchEmbedding, textWidth, visionMetadata } from "./encoder.js";
import type { PixtralProjectorShape } from "./projector-shapes.js";
import { tokenDeviation } from "./token-embedding.js";
import { f32Tensor, matrix, ones, type Weight } from "./weights.js";

/** Keys of a shape. */
export function pixtralProjectorMetadata(shape: PixtralProjectorShape): Metadata {
  return new Map([...visionMetadata(shape), ["clip.use_silu", bool(true)]]);
}

/**
 * Weights of a shape. There are no position embeddings: queries and keys are rotated by row and
 * column.
 */
export function pixtralProjectorWeights(shape: PixtralProjectorShape): Weight[] {
  const { width } = shape;
  const outputs = textWidth(shape);
  const deviation = tokenDeviation(outputs);
  return [
    patchEmbedding(shape, "v.patch_embd.weight"),
    ones("v.pre_ln.weight", width),
    ...encoderLayers(shape, "vision", { isGated: true }),
    matrix("mm.1.weight", width, outputs),
    matrix("mm.2.weight", outputs, outputs, deviation),
    f32Tensor("v.token_embd.img_break", [outputs], deviation),
  ];
}
