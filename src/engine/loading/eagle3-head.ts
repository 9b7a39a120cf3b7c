import { type GgufFileInfo, GgmlType as TensorType } from "node-llama-cpp";

/** llama.cpp's architecture name of EAGLE-3 heads. */
export const EAGLE3 = "eagle3";

/**
 * Properties of an EAGLE-3 head and of the model that it was trained for, as stated in its file.
 */
export interface Eagle3Head {
  readonly targetLayers: readonly number[];
  /** Elements of a hidden state of the target model. */
  readonly targetWidth: number;
  /** Elements of a hidden state of the head. */
  readonly width: number;
  readonly blocks: number;
  /** Matrices that the head has itself; it takes the others from the target model. */
  readonly ownMatrices: { readonly embeddings: boolean; readonly output: boolean };
  /**
   * Maps the head's smaller vocabulary to the model's; `undefined` if both use the same vocabulary.
   */
  readonly tokenMap: Eagle3TokenMap | undefined;
}

/** The tensor that contains the token map. */
export interface Eagle3TokenMap {
  readonly type: "i64" | "other";
  readonly tokens: number;
  /** Offset of the tensor's data in the file. */
  readonly fileOffset: number;
}

/** The model for which a head proposes tokens. */
export interface Eagle3Target {
  readonly architecture: string;
  /** Elements of a hidden state. */
  readonly width: number;
  /** Layers, excluding those for multi-token prediction. */
  readonly layers: number;
}

/** Number of layers that llama.cpp's graph requires. */
const TARGET_LAYERS = 3;

/**
 * Architectures whose layer inputs llama.cpp can output, i.e. which set `t_layer_inp` in its
 * `src/models`. Requesting them from any other architecture ends the process. `last`: the output of
 * the last layer is available as well.
 */
const TARGETS: Readonly<Record<string, "layers" | "last">> = {
  bailingmoe3: "last",
  gemma4: "last",
  "gpt-oss": "last",
  lfm2: "layers",
  llama: "layers",
  "minimax-m2": "layers",
  qwen3: "layers",
  qwen35: "last",
  qwen35moe: "last",
  qwen3moe: "layers",
  qwen3next: "last",
};

/**
 * Reads the properties of a head from its file. Missing values are 0 or empty;
 * {@link findEagle3Obstacle} reports them.
 */
export function readEagle3Head({ architectureMetadata, fullTensorInfo }: GgufFileInfo): Eagle3Head {
  const values: Readonly<Record<string, unknown>> = { ...architectureMetadata };
  const tensors = fullTensorInfo ?? [];
  const map = tensors.find(({ name }) => name === "d2t");
  const hasTensor = (name: string) => tensors.some((tensor) => tensor.name === name);
  return {
    targetLayers: Array.isArray(values.target_layers) ? values.target_layers.map(Number) : [],
    targetWidth: Number(values.target_hidden_size ?? 0),
    width: Number(architectureMetadata.embedding_length ?? 0),
    blocks: Number(architectureMetadata.block_count ?? 0),
    ownMatrices: { embeddings: hasTensor("token_embd.weight"), output: hasTensor("output.weight") },
    tokenMap: map && {
      type: map.ggmlType === TensorType.I64 ? "i64" : "other",
      tokens: Number(map.dimensions[0] ?? 0),
      fileOffset: Number(map.fileOffset ?? 0),
    },
  };
}

/**
 * Returns the reason why a head cannot propose tokens for a model; `undefined` if it can. Each
 * check prevents a failed assertion in llama.cpp or meaningless proposals.
 */
export function findEagle3Obstacle(head: Eagle3Head, target: Eagle3Target): string | undefined {
  const { targetLayers, targetWidth, width, blocks, ownMatrices, tokenMap } = head;
  const readableLayers = TARGETS[target.architecture];
  if (readableLayers === undefined) {
    return `an EAGLE-3 head, which llama.cpp does not support for ${target.architecture} models`;
  }
  if (blocks !== 1) return `expected an EAGLE-3 head of 1 layer, got ${blocks}`;
  if (targetLayers.length !== TARGET_LAYERS) {
    return `expected an EAGLE-3 head for ${TARGET_LAYERS} layers of the model (target_layers), got ${targetLayers.length}`;
  }
  if (targetWidth !== target.width) {
    return `trained for a model with hidden states of ${targetWidth} elements, not ${target.width}`;
  }
  const lastReadableLayer = readableLayers === "last" ? target.layers : target.layers - 1;
  const unreadableLayer = targetLayers.find(
    (layer) => !Number.isInteger(layer) || layer < 0 || layer > lastReadableLayer,
  );
  if (unreadableLayer !== undefined) {
    return `trained for a model with more layers: it reads layer ${unreadableLayer}, but the last readable layer is ${lastReadableLayer}`;
  }
  if ((!ownMatrices.embeddings || !ownMatrices.output) && width !== target.width) {
    return `expected a width of ${target.width}, because the head has no ${ownMatrices.embeddings ? "output matrix" : "embeddings"}, got ${width}`;
  }
  if (tokenMap !== undefined && tokenMap.type !== "i64") {
    return "expected i64 numbers in its tensor d2t";
  }
  return undefined;
}

const BYTES_OF_I64 = 8;

/**
 * Finds a token of the map that is not in the model's vocabulary, on which llama.cpp would end the
 * process.
 */
export function findUnknownToken(map: Buffer, vocabularySize: number): bigint | undefined {
  for (let offset = 0; offset + BYTES_OF_I64 <= map.length; offset += BYTES_OF_I64) {
    const token = map.readBigInt64LE(offset);
    if (token < 0n || token >= BigInt(vocabularySize)) return token;
  }
  return undefined;
}
