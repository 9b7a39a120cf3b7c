/** Sizes that all architectures share. */
interface CommonShape {
  readonly layers: number;
  /** Embedding length. */
  readonly width: number;
  /** Vocabulary size of the own tokenizer; a tokenizer of llama.cpp has its own size. */
  readonly vocabularySize: number;
  /** Context length in tokens. */
  readonly contextLength: number;
}

/** The sizes of a transformer. */
interface TransformerShape extends CommonShape {
  /** Hidden size of the feed-forward network. */
  readonly feedForward: number;
  readonly heads: number;
}

/** A generative transformer. Heads have `width / heads` elements. */
export interface DecoderShape extends TransformerShape {
  /** Key and value heads; a divisor of `heads`. */
  readonly keyValueHeads: number;
}

/** The experts of a layer; its router selects some of them for each token. */
export interface Experts {
  readonly count: number;
  /** Experts that evaluate one token. */
  readonly used: number;
}

/** A decoder of the Llama architecture. */
export interface LlamaShape extends DecoderShape {
  readonly architecture: "llama";
  readonly ropeBase: number;
  /**
   * Makes each layer a mixture of experts, where `feedForward` is the hidden size of one expert.
   */
  readonly experts?: Experts;
  /** Whether the output matrix is separate from the token embeddings. */
  readonly hasOwnOutput?: boolean;
}

/** A decoder of the Cohere 2 architecture: most of its layers use sliding-window attention. */
export interface CohereShape extends DecoderShape {
  readonly architecture: "cohere2";
  readonly ropeBase: number;
  /** Tokens in the attention window of those layers. */
  readonly slidingWindow: number;
  /** Every `windowPattern`-th layer has full attention. */
  readonly windowPattern: number;
}

/** A decoder of the Gemma 3 architecture: most of its layers use sliding-window attention. */
export interface Gemma3Shape extends DecoderShape {
  readonly architecture: "gemma3";
  readonly ropeBase: number;
  /** Tokens in the attention window of those layers. */
  readonly slidingWindow: number;
  /** Every `windowPattern`-th layer has full attention. */
  readonly windowPattern: number;
}

/** Decoder of the Qwen 2 VL architecture, in which a position has a time, a row and a column. */
export interface Qwen2vlShape extends DecoderShape {
  readonly architecture: "qwen2vl";
  readonly ropeBase: number;
  /** Pairs of a head's elements that are rotated by time, row and column. */
  readonly ropeSections: readonly [time: number, row: number, column: number];
}

/** The sizes of recurrent layers, which have a fixed-size state instead of keys and values. */
export interface RecurrentShape extends CommonShape {
  /** Elements of one channel's state. */
  readonly stateSize: number;
  /** Tokens covered by the convolution before the recurrence. */
  readonly convKernelSize: number;
  /** Rank of the time step's projection. */
  readonly timeStepRank: number;
}

/** A decoder of the Mamba architecture, in which all layers are recurrent. */
export interface MambaShape extends RecurrentShape {
  readonly architecture: "mamba";
}

/** A decoder of the hybrid Jamba architecture: recurrent and attention layers alternate. */
export interface JambaShape extends RecurrentShape, DecoderShape {
  readonly architecture: "jamba";
}

/**
 * Output of a model that does not generate text: an embedding, or a document's score for a query.
 */
export type Purpose = "embed" | "rerank";

/** An encoder of the BERT architecture. */
export interface BertShape extends TransformerShape {
  readonly architecture: "bert";
  readonly purpose: Purpose;
}

/** Decoder of the Qwen 3 architecture whose result is taken from the last position. */
export interface Qwen3Shape extends DecoderShape {
  readonly architecture: "qwen3";
  readonly ropeBase: number;
  readonly purpose: Purpose;
}

/** Sizes of one model. */
export type Shape =
  | LlamaShape
  | CohereShape
  | Gemma3Shape
  | Qwen2vlShape
  | MambaShape
  | JambaShape
  | BertShape
  | Qwen3Shape;

const tinyEncoder = {
  architecture: "bert",
  layers: 2,
  width: 64,
  feedForward: 128,
  heads: 4,
  vocabularySize: 512,
  contextLength: 512,
} as const;

const miniLm = {
  architecture: "bert",
  layers: 6,
  width: 384,
  feedForward: 1536,
  heads: 12,
  vocabularySize: 30_522,
  contextLength: 512,
} as const;

const tinyQwen3 = {
  architecture: "qwen3",
  layers: 2,
  width: 64,
  feedForward: 128,
  heads: 4,
  keyValueHeads: 2,
  vocabularySize: 512,
  contextLength: 2048,
  ropeBase: 10_000,
} as const;

const llama3 = {
  architecture: "llama",
  keyValueHeads: 8,
  vocabularySize: 128_256,
  contextLength: 131_072,
  ropeBase: 500_000,
} as const;

/**
 * The named shapes. The following have the sizes of common models, so that timings carry over to
 * these; the states of the models with a sliding window, and of `mamba-tiny` and `jamba-tiny`, cannot
 * be truncated to a shorter prefix.
 *
 * - `15m`, `135m`, `500m`: the TinyStories Llama, SmolLM and the smallest Qwen2.5
 * - `1b`, `3b`, `8b`: Llama 3.2 1B and 3B, Llama 3.1 8B
 * - `moe-3b`: Granite 3.1 3B A800M, of whose 3.3 B parameters 0.9 B are used for one token
 * - `swa-4b`: Command R7B with half of its layers, 4.5 B parameters
 * - `embed-22m`, `rerank-22m`: all-MiniLM-L6 and the cross-encoder of its size
 */
export const shapes = {
  tiny: {
    architecture: "llama",
    layers: 2,
    width: 64,
    feedForward: 128,
    heads: 4,
    keyValueHeads: 2,
    vocabularySize: 512,
    contextLength: 2048,
    ropeBase: 10_000,
  },
  "1m": {
    architecture: "llama",
    layers: 4,
    width: 128,
    feedForward: 512,
    heads: 4,
    keyValueHeads: 2,
    vocabularySize: 512,
    contextLength: 4096,
    ropeBase: 10_000,
  },
  "15m": {
    architecture: "llama",
    layers: 6,
    width: 288,
    feedForward: 768,
    heads: 6,
    keyValueHeads: 6,
    vocabularySize: 32_000,
    contextLength: 2048,
    ropeBase: 10_000,
  },
  "135m": {
    architecture: "llama",
    layers: 30,
    width: 576,
    feedForward: 1536,
    heads: 9,
    keyValueHeads: 3,
    vocabularySize: 49_152,
    contextLength: 8192,
    ropeBase: 100_000,
  },
  "500m": {
    architecture: "llama",
    layers: 24,
    width: 896,
    feedForward: 4864,
    heads: 14,
    keyValueHeads: 2,
    vocabularySize: 151_936,
    contextLength: 32_768,
    ropeBase: 1_000_000,
  },
  "1b": { ...llama3, layers: 16, width: 2048, feedForward: 8192, heads: 32 },
  "3b": { ...llama3, layers: 28, width: 3072, feedForward: 8192, heads: 24 },
  "8b": { ...llama3, layers: 32, width: 4096, feedForward: 14_336, heads: 32, hasOwnOutput: true },
  "moe-tiny": {
    architecture: "llama",
    layers: 2,
    width: 64,
    feedForward: 64,
    experts: { count: 8, used: 2 },
    heads: 4,
    keyValueHeads: 2,
    vocabularySize: 512,
    contextLength: 2048,
    ropeBase: 10_000,
  },
  "moe-3b": {
    architecture: "llama",
    layers: 32,
    width: 1536,
    feedForward: 512,
    experts: { count: 40, used: 8 },
    heads: 24,
    keyValueHeads: 8,
    vocabularySize: 49_155,
    contextLength: 131_072,
    ropeBase: 10_000_000,
  },
  "cohere2-tiny": {
    architecture: "cohere2",
    layers: 2,
    width: 64,
    feedForward: 128,
    heads: 4,
    keyValueHeads: 2,
    vocabularySize: 512,
    contextLength: 2048,
    ropeBase: 10_000,
    slidingWindow: 32,
    windowPattern: 2,
  },
  "swa-4b": {
    architecture: "cohere2",
    layers: 16,
    width: 4096,
    feedForward: 14_336,
    heads: 32,
    keyValueHeads: 8,
    vocabularySize: 256_000,
    contextLength: 131_072,
    ropeBase: 50_000,
    slidingWindow: 4096,
    windowPattern: 4,
  },
  "gemma3-vision-tiny": {
    architecture: "gemma3",
    layers: 2,
    width: 64,
    feedForward: 128,
    heads: 4,
    keyValueHeads: 2,
    vocabularySize: 512,
    contextLength: 2048,
    ropeBase: 10_000,
    slidingWindow: 64,
    windowPattern: 2,
  },
  "qwen25vl-tiny": {
    architecture: "qwen2vl",
    layers: 2,
    width: 64,
    feedForward: 128,
    heads: 4,
    keyValueHeads: 2,
    vocabularySize: 512,
    contextLength: 2048,
    ropeBase: 10_000,
    ropeSections: [2, 3, 3],
  },
  "mamba-tiny": {
    architecture: "mamba",
    layers: 2,
    width: 64,
    vocabularySize: 512,
    contextLength: 2048,
    stateSize: 16,
    convKernelSize: 4,
    timeStepRank: 32,
  },
  "jamba-tiny": {
    architecture: "jamba",
    layers: 2,
    width: 64,
    feedForward: 128,
    heads: 4,
    keyValueHeads: 2,
    vocabularySize: 512,
    contextLength: 2048,
    stateSize: 16,
    convKernelSize: 4,
    timeStepRank: 32,
  },
  "embed-tiny": { ...tinyEncoder, purpose: "embed" },
  "rerank-tiny": { ...tinyEncoder, purpose: "rerank" },
  "embed-22m": { ...miniLm, purpose: "embed" },
  "rerank-22m": { ...miniLm, purpose: "rerank" },
  "embed-qwen3-tiny": { ...tinyQwen3, purpose: "embed" },
  "rerank-qwen3-tiny": { ...tinyQwen3, purpose: "rerank" },
} as const satisfies Record<string, Shape>;

/** The name of a shape, e.g. `"tiny"`. */
export type ShapeName = keyof typeof shapes;
