import { type GgufFileInfo, GgmlType as TensorType } from "node-llama-cpp";

/** llama.cpp's name for EAGLE-3 heads among architectures. */
export const EAGLE3 = "eagle3";

/** What the file of an EAGLE-3 head says of the model that it was trained for, and of itself. */
export interface Eagle3Head {
  readonly targetLayers: readonly number[];
  /** Elements of a hidden state of that model. */
  readonly targetWidth: number;
  /** Elements of its own. */
  readonly width: number;
  readonly blocks: number;
  /** What it has not, it takes from the model. */
  readonly has: { readonly embeddings: boolean; readonly output: boolean };
  /** Where the tokens of its own, smaller vocabulary stand in the model's; `undefined`: it has the model's. */
  readonly tokenMap: Eagle3TokenMap | undefined;
}

/** A tensor of the file. */
export interface Eagle3TokenMap {
  readonly type: "i64" | "other";
  readonly tokens: number;
  /** Where its numbers begin in the file. */
  readonly fileOffset: number;
}

/** The model that a head is to propose for. */
export interface Eagle3Target {
  readonly architecture: string;
  /** Elements of a hidden state. */
  readonly width: number;
  /** Layers, without those for multi-token prediction. */
  readonly layers: number;
}

/** llama.cpp's graph takes exactly so many. */
const TARGET_LAYERS = 3;

/**
 * The architectures of which llama.cpp can write what enters a layer: those that set `t_layer_inp` in its `src/models`.
 * Asked of any other, it ends the process. `last`: also what leaves the last layer.
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

/** Reads what the file of a head says; what is missing is 0 or empty, and {@link eagle3Obstacle} names it. */
export function readEagle3Head({ architectureMetadata, fullTensorInfo }: GgufFileInfo): Eagle3Head {
  const values: Readonly<Record<string, unknown>> = { ...architectureMetadata };
  const tensors = fullTensorInfo ?? [];
  const map = tensors.find(({ name }) => name === "d2t");
  const has = (name: string) => tensors.some((tensor) => tensor.name === name);
  return {
    targetLayers: Array.isArray(values.target_layers) ? values.target_layers.map(Number) : [],
    targetWidth: Number(values.target_hidden_size ?? 0),
    width: Number(architectureMetadata.embedding_length ?? 0),
    blocks: Number(architectureMetadata.block_count ?? 0),
    has: { embeddings: has("token_embd.weight"), output: has("output.weight") },
    tokenMap: map && {
      type: map.ggmlType === TensorType.I64 ? "i64" : "other",
      tokens: Number(map.dimensions[0] ?? 0),
      fileOffset: Number(map.fileOffset ?? 0),
    },
  };
}

/** Why a head cannot propose for a model; `undefined`: it can. Each is an assertion of llama.cpp, or would be noise. */
export function eagle3Obstacle(head: Eagle3Head, target: Eagle3Target): string | undefined {
  const { targetLayers, targetWidth, width, blocks, has, tokenMap } = head;
  const reach = TARGETS[target.architecture];
  if (reach === undefined) {
    return `an EAGLE-3 head, and llama.cpp cannot read the layers of ${target.architecture} models for one`;
  }
  if (blocks !== 1) return `expected an EAGLE-3 head of 1 layer, got ${blocks}`;
  if (targetLayers.length !== TARGET_LAYERS) {
    return `expected an EAGLE-3 head for ${TARGET_LAYERS} layers of the model (target_layers), got ${targetLayers.length}`;
  }
  if (targetWidth !== target.width) {
    return `trained for a model with hidden states of ${targetWidth} elements, not ${target.width}`;
  }
  const last = reach === "last" ? target.layers : target.layers - 1;
  const beyond = targetLayers.find(
    (layer) => !Number.isInteger(layer) || layer < 0 || layer > last,
  );
  if (beyond !== undefined) {
    return `trained for a model of more layers: it reads layer ${beyond}, and the last that can be read here is ${last}`;
  }
  if ((!has.embeddings || !has.output) && width !== target.width) {
    return `without ${has.embeddings ? "an output matrix" : "embeddings"} of its own, and of ${width} elements instead of the model's ${target.width}`;
  }
  if (tokenMap !== undefined && tokenMap.type !== "i64") {
    return "expected i64 numbers in its tensor d2t";
  }
  return undefined;
}

const BYTES_OF_I64 = 8;

/** A token of the map that the model has not; `undefined`: it has all of them. llama.cpp would end the process. */
export function tokenBeyond(map: Buffer, vocabularySize: number): bigint | undefined {
  for (let offset = 0; offset + BYTES_OF_I64 <= map.length; offset += BYTES_OF_I64) {
    const token = map.readBigInt64LE(offset);
    if (token < 0n || token >= BigInt(vocabularySize)) return token;
  }
  return undefined;
}
