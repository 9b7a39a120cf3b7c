import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { ModelKind } from "../core/model-directory.js";
import { type Config, type ModelSettingName, SHIPPED_MODEL } from "./settings.js";

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
  /** A file that proposes tokens; `auto`: the model's own layers do, if it has any. */
  readonly draft: "auto" | "none" | ModelFile<"draft">;
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
  readonly deviceSampling: Config["deviceSampling"];
  readonly toolFormat: Config["toolFormat"];
  /** Of requests without one; `undefined`: a random one for each. */
  readonly seed: number | undefined;
  /** What holds instead if its file is an embedding model or a reranker, which is known once it is read. */
  readonly ifPooling: Pick<EmbeddingModelSpec, "pooling" | "maxInputTokens">;
}

/** A model that creates embeddings. */
export interface EmbeddingModelSpec extends AnyModelSpec {
  readonly kind: "embedding";
  readonly file: ModelFile<"embedding-model" | "model">;
  readonly pooling: Config["embeddingPooling"];
  readonly maxInputTokens: number | undefined;
}

/** A model that ranks documents by a query. */
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
  const draft = spec.kind === "generation" ? spec.draft : "none";
  return typeof draft === "string" ? [spec.file] : [spec.file, draft];
}

/**
 * Compares models by the order in which they are loaded: those with the smaller choice come first, the one that
 * generates text takes what memory is left.
 */
export function byLoadingOrder(one: ModelSpec, other: ModelSpec): number {
  return Number(one.kind === "generation") - Number(other.kind === "generation");
}

/** The settings that facts are filled from, by the names of the facts. */
interface Sources {
  readonly [fact: string]: ModelSettingName | Sources;
}

type FieldOf<Spec> = Exclude<keyof Spec, "kind">;

const placementSources = {
  devices: "device",
  mainGpu: "mainGpu",
  splitMode: "splitMode",
  tensorSplit: "tensorSplit",
  overrideTensor: "overrideTensor",
  cpuMoe: "cpuMoe",
} as const satisfies Record<keyof PlacementSpec, ModelSettingName>;

const computingSources = {
  gpu: "gpu",
  gpuLayers: "gpuLayers",
  threads: "threads",
  threadsBatch: "threadsBatch",
} as const satisfies Sources;

const generationSources = {
  slots: "parallel",
  contextSize: "contextSize",
  batchSize: "batchSize",
  kvCacheType: "kvCacheType",
  kvCacheLayout: "kvCacheLayout",
  cacheRamMiB: "cacheRam",
  cacheDir: "cacheDir",
  cacheDiskMiB: "cacheDisk",
  slotSavePath: "slotSavePath",
  itlTargetMs: "itlTargetMs",
  speculation: "speculation",
  deviceSampling: "deviceSampling",
  toolFormat: "toolFormat",
  seed: "seed",
} as const satisfies Sources;

const rerankingSources = { maxInputTokens: "maxInputTokens" } as const satisfies Sources;

const embeddingSources = {
  pooling: "embeddingPooling",
  ...rerankingSources,
} as const satisfies Sources;

/** Every fact with the setting that it is filled from, in the order in which they are shown. */
const sources = {
  generation: {
    alias: "alias",
    file: "model",
    draft: "draft",
    ...generationSources,
    ...computingSources,
    placement: placementSources,
    ifPooling: embeddingSources,
  } satisfies Record<FieldOf<GenerationModelSpec>, ModelSettingName | Sources>,
  embedding: {
    alias: "embeddingAlias",
    file: "embeddingModel",
    ...embeddingSources,
    ...computingSources,
    placement: placementSources,
  } satisfies Record<FieldOf<EmbeddingModelSpec>, ModelSettingName | Sources>,
  reranking: {
    alias: "rerankingAlias",
    file: "rerankingModel",
    ...rerankingSources,
    ...computingSources,
    placement: placementSources,
  } satisfies Record<FieldOf<RerankingModelSpec>, ModelSettingName | Sources>,
} satisfies Record<ModelKind, Sources>;

/** The models that are configured, the main one first. Without any, the server is a to-do service. */
export function modelSpecsOf(config: Config): readonly ModelSpec[] {
  const { noModel, embeddingModel, rerankingModel } = config;
  return [
    ...(noModel ? [] : [mainModelSpecOf(config)]),
    ...(embeddingModel === undefined ? [] : [embeddingSpecOf(config, embeddingModel)]),
    ...(rerankingModel === undefined ? [] : [rerankingSpecOf(config, rerankingModel)]),
  ];
}

/** The model of `--model`, or the one that ggufd ships. */
export function mainModelSpecOf(config: Config): GenerationModelSpec {
  const path = config.model ?? fileURLToPath(new URL(`../../${SHIPPED_MODEL}`, import.meta.url));
  const { alias = nameOf(path), draft } = config;
  return {
    kind: "generation",
    alias,
    file: { role: "model", path },
    draft: draft === "auto" || draft === "none" ? draft : { role: "draft", path: draft },
    ...filled(config, generationSources),
    ...computingOf(config),
    ifPooling: filled(config, embeddingSources),
  };
}

function embeddingSpecOf(config: Config, path: string): EmbeddingModelSpec {
  return {
    kind: "embedding",
    alias: config.embeddingAlias ?? nameOf(path),
    file: { role: "embedding-model", path },
    ...filled(config, embeddingSources),
    ...computingOf(config),
  };
}

function rerankingSpecOf(config: Config, path: string): RerankingModelSpec {
  return {
    kind: "reranking",
    alias: config.rerankingAlias ?? nameOf(path),
    file: { role: "reranking-model", path },
    ...filled(config, rerankingSources),
    ...computingOf(config),
  };
}

function computingOf(config: Config) {
  return { ...filled(config, computingSources), placement: filled(config, placementSources) };
}

/** Facts that are their settings' values as they stand. */
function filled<Filled extends Readonly<Record<string, ModelSettingName>>>(
  config: Config,
  from: Filled,
): { readonly [Fact in keyof Filled]: Config[Filled[Fact]] } {
  const facts = Object.entries(from).map(([fact, setting]) => [fact, config[setting]]);
  return Object.fromEntries(facts) as { [Fact in keyof Filled]: Config[Filled[Fact]] };
}

function nameOf(path: string): string {
  return basename(path).replace(/\.gguf$/i, "");
}

/** A fact of a model, with the setting that it is filled from. */
export interface ModelFact {
  /** With its group: `slots`, `placement.mainGpu`. */
  readonly name: string;
  readonly value: unknown;
  readonly setting: ModelSettingName;
}

/** All facts of a model but its kind. */
export function factsOf(spec: ModelSpec): readonly ModelFact[] {
  return factsIn(spec, sources[spec.kind]);
}

function factsIn(group: object, from: Sources, prefix = ""): readonly ModelFact[] {
  const values: ReadonlyMap<string, unknown> = new Map(Object.entries(group));
  return Object.entries(from).flatMap(([fact, source]) => {
    const value = values.get(fact);
    if (typeof source === "string") return [{ name: `${prefix}${fact}`, value, setting: source }];
    return factsIn(Object(value), source, `${prefix}${fact}.`);
  });
}
