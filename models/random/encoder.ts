import { f32, f32s, type Metadata, u32 } from "../gguf/metadata.js";
import { attentionGain } from "./decoder-layer.js";
import type { EncoderShape, VisionShape } from "./projector-shapes.js";
import { shapes } from "./shapes.js";
import { convolution, f32Tensor, matrix, ones, type Weight, zeros } from "./weights.js";

/** What an encoder reads: the part of its keys' names, and the beginning of its tensors' names. */
const senses = { vision: "v", audio: "a" } as const;

/** What an encoder reads. */
export type Sense = keyof typeof senses;

/** How the layers of an encoder differ from those of another one. */
export interface LayerForm {
  /** Whether the feed-forward network has a gate. */
  readonly isGated?: boolean;
  /** The matrices and normalisations with a bias. */
  readonly biased?: readonly ("ln1" | "ln2" | "attn_q" | "attn_k" | "attn_v")[];
}

/** The embedding length of the text model that reads an encoder's output. */
export function textWidth({ textModel }: EncoderShape): number {
  return shapes[textModel].width;
}

/** The keys that all encoders have. */
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

/** The keys that all encoders of images have. Channels are mapped to the range from -1 to 1. */
export function visionMetadata(shape: VisionShape): Metadata {
  return new Map([
    ...encoderMetadata(shape, "vision"),
    ["clip.vision.image_size", u32(shape.imageSize)],
    ["clip.vision.patch_size", u32(shape.patchSize)],
    ["clip.vision.image_mean", f32s([0.5, 0.5, 0.5])],
    ["clip.vision.image_std", f32s([0.5, 0.5, 0.5])],
  ]);
}

/** The convolution that makes a position of each patch of an image. */
export function patchEmbedding({ patchSize, width }: VisionShape, name: string): Weight {
  return convolution(name, [patchSize, patchSize, 3], width);
}

/** What tells the positions apart, and leaves most of their content to what they read. */
export function positionEmbedding(shape: EncoderShape, sense: Sense, positions: number): Weight {
  return f32Tensor(`${senses[sense]}.position_embd.weight`, [shape.width, positions], 0.5);
}

/** The layers of an encoder. */
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
