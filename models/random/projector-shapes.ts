import type { ShapeName } from "./shapes.js";

/** The sizes of an encoder, and the text model that reads its output. */
export interface EncoderShape {
  readonly layers: number;
  /** Embedding length inside the encoder. */
  readonly width: number;
  readonly feedForward: number;
  readonly heads: number;
  readonly textModel: ShapeName;
}

/** The sizes of an encoder of images. */
export interface VisionShape extends EncoderShape {
  /** Pixels of a side of the square that one position of the encoder reads. */
  readonly patchSize: number;
  /** Pixels of a side: every image's, or the most common size where sizes are dynamic. */
  readonly imageSize: number;
}

/** A SigLIP encoder, of whose output Gemma 3 averages squares; it wants non-causal attention. */
export interface Gemma3ProjectorShape extends VisionShape {
  readonly projector: "gemma3";
  /** Positions of a side of such a square. */
  readonly poolSize: number;
}

/** An encoder for images of any size; a token marks the end of each row but the last. */
export interface PixtralProjectorShape extends VisionShape {
  readonly projector: "pixtral";
}

/**
 * An encoder for images of any size, of whose output Qwen 2.5 VL joins squares of two by two positions.
 * Most of its layers attend to windows of 112 by 112 pixels, which llama.cpp lets no file change.
 */
export interface Qwen25vlProjectorShape extends VisionShape {
  readonly projector: "qwen2.5vl_merger";
  /** Every `windowPattern`-th layer attends to the whole image. */
  readonly windowPattern: number;
}

/** A Whisper encoder of 30 seconds of sound, of whose output Ultravox joins consecutive positions. */
export interface UltravoxProjectorShape extends EncoderShape {
  readonly projector: "ultravox";
  /** Frequencies of a frame of 10 ms. */
  readonly melBins: number;
  /** Positions, of 20 ms each, that become one. */
  readonly stackFactor: number;
  /** Hidden size of the network that maps them to the text model's embeddings. */
  readonly hidden: number;
}

/** The sizes of one projector. */
export type ProjectorShape =
  | Gemma3ProjectorShape
  | PixtralProjectorShape
  | Qwen25vlProjectorShape
  | UltravoxProjectorShape;

const tinyEncoder = { layers: 2, width: 32, feedForward: 64, heads: 2 } as const;

/**
 * The named shapes of projectors. What they take of a text model's context, apart from the names of
 * tokens that libmtmd writes around it:
 *
 * - `gemma3-projector-tiny`: 16 positions
 * - `qwen25vl-projector-tiny`: one for 28 by 28 pixels, at least 8
 * - `pixtral-projector-tiny`, `pixtral-projector-15m`, `pixtral-projector-135m`: one for 16 by 16 pixels, at least 8, and one for each row but the last
 * - `whisper-projector-tiny`: 30 for each 30 seconds begun
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
