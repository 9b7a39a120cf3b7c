import { f32, f32s, type Metadata, u32 } from "../gguf/metadata.js";
import { attentionGain } from "./decoder-layer.js";
import type { EncoderShape, VisionShape } from "./projector-shapes.js";
import { shapes } from "./shapes.js";
import { convolution, f32Tensor, matrix, ones, type Weight, zeros } from "./weights.js";

/** Key and tensor name prefixes of the encoders. */
const senses = { vision: "v", audio: "a" } as const;

/** Input modality of an encoder. */
export type Sense = keyof typeof senses;

/** Differences between the layers of encoders. */
export interface LayerForm {
  /** Whether the feed-forward network has a gate. */
  readonly isGated?: boolean;
  /** Matrices and normalisations with a bias. */
  readonly biased?: readonly ("ln1" | "ln2" | "attn_q" | "attn_k" | "attn_v")[];
}

/** Embedding length of the text model that reads an encoder's output. */
export function textWidth({ textModel }: EncoderShape): number {
  return shapes[textModel].width;
}

/** Keys of all encoders. */
export function encoderMetadata(shape: EncoderShape, sense: Sense): Metadata {
  return new Map([
    [`clip.${sense}.embedding_length`, u32(shape.width)],
    [`clip.${sense}.feed_forward_length`, u32(shape.feedForward)],
    [`clip.${sense}.block_count`, u32(shape.layers)],
    [`clip.${sense}.projection_dim`, u32(textWidth(shape))],
    [`clip.${sense}.attention.head_count`, u32(shape.heads)],
    [`clip.${sense}.attention.layer_norm_epsilon`, f32(1e-6)],
  ]);
}

/** Keys of all image encoders. Channels are mapped to the range from -1 to 1. */
export function visionMetadata(shape: VisionShape): Metadata {
  return new Map([
    ...encoderMetadata(shape, "vision"),
    ["clip.vision.image_size", u32(shape.imageSize)],
    ["clip.vision.patch_size", u32(shape.patchSize)],
    ["clip.vision.image_mean", f32s([0.5, 0.5, 0.5])],
    ["clip.vision.image_std", f32s([0.5, 0.5, 0.5])],
  ]);
}

/** Convolution that maps each patch of an image to a position. */
export function patchEmbedding({ patchSize, width }: VisionShape, name: string): Weight {
  return convolution(name, [patchSize, patchSize, 3], width);
}

/** Position embeddings, small enough that the positions' content is dominated by the input. */
export function positionEmbedding(shape: EncoderShape, sense: Sense, positions: number): Weight {
  return f32Tensor(`${senses[sense]}.position_embd.weight`, [shape.width, positions], 0.5);
}

/** Layers of an encoder. */
export function encoderLayers(shape: EncoderShape, sense: Sense, form: LayerForm = {}): Weight[] {
  const { width, feedForward, layers } = shape;
  const { isGated = false, biased = [] } = form;
  return Array.from({ length: layers }, (_, layer) => {
    const name = (part: string) => `${senses[sense]}.blk.${layer}.${part}`;
    return [
      ones(name("ln1.weight"), width),
      matrix(name("attn_q.weight"), width, width, attentionGain),
      matrix(name("attn_k.weight"), width, width, attentionGain),
      matrix(name("attn_v.weight"), width, width),
      matrix(name("attn_out.weight"), width, width),
      ones(name("ln2.weight"), width),
      ...(isGated ? [matrix(name("ffn_gate.weight"), width, feedForward)] : []),
      matrix(name("ffn_up.weight"), width, feedForward),
      matrix(name("ffn_down.weight"), feedForward, width),
      ...biased.map((part) => zeros(name(`${part}.bias`), width)),
    ];
  }).flat();
}
