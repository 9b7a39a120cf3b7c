import { fileURLToPath } from "node:url";
import type { AdapterSpec } from "../core/adapters.js";
import { hasHiddenCharacters } from "../core/hidden-characters.js";
import type { ModelKind } from "../core/model-directory.js";
import { type SamplingFlag, samplingRows } from "../core/sampling-table.js";
import { StartupError } from "../core/startup-error.js";
import { preview } from "../validation/preview.js";
import type { LoadedConfig } from "./load-config.js";
import { nameOf, referenceOf } from "./model-reference.js";
import type {
  EmbeddingModelSpec,
  GenerationModelSpec,
  MediaSpec,
  ModelFile,
  ModelSpec,
  PlacementSpec,
  RerankingModelSpec,
  RopeSpec,
} from "./model-spec.js";
import {
  type Config,
  type ModelSettingName,
  type ModelValues,
  type Origin,
  type PresetModel,
  SHIPPED_MODEL,
} from "./settings.js";

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

const ropeSources = {
  scaling: "ropeScaling",
  scale: "ropeScale",
  freqBase: "ropeFreqBase",
  freqScale: "ropeFreqScale",
  yarnOrigCtx: "yarnOrigCtx",
  yarnExtFactor: "yarnExtFactor",
  yarnAttnFactor: "yarnAttnFactor",
  yarnBetaSlow: "yarnBetaSlow",
  yarnBetaFast: "yarnBetaFast",
} as const satisfies Record<keyof RopeSpec, ModelSettingName>;

const mediaSources = {
  projector: "mmproj",
  onCpu: "noMmprojOffload",
  maxMegapixels: "maxImageMegapixels",
  maxAudioSeconds: "maxAudioSeconds",
  decodeSeconds: "mediaDecodeSeconds",
  cacheMiB: "mediaCacheRam",
} as const satisfies Record<keyof MediaSpec, ModelSettingName>;

/** Their facts have the settings' names. */
const samplingSources = Object.fromEntries(
  samplingRows.flatMap(({ name, flag }) => (flag ? [[name, name]] : [])),
) as { readonly [Name in SamplingFlag]: Name };

/** Of models of any kind, beside their name, file, and whether they are loaded at start. */
const computingSources = {
  pinned: "pinned",
  ttlMs: "modelTtl",
  metadataOverrides: "overrideKv",
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
  cacheTypeK: "cacheTypeK",
  cacheTypeV: "cacheTypeV",
  kvCacheLayout: "kvCacheLayout",
  cacheRamMiB: "cacheRam",
  cacheDir: "cacheDir",
  cacheDiskMiB: "cacheDisk",
  slotSavePath: "slotSavePath",
  itlTargetMs: "itlTargetMs",
  speculation: "speculation",
  deviceSampling: "deviceSampling",
  toolFormat: "toolFormat",
  chatTemplate: "chatTemplate",
  chatTemplateFile: "chatTemplateFile",
  systemPrompt: "systemPrompt",
  maxTokens: "maxTokens",
  adapters: "lora",
  adaptersWhenAsked: "loraInitWithoutApply",
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
    loadsAtStart: "loadOnStartup",
    ...generationSources,
    sampling: samplingSources,
    rope: ropeSources,
    media: mediaSources,
    ...computingSources,
    placement: placementSources,
    ifPooling: embeddingSources,
  } satisfies Record<FieldOf<GenerationModelSpec>, ModelSettingName | Sources>,
  embedding: {
    alias: "embeddingAlias",
    file: "embeddingModel",
    loadsAtStart: "loadOnStartup",
    ...embeddingSources,
    ...computingSources,
    placement: placementSources,
  } satisfies Record<FieldOf<EmbeddingModelSpec>, ModelSettingName | Sources>,
  reranking: {
    alias: "rerankingAlias",
    file: "rerankingModel",
    loadsAtStart: "loadOnStartup",
    ...rerankingSources,
    ...computingSources,
    placement: placementSources,
  } satisfies Record<FieldOf<RerankingModelSpec>, ModelSettingName | Sources>,
} satisfies Record<ModelKind, Sources>;

/** What tells one model from others, beside the settings that all of a kind have in common. */
interface Identity {
  readonly alias: string;
  readonly file: ModelFile<"model">;
  readonly loadsAtStart: boolean;
}

/**
 * The models that are configured, the main one first: that of `--model`, or the first one of the presets that may
 * generate text. Without any, the server is a to-do service.
 * @throws {StartupError} two of them have one name
 */
export function modelSpecsOf(config: Config): readonly ModelSpec[] {
  const presets = config.presets.map(presetSpecOf);
  const main = hasMainModel(config) ? mainModelSpecOf(config) : presets.find(isGenerating);
  const specs = [
    ...(main === undefined ? [] : [main]),
    ...besidesSpecsOf(config),
    ...presets.filter((spec) => spec !== main),
  ];
  rejectUnusableNames(specs);
  return specs;
}

/** With presets, the shipped model is not among the models. */
function hasMainModel({ noModel, model, presets }: Config): boolean {
  return !noModel && (model !== undefined || presets.length === 0);
}

function isGenerating(spec: ModelSpec): spec is GenerationModelSpec {
  return spec.kind === "generation";
}

/** The model of `--model`, or the one that ggufd ships. */
export function mainModelSpecOf(config: Config): GenerationModelSpec {
  const shipped = fileURLToPath(new URL(`../../${SHIPPED_MODEL}`, import.meta.url));
  const reference = referenceOf(config.model ?? shipped);
  return generationSpecOf(config, {
    alias: config.alias ?? nameOf(reference),
    file: { role: "model", ...reference },
    loadsAtStart: config.loadOnStartup ?? true,
  });
}

/** The models of `--embedding-model` and `--reranking-model`. */
function besidesSpecsOf(config: Config): readonly ModelSpec[] {
  const { embeddingModel, embeddingAlias, rerankingModel, rerankingAlias } = config;
  const identityOf = <Role extends string>(role: Role, text: string, alias: string | undefined) => {
    const reference = referenceOf(text);
    const file = { role, ...reference };
    return { alias: alias ?? nameOf(reference), file, loadsAtStart: config.loadOnStartup ?? true };
  };
  return [
    ...(embeddingModel === undefined
      ? []
      : [embeddingSpecOf(config, identityOf("embedding-model", embeddingModel, embeddingAlias))]),
    ...(rerankingModel === undefined
      ? []
      : [rerankingSpecOf(config, identityOf("reranking-model", rerankingModel, rerankingAlias))]),
  ];
}

/** A model of a preset, which is found by its name where the preset says no more. */
function presetSpecOf({ name, kind, values }: PresetModel): ModelSpec {
  const identity: Identity = {
    alias: name,
    file: { role: "model", ...referenceOf(values.model ?? name) },
    loadsAtStart: values.loadOnStartup ?? false,
  };
  switch (kind) {
    case "generation":
      return generationSpecOf(values, identity);
    case "embedding":
      return embeddingSpecOf(values, identity);
    case "reranking":
      return rerankingSpecOf(values, identity);
  }
}

/** A model that generates text, by its settings. */
export function generationSpecOf(values: ModelValues, identity: Identity): GenerationModelSpec {
  const { draft } = values;
  return {
    kind: "generation",
    ...identity,
    draft: draft === "auto" || draft === "none" ? draft : { role: "draft", path: draft },
    ...filled(values, generationSources),
    sampling: filled(values, samplingSources),
    rope: filled(values, ropeSources),
    media: filled(values, mediaSources),
    ...computingOf(values),
    ifPooling: filled(values, embeddingSources),
  };
}

type PoolingIdentity<Spec extends ModelSpec> = Omit<Identity, "file"> & Pick<Spec, "file">;

function embeddingSpecOf(
  values: ModelValues,
  identity: PoolingIdentity<EmbeddingModelSpec>,
): EmbeddingModelSpec {
  return {
    kind: "embedding",
    ...identity,
    ...filled(values, embeddingSources),
    ...computingOf(values),
  };
}

function rerankingSpecOf(
  values: ModelValues,
  identity: PoolingIdentity<RerankingModelSpec>,
): RerankingModelSpec {
  return {
    kind: "reranking",
    ...identity,
    ...filled(values, rerankingSources),
    ...computingOf(values),
  };
}

function computingOf(values: ModelValues) {
  return { ...filled(values, computingSources), placement: filled(values, placementSources) };
}

/** Facts that are their settings' values as they stand. */
function filled<Filled extends Readonly<Record<string, ModelSettingName>>>(
  values: ModelValues,
  from: Filled,
): { readonly [Fact in keyof Filled]: ModelValues[Filled[Fact]] } {
  const facts = Object.entries(from).map(([fact, setting]) => [fact, values[setting]]);
  return Object.fromEntries(facts) as { [Fact in keyof Filled]: ModelValues[Filled[Fact]] };
}

/**
 * @throws {StartupError} two models have one name, or an adapter has that of a model or of another adapter; a name has
 *   hidden characters
 */
export function rejectUnusableNames(specs: readonly ModelSpec[]): void {
  const names = new Set<string>();
  const places = "--alias, --embedding-alias, --reranking-alias, --models-preset";
  for (const { alias } of specs) {
    rejectHiddenCharacters(places, alias);
    if (names.has(alias)) {
      throw new StartupError(`two models are named ${alias}: expected different names (${places})`);
    }
    names.add(alias);
  }
  for (const { name, path } of specs.flatMap(adaptersOf)) {
    rejectHiddenCharacters("--lora NAME=PATH", name);
    if (names.has(name)) {
      throw new StartupError(
        `lora ${path}: expected a name that no model and no other adapter has, got ${name} (--lora NAME=PATH)`,
      );
    }
    names.add(name);
  }
}

function rejectHiddenCharacters(places: string, name: string): void {
  if (!hasHiddenCharacters(name)) return;
  throw new StartupError(
    `${places}: expected a name without control or format characters, got ${preview(name)}`,
  );
}

function adaptersOf(spec: ModelSpec): readonly AdapterSpec[] {
  return spec.kind === "generation" ? spec.adapters : [];
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

/** A model that is configured, and where its facts come from. */
export interface ConfiguredModel {
  readonly spec: ModelSpec;
  readonly facts: readonly (ModelFact & { readonly origin: Origin })[];
}

/** The models of {@link modelSpecsOf}, with the sources of their facts. */
export function configuredModelsOf({ config, origins }: LoadedConfig): readonly ConfiguredModel[] {
  return modelSpecsOf(config).map((spec) => {
    const preset = config.presets.find(({ name }) => name === spec.alias);
    return {
      spec,
      facts: factsOf(spec).map((fact) => ({
        ...fact,
        origin: preset === undefined ? origins[fact.setting] : presetOrigin(preset, fact),
      })),
    };
  });
}

/** Where a preset says what others say by settings of their own: its name, and its file. */
function presetOrigin({ origins, values }: PresetModel, { name, setting }: ModelFact): Origin {
  const isFile = name === "file" && values.model !== undefined;
  if (isFile) return origins.model;
  return name === "file" || name === "alias" ? origins.alias : origins[setting];
}

function factsIn(group: object, from: Sources, prefix = ""): readonly ModelFact[] {
  const values: ReadonlyMap<string, unknown> = new Map(Object.entries(group));
  return Object.entries(from).flatMap(([fact, source]) => {
    const value = values.get(fact);
    if (typeof source === "string") return [{ name: `${prefix}${fact}`, value, setting: source }];
    return factsIn(Object(value), source, `${prefix}${fact}.`);
  });
}
