import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { ModelKind } from "../core/model-directory.js";
import type {
  EmbeddingModelSpec,
  GenerationModelSpec,
  ModelSpec,
  PlacementSpec,
  RerankingModelSpec,
} from "./model-spec.js";
import { type Config, type ModelSettingName, SHIPPED_MODEL } from "./settings/settings.js";

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
    draftFile: "draftModel",
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
  const { alias = nameOf(path), draftModel } = config;
  return {
    kind: "generation",
    alias,
    file: { role: "model", path },
    draftFile: draftModel === undefined ? undefined : { role: "draft-model", path: draftModel },
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
