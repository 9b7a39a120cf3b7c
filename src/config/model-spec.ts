import type { Config } from "./settings/settings.js";

/** A file of a model, and the setting that names it, which errors about the file begin with. */
export interface ModelFile<Role extends string = string> {
  readonly role: Role;
  /** Of a model in several files, that of the first one. */
  readonly path: string;
}

/** On which devices the parts of a model go; absent: as llama.cpp decides. */
export interface PlacementSpec {
  readonly devices: Config["device"];
  readonly mainGpu: number | undefined;
  readonly splitMode: Config["splitMode"];
  readonly tensorSplit: readonly number[] | undefined;
  readonly overrideTensor: Config["overrideTensor"];
  readonly cpuMoe: number | "all" | undefined;
}

/** What is said of a model of any kind. */
interface AnyModelSpec {
  /** Its name in the API. */
  readonly alias: string;
  readonly gpu: Config["gpu"];
  readonly gpuLayers: number | "auto";
  readonly placement: PlacementSpec;
  readonly threads: number | "auto";
  readonly threadsBatch: number | "auto";
}

/** A model that generates text. */
export interface GenerationModelSpec extends AnyModelSpec {
  readonly kind: "generation";
  readonly file: ModelFile<"model">;
  readonly draftFile: ModelFile<"draft-model"> | undefined;
  /** `undefined` here and for the context: as many as memory allows. */
  readonly slots: number | undefined;
  /** Of a slot, in tokens. */
  readonly contextSize: number | undefined;
  readonly batchSize: number;
  readonly kvCacheType: Config["kvCacheType"];
  readonly kvCacheLayout: Config["kvCacheLayout"];
  readonly cacheRamMiB: number;
  readonly cacheDir: string | undefined;
  readonly cacheDiskMiB: number;
  readonly slotSavePath: string | undefined;
  readonly itlTargetMs: number;
  readonly speculation: Config["speculation"];
  readonly toolFormat: Config["toolFormat"];
  /** Of requests without one; `undefined`: a random one for each. */
  readonly seed: number | undefined;
  /** What holds instead if its file is an embedding model or a reranker, which is known once it is read. */
  readonly ifPooling: Pick<EmbeddingModelSpec, "pooling" | "maxInputTokens">;
}

/** A model that makes vectors of texts. */
export interface EmbeddingModelSpec extends AnyModelSpec {
  readonly kind: "embedding";
  readonly file: ModelFile<"embedding-model" | "model">;
  readonly pooling: Config["embeddingPooling"];
  readonly maxInputTokens: number | undefined;
}

/** A model that scores documents by a query. */
export interface RerankingModelSpec extends AnyModelSpec {
  readonly kind: "reranking";
  readonly file: ModelFile<"reranking-model" | "model">;
  readonly maxInputTokens: number | undefined;
}

export type PoolingModelSpec = EmbeddingModelSpec | RerankingModelSpec;

/**
 * All that is to be known of a model before its file is read: which it is, under which name, and what it is loaded
 * with. Plain data: it may cross a process boundary.
 */
export type ModelSpec = GenerationModelSpec | PoolingModelSpec;

/** The main model, when its file turned out to be for something else than generating text. */
export function asPooling(
  spec: GenerationModelSpec,
  kind: PoolingModelSpec["kind"],
): PoolingModelSpec {
  const { alias, file, gpu, gpuLayers, placement, threads, threadsBatch, ifPooling } = spec;
  const { pooling, maxInputTokens } = ifPooling;
  const facts = { alias, file, gpu, gpuLayers, placement, threads, threadsBatch, maxInputTokens };
  return kind === "embedding" ? { kind, ...facts, pooling } : { kind, ...facts };
}

/** The files that a model is loaded from. */
export function filesOf(spec: ModelSpec) {
  const draftFile = spec.kind === "generation" ? spec.draftFile : undefined;
  return draftFile === undefined ? [spec.file] : [spec.file, draftFile];
}

/**
 * Compares models by the order in which they are loaded: those with the smaller choice come first, the one that
 * generates text takes what memory is left.
 */
export function byLoadingOrder(one: ModelSpec, other: ModelSpec): number {
  return Number(one.kind === "generation") - Number(other.kind === "generation");
}
