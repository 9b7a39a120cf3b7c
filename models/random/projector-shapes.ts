import type { ShapeName } from "./shapes.js";

/** Sizes of an encoder, and the text model that reads its output. */
export interface EncoderShape {
  readonly layers: number;
  /** Embedding length inside the encoder. */
  readonly width: number;
  readonly feedForward: number;
  readonly heads: number;
  readonly textModel: ShapeName;
}

/** Sizes of an image encoder. */
export interface VisionShape extends EncoderShape {
  /** Side of the square of pixels that one position of the encoder reads. */
  readonly patchSize: number;
  /** Side of an image in pixels: fixed, or the most common size if sizes are dynamic. */
  readonly imageSize: number;
}

/**
 * SigLIP encoder; Gemma 3 averages squares of its output positions and requires non-causal
 * attention.
 */
export interface Gemma3ProjectorShape extends VisionShape {
  readonly projector: "gemma3";
  /** Side of such a square, in positions. */
  readonly poolSize: number;
}

/** Encoder for images of any size; a token marks the end of each row except the last. */
export interface PixtralProjectorShape extends VisionShape {
  readonly projector: "pixtral";
}

/**
 * Encoder for images of any size; Qwen 2.5 VL merges squares of two by two output positions. Most
 * of its layers attend to windows of 112 by 112 pixels, which llama.cpp does not let files change.
 */
export interface Qwen25vlProjectorShape extends VisionShape {
  readonly projector: "qwen2.5vl_merger";
  /** Every `windowPattern`-th layer attends to the whole image. */
  readonly windowPattern: number;
}

/** Whisper encoder of 30 seconds of audio; Ultravox merges consecutive output positions. */
export interface UltravoxProjectorShape extends EncoderShape {
  readonly projector: "ultravox";
  /** Frequency bins of a frame of 10 ms. */
  readonly melBins: number;
  /** Number of positions of 20 ms that are merged into one. */
  readonly stackFactor: number;
  /** Hidden size of the network that maps the positions to the text model's embeddings. */
  readonly hidden: number;
}

/** Sizes of one projector. */
export type ProjectorShape =
  | Gemma3ProjectorShape
  | PixtralProjectorShape
  | Qwen25vlProjectorShape
  | UltravoxProjectorShape;

const tinyEncoder = { layers: 2, width: 32, feedForward: 64, heads: 2 } as const;

/**
 * Named shapes of projectors, with the positions of a text model's context that they take,
 * excluding the names of tokens that libmtmd adds:
 *
 * - `gemma3-projector-tiny`: 16 positions
 * - `qwen25vl-projector-tiny`: one per 28 by 28 pixels, at least 8
 * - `pixtral-projector-tiny`, `pixtral-projector-15m`, `pixtral-projector-135m`: one per 16 by 16
 * pixels, at least 8, and one per row except the last
 * - `whisper-projector-tiny`: 30 per 30 seconds, rounded up
 */
export const projectorShapes = {
  "gemma3-projector-tiny": {
    projector: "gemma3",
    textModel: "gemma3-vision-tiny",
    ...tinyEncoder,
    imageSize: 112,
    patchSize: 14,
    poolSize: 2,
  },
  "qwen25vl-projector-tiny": {
    projector: "qwen2.5vl_merger",
    textModel: "qwen25vl-tiny",
    ...tinyEncoder,
    imageSize: 112,
    patchSize: 14,
    windowPattern: 2,
  },
  "pixtral-projector-tiny": {
    projector: "pixtral",
    textModel: "tiny",
    ...tinyEncoder,
    imageSize: 128,
    patchSize: 16,
  },
  "pixtral-projector-15m": {
    projector: "pixtral",
    textModel: "15m",
    layers: 12,
    width: 512,
    feedForward: 1536,
    heads: 8,
    imageSize: 224,
    patchSize: 16,
  },
  "pixtral-projector-135m": {
    projector: "pixtral",
    textModel: "135m",
    ...tinyEncoder,
    imageSize: 128,
    patchSize: 16,
  },
  "whisper-projector-tiny": {
    projector: "ultravox",
    textModel: "tiny",
    ...tinyEncoder,
    layers: 1,
    melBins: 32,
    stackFactor: 50,
    hidden: 32,
  },
} as const satisfies Record<string, ProjectorShape>;

/** The name of a projector's shape, e.g. `"gemma3-projector-tiny"`. */
export type ProjectorName = keyof typeof projectorShapes;
