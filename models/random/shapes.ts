/** The sizes that every architecture here has. */
interface CommonShape {
  readonly layers: number;
  /** Elements of one embedding. */
  readonly width: number;
  /** Tokens; a tokenizer taken from elsewhere sets its own number. */
  readonly vocabulary: number;
  /** Tokens. */
  readonly contextLength: number;
}

/** The sizes of a transformer. */
interface TransformerShape extends CommonShape {
  /** Elements of the hidden layer of the feed-forward network. */
  readonly feedForward: number;
  readonly heads: number;
}

/** A transformer that generates; input and output embeddings are one matrix. */
export interface DecoderShape extends TransformerShape {
  /** Key and value heads; a divisor of `heads`. */
  readonly keyValueHeads: number;
}

/** A decoder of the Llama architecture. */
export interface LlamaShape extends DecoderShape {
  readonly architecture: "llama";
  readonly ropeBase: number;
}

/** A decoder of the Cohere 2 architecture: most of its layers see the last tokens only. */
export interface CohereShape extends DecoderShape {
  readonly architecture: "cohere2";
  readonly ropeBase: number;
  /** Tokens that those layers see. */
  readonly window: number;
  /** Of so many layers in a row the last one sees everything. */
  readonly windowPattern: number;
}

/** The sizes of recurrent layers, which keep a state of a fixed size instead of keys and values. */
export interface RecurrentShape extends CommonShape {
  /** Elements of the state of one channel. */
  readonly state: number;
  /** Tokens that the convolution before the recurrence sees. */
  readonly convolution: number;
  /** Elements that the time step is computed from. */
  readonly timeStepRank: number;
}

/** A decoder of the Mamba architecture: all of its layers are recurrent. */
export interface MambaShape extends RecurrentShape {
  readonly architecture: "mamba";
}

/** A decoder of the Jamba architecture, a hybrid: its layers recur and attend in turn. */
export interface JambaShape extends RecurrentShape, DecoderShape {
  readonly architecture: "jamba";
}

/** An encoder of the BERT architecture: embeds a text, or scores a query with a document. */
export interface BertShape extends TransformerShape {
  readonly architecture: "bert";
  readonly purpose: "embed" | "rerank";
}

/** The sizes of one model. */
export type Shape = LlamaShape | CohereShape | MambaShape | JambaShape | BertShape;

const tinyEncoder = {
  architecture: "bert",
  layers: 2,
  width: 64,
  feedForward: 128,
  heads: 4,
  vocabulary: 512,
  contextLength: 512,
} as const;

/**
 * The named shapes. `15m`, `135m` and `500m` have the sizes of small models in common use (the
 * TinyStories Llama, SmolLM and the smallest Qwen2.5), so that times measured on them carry over. The
 * states of `cohere2-tiny`, `mamba-tiny` and `jamba-tiny` cannot be cut.
 */
export const shapes = {
  tiny: {
    architecture: "llama",
    layers: 2,
    width: 64,
    feedForward: 128,
    heads: 4,
    keyValueHeads: 2,
    vocabulary: 512,
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
    vocabulary: 512,
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
    vocabulary: 32_000,
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
    vocabulary: 49_152,
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
    vocabulary: 151_936,
    contextLength: 32_768,
    ropeBase: 1_000_000,
  },
  "cohere2-tiny": {
    architecture: "cohere2",
    layers: 2,
    width: 64,
    feedForward: 128,
    heads: 4,
    keyValueHeads: 2,
    vocabulary: 512,
    contextLength: 2048,
    ropeBase: 10_000,
    window: 32,
    windowPattern: 2,
  },
  "mamba-tiny": {
    architecture: "mamba",
    layers: 2,
    width: 64,
    vocabulary: 512,
    contextLength: 2048,
    state: 16,
    convolution: 4,
    timeStepRank: 32,
  },
  "jamba-tiny": {
    architecture: "jamba",
    layers: 2,
    width: 64,
    feedForward: 128,
    heads: 4,
    keyValueHeads: 2,
    vocabulary: 512,
    contextLength: 2048,
    state: 16,
    convolution: 4,
    timeStepRank: 32,
  },
  "embed-tiny": { ...tinyEncoder, purpose: "embed" },
  "rerank-tiny": { ...tinyEncoder, purpose: "rerank" },
} as const satisfies Record<string, Shape>;

/** The name of a shape, e.g. `"tiny"`. */
export type ShapeName = keyof typeof shapes;
