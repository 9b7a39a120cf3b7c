import { type GgufFileInfo, GgufFileType, type GgufTensorInfo } from "node-llama-cpp";
import type { ModelKind } from "../../core/model-directory.js";
import type { Pooling } from "../../core/pooling.js";
import type { SamplingDefaults } from "../../core/sampling-table.js";
import type { AttentionShape } from "../native/kv-cache.js";
import { EAGLE3, type Eagle3Head, readEagle3Head } from "./eagle3-head.js";
import { findMtpLayers, type MtpLayers } from "./mtp-layers.js";
import { readRecommendedSampling } from "./recommended-sampling.js";

/** The metadata of a GGUF file that the engine uses. */
export interface ModelMetadata {
  readonly name: string;
  readonly parameters: number;
  /** Type of the file, such as `Q4_K_M`. */
  readonly quantization: string | undefined;
  /** Jinja source of the chat template. */
  readonly chatTemplate: string | undefined;
  /** Recommended sampling, from `general.sampling.*`. */
  readonly recommendedSampling: SamplingDefaults;
  /** Whether attention is causal; models with bidirectional attention cannot generate. */
  readonly isCausal: boolean;
  /** Pooling method for token states; `undefined` if the file has none, as with chat models. */
  readonly pooling: Pooling | undefined;
  readonly attention: AttentionShape;
  /** Training context before RoPE scaling, in tokens; `undefined` if the file does not state it. */
  readonly ropeOriginalContext: number | undefined;
  /** Number of tokens in the vocabulary. */
  readonly vocabularySize: number;
  /** Elements of a token's embedding. */
  readonly embeddingLength: number;
  /** Layers, excluding those for multi-token prediction. */
  readonly layers: number;
  readonly mtpLayers: MtpLayers;
  /** Properties of an EAGLE-3 head; `undefined` for other models. */
  readonly eagle3: Eagle3Head | undefined;
  /** Experts per layer; 0 if the model has none. */
  readonly experts: number;
  /** Elements of the largest weight matrix of a layer. */
  readonly largestMatrix: number;
}

/** @param fileName used if the metadata contain no name */
export function readModelMetadata(fileInfo: GgufFileInfo, fileName: string): ModelMetadata {
  const { metadata, fullTensorInfo } = fileInfo;
  const general: Record<string, unknown> = { ...metadata.general };
  const { chat_template: chatTemplate } = metadata.tokenizer;
  return {
    name: typeof general.name === "string" ? general.name : fileName,
    parameters: (fullTensorInfo ?? []).reduce((sum, tensor) => sum + countElements(tensor), 0),
    quantization: readFileType(general.file_type),
    chatTemplate,
    recommendedSampling: readRecommendedSampling(general.sampling),
    isCausal: fileInfo.architectureMetadata.attention?.causal !== false,
    pooling: readPooling(fileInfo.architectureMetadata.pooling_type),
    attention: readAttentionShape(fileInfo),
    ropeOriginalContext: readOriginalContext(fileInfo),
    vocabularySize: metadata.tokenizer.ggml?.tokens?.length ?? 0,
    embeddingLength: toNumber(fileInfo.architectureMetadata.embedding_length) ?? 0,
    ...readLayers(fileInfo),
    eagle3: metadata.general.architecture === EAGLE3 ? readEagle3Head(fileInfo) : undefined,
    experts: toNumber(fileInfo.architectureMetadata.expert_count) ?? 0,
    largestMatrix: findLargestMatrix(fileInfo),
  };
}

/** Values of llama.cpp's `llama_pooling_type`. */
export const poolingTypes: Readonly<Record<Pooling, number>> = {
  none: 0,
  mean: 1,
  cls: 2,
  last: 3,
  rank: 4,
};

function readPooling(type: unknown): Pooling | undefined {
  const names = Object.keys(poolingTypes) as Pooling[];
  const method = names.find((name) => poolingTypes[name] === toNumber(type));
  return method === "none" ? undefined : method;
}

/**
 * Returns the purpose of a model. Models with bidirectional attention cannot generate, whatever
 * their file states about pooling.
 */
export function kindOf({
  isCausal,
  pooling,
}: Pick<ModelMetadata, "isCausal" | "pooling">): ModelKind {
  if (pooling === "rank") return "reranking";
  return isCausal && pooling === undefined ? "generation" : "embedding";
}

function readLayers({
  metadata,
  architectureMetadata,
  fullTensorInfo,
}: GgufFileInfo): Pick<ModelMetadata, "layers" | "mtpLayers"> {
  const values: Readonly<Record<string, unknown>> = { ...architectureMetadata };
  const blocks = toNumber(architectureMetadata.block_count) ?? 0;
  const predictingBlocks = toNumber(values.nextn_predict_layers) ?? 0;
  const mtpLayers = findMtpLayers({
    architecture: metadata.general.architecture,
    blocks,
    predictingBlocks,
    tensorNames: new Set(fullTensorInfo?.map(({ name }) => name)),
  });
  return { layers: blocks - predictingBlocks, mtpLayers };
}

/**
 * Returns the name of the file type, without the prefixes by which llama.cpp states that all or
 * most tensors have it.
 */
function readFileType(type: unknown): string | undefined {
  const name = typeof type === "number" ? GgufFileType[type] : undefined;
  return name?.replace(/^(?:ALL|MOSTLY)_/, "");
}

function findLargestMatrix({ fullTensorInfo }: GgufFileInfo): number {
  const matrices = (fullTensorInfo ?? []).filter(
    ({ name, dimensions }) => name.startsWith("blk.") && dimensions.length === 2,
  );
  return matrices.reduce((largest, matrix) => Math.max(largest, countElements(matrix)), 0);
}

function countElements({ dimensions }: Pick<GgufTensorInfo, "dimensions">): number {
  return dimensions.reduce<number>((size, length) => size * Number(length), 1);
}

/**
 * Reads the attention shape. `attention.head_count_kv` is one number or one per layer. Key and
 * value lengths default to the embedding length divided by the heads. Recurrent models have no
 * heads.
 */
function readAttentionShape({ architectureMetadata }: GgufFileInfo): AttentionShape {
  const { block_count, embedding_length, attention } = architectureMetadata;
  const layers = toNumber(block_count) ?? 0;
  const heads = [attention?.head_count].flat().map(toNumber);
  const kvHeads = [attention?.head_count_kv].flat().map(toNumber);
  const width = (toNumber(embedding_length) ?? 0) / (heads[0] || 1);
  return {
    queryHeads: Math.max(0, ...heads.map((count) => count ?? 0)),
    kvHeads: Array.from(
      { length: layers },
      (_, layer) => kvHeads[layer] ?? kvHeads[0] ?? heads[layer] ?? heads[0] ?? 0,
    ),
    keyLength: toNumber(attention?.key_length) ?? width,
    valueLength: toNumber(attention?.value_length) ?? width,
  };
}

function readOriginalContext({ architectureMetadata }: GgufFileInfo): number | undefined {
  const { rope }: { readonly rope?: { readonly scaling?: Readonly<Record<string, unknown>> } } =
    architectureMetadata;
  return toNumber(rope?.scaling?.original_context_length);
}

function toNumber(value: unknown): number | undefined {
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : undefined;
}
